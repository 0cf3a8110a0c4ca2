/** What all resources that are kept as documents have in common: listing, reading, writing and deleting them. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { Collection, Stored } from '../../store/collection.ts';
import { StoreConflict } from '../../store/errors.ts';
import { sliceOf } from '../../store/page-slice.ts';
import { presentRows, Rows } from './list-responder.ts';
import { conflict, invalid, notFound } from './problem.ts';

export interface DocumentResourceOptions<Id extends string | number, Body, Shown> {
  readonly collection: Collection<Id, Body>;
  /** What a 404 calls it: `snippet`. */
  readonly label: string;
  /** What a 409 says where the unique field is taken. */
  readonly conflictMessage?: (body: Body) => string;
  readonly present: (stored: Stored<Id, Body>) => Shown;
}

interface PageCall {
  readonly accountId: string;
  readonly query: { readonly limit: number; readonly page: number };
  readonly header: (name: string, value: string) => void;
}
interface CursorCall {
  readonly accountId: string;
  readonly query: { readonly limit: number; readonly nextId?: string };
}

/** ISO 8601 of an instant in ms, null of none: how answers tell time. */
export const toIso = (ms: number): string => new Date(ms).toISOString();
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
/** What every answer about a stored thing tells of its age. */
export const timestamps = ({
  createdAt,
  updatedAt,
}: Pick<Stored<string, unknown>, 'createdAt' | 'updatedAt'>) => ({
  created_at: toIso(createdAt),
  updated_at: toIsoOrNull(updatedAt),
});

/** Runs a write; what the store refuses because a value is taken is told as 409. */
export async function withConflictMessage<T>(message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreConflict && error.reason === 'unique') throw conflict(message);
    throw error;
  }
}

/** The body with all defaults of the endpoint that creates such a thing. */
export const applyDefaults = <T>(createEndpoint: Endpoint, body: T): T =>
  withDefaults(createEndpoint.body ?? {}, body);

/**
 * A stored body with changes on top, judged as a whole by the endpoint that creates such a thing: two fields that are
 * good each by itself may not go together. Throws `Problem` 400.
 */
export function applyChange<Body extends object>(
  createEndpoint: Endpoint,
  before: Body,
  change: Partial<Body>,
  now: number,
): Body {
  const body = applyDefaults(createEndpoint, { ...before, ...change });
  const found = violationsOf(createEndpoint, { body }, now);
  if (found.length > 0) throw invalid(found.filter(({ in: part }) => part === 'body'));
  return body;
}

/** `content-range: 0-9/11`, as some deployments tell the total of a list; `0-9/*` where it is not counted. */
export function sendContentRange(
  header: (name: string, value: string) => void,
  offset: number,
  length: number,
  total: number | '*',
): void {
  header('content-range', length === 0 ? `*/${total}` : `${offset}-${offset + length - 1}/${total}`);
}

/** A page of a list that is paged by number, as answers show it. */
export async function listByPage<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'listing' | 'count'>,
  { accountId, query, header }: PageCall,
  present: (entries: readonly Stored<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const slice = sliceOf(query);
  const found = await collection.listing(accountId, slice);
  sendContentRange(header, slice.offset, found.length, await collection.count(accountId));
  return new Rows(presentRows(found, present));
}

/** A page of a list that is paged by cursor, as answers show it. */
export async function listByCursor<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'page'>,
  { accountId, query }: CursorCall,
  present: (entries: readonly Stored<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const found = await collection.page(accountId, { limit: query.limit, after: query.nextId });
  return new Rows(presentRows(found, present), found.nextId);
}

/** The five verbs of a resource, as handlers use them. */
export function createDocumentResource<Id extends string | number, Body extends object, Shown>({
  collection,
  label,
  conflictMessage = () => `A ${label} with these values already exists`,
  present,
}: DocumentResourceOptions<Id, Body, Shown>) {
  const found = (stored: Stored<Id, Body> | undefined, id: Id): Stored<Id, Body> => {
    if (!stored) throw notFound(`${label} ${id}`);
    return stored;
  };
  return {
    present,

    list: (page: PageCall) => listByPage(collection, page, (entries) => entries.map(present)),

    page: (page: CursorCall) => listByCursor(collection, page, (entries) => entries.map(present)),

    async get(accountId: string, id: Id): Promise<Shown> {
      return present(found(await collection.get(accountId, id), id));
    },

    async create(accountId: string, body: Body): Promise<Shown> {
      return present(
        await withConflictMessage(conflictMessage(body), () => collection.create(accountId, body)),
      );
    },

    /** Replaces what is stored by what `change` makes of it; `change` may throw a Problem, then nothing is changed. */
    async change(accountId: string, id: Id, change: (before: Body) => Body): Promise<Shown> {
      let after: Body | undefined;
      try {
        const stored = await collection.change(accountId, id, (before) => {
          after = change(before);
          return after;
        });
        return present(found(stored, id));
      } catch (error) {
        if (error instanceof StoreConflict && error.reason === 'unique' && after)
          throw conflict(conflictMessage(after));
        throw error;
      }
    },

    /** `within`: the collection in a transaction. */
    async remove(
      accountId: string,
      id: Id,
      within: Pick<typeof collection, 'delete'> = collection,
    ): Promise<undefined> {
      if (!(await within.delete(accountId, id))) throw notFound(`${label} ${id}`);
      return undefined;
    },
  };
}
