/** Implements list, read, write and delete for resources that are stored as documents. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { Collection, StoredResource } from '../../store/documents.ts';
import { StoreConflict } from '../../store/errors.ts';
import { pageSlice } from '../../store/lists.ts';
import { presentRows, Rows } from './list-responder.ts';
import { conflict, invalid, notFound } from './problem.ts';

export interface DocumentResourceOptions<Id extends string | number, Body, Shown> {
  readonly collection: Collection<Id, Body>;
  /** The name in a 404, such as `snippet`. */
  readonly label: string;
  /** Returns the message of a 409 for a duplicate of the unique field. */
  readonly conflictMessage?: (body: Body) => string;
  readonly present: (stored: StoredResource<Id, Body>) => Shown;
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

/** Returns the ISO 8601 timestamp of an instant in ms, as responses show it. */
export const toIso = (ms: number): string => new Date(ms).toISOString();
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
/** Returns the creation and update times of a resource for its response. */
export const timestamps = ({
  createdAt,
  updatedAt,
}: Pick<StoredResource<string, unknown>, 'createdAt' | 'updatedAt'>) => ({
  created_at: toIso(createdAt),
  updated_at: toIsoOrNull(updatedAt),
});

/** Runs a write. Throws `Problem` 409 if a unique value is already in use. */
export async function withConflictMessage<T>(message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreConflict && error.reason === 'unique') throw conflict(message);
    throw error;
  }
}

/** Returns the body with the defaults of the endpoint that creates the resource. */
export const applyDefaults = <T>(createEndpoint: Endpoint, body: T): T =>
  withDefaults(createEndpoint.body ?? {}, body);

/**
 * Returns a stored body with changes, validated as a whole by the endpoint that creates the resource, because two valid
 * fields may conflict. Throws `Problem` 400.
 */
export function applyChange<Body extends object>(
  createEndpoint: Endpoint,
  before: Body,
  change: Partial<Body>,
  now: number,
): Body {
  const body = applyDefaults(createEndpoint, { ...before, ...change });
  const violations = violationsOf(createEndpoint, { body }, now);
  if (violations.length > 0) throw invalid(violations.filter(({ in: part }) => part === 'body'));
  return body;
}

/** Sends the total of a list as some deployments do: `content-range: 0-9/11`, or `0-9/*` if it is not counted. */
export function sendContentRange(
  header: (name: string, value: string) => void,
  offset: number,
  length: number,
  total: number | '*',
): void {
  header('content-range', length === 0 ? `*/${total}` : `${offset}-${offset + length - 1}/${total}`);
}

/** Returns a page of a list with page numbers. */
export async function listByPage<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'listing' | 'count'>,
  { accountId, query, header }: PageCall,
  present: (entries: readonly StoredResource<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const slice = pageSlice(query);
  const listing = await collection.listing(accountId, slice);
  sendContentRange(header, slice.offset, listing.length, await collection.count(accountId));
  return new Rows(presentRows(listing, present));
}

/** Returns a page of a list with cursors. */
export async function listByCursor<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'page'>,
  { accountId, query }: CursorCall,
  present: (entries: readonly StoredResource<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const page = await collection.page(accountId, { limit: query.limit, after: query.nextId });
  return new Rows(presentRows(page, present), page.nextId);
}

/** Creates the operations that the handlers of a resource use. */
export function createDocumentResource<Id extends string | number, Body extends object, Shown>({
  collection,
  label,
  conflictMessage = () => `A ${label} with these values already exists`,
  present,
}: DocumentResourceOptions<Id, Body, Shown>) {
  const requireStored = (stored: StoredResource<Id, Body> | undefined, id: Id): StoredResource<Id, Body> => {
    if (!stored) throw notFound(`${label} ${id}`);
    return stored;
  };
  return {
    present,

    list: (page: PageCall) => listByPage(collection, page, (entries) => entries.map(present)),

    page: (page: CursorCall) => listByCursor(collection, page, (entries) => entries.map(present)),

    async get(accountId: string, id: Id): Promise<Shown> {
      return present(requireStored(await collection.get(accountId, id), id));
    },

    async create(accountId: string, body: Body): Promise<Shown> {
      return present(
        await withConflictMessage(conflictMessage(body), () => collection.create(accountId, body)),
      );
    },

    /** Replaces the stored body by the result of `change`. If it throws a `Problem`, nothing is changed. */
    async change(accountId: string, id: Id, change: (before: Body) => Body): Promise<Shown> {
      let after: Body | undefined;
      try {
        const stored = await collection.change(accountId, id, (before) => {
          after = change(before);
          return after;
        });
        return present(requireStored(stored, id));
      } catch (error) {
        if (error instanceof StoreConflict && error.reason === 'unique' && after)
          throw conflict(conflictMessage(after));
        throw error;
      }
    },

    /** `within` is the collection in a transaction. */
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
