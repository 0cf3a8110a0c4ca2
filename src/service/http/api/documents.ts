/** What all resources that are kept as documents have in common: listing, reading, writing and deleting them. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import type { Collection, StoredResource } from '../../store/collection.ts';
import { StoreConflict } from '../../store/errors.ts';
import { pageSlice } from '../../store/page-slice.ts';
import { presented, Rows } from './lists.ts';
import { sendRange } from './pages.ts';
import { conflict, invalid, notFound } from './problem.ts';

export interface DocumentResource<Id extends string | number, Body, Shown> {
  readonly collection: Collection<Id, Body>;
  /** What a 404 calls it: `snippet`. */
  readonly what: string;
  /** What a 409 says where the unique field is taken. */
  readonly taken?: (body: Body) => string;
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

/** ISO 8601 of an instant in ms, null of none: how answers tell time. */
export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
/** What every answer about a stored thing tells of its age. */
export const ages = ({
  createdAt,
  updatedAt,
}: Pick<StoredResource<string, unknown>, 'createdAt' | 'updatedAt'>) => ({
  created_at: iso(createdAt),
  updated_at: isoOrNull(updatedAt),
});

/** Runs a write; what the store refuses because a value is taken is told as 409. */
export async function unlessTaken<T>(message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreConflict && error.reason === 'unique') throw conflict(message);
    throw error;
  }
}

/** The body with all defaults of the endpoint that creates such a thing. */
export const completed = <T>(creating: Endpoint, body: T): T => withDefaults(creating.body ?? {}, body);

/**
 * A stored body with changes on top, judged as a whole by the endpoint that creates such a thing: two fields that are
 * good each by itself may not go together. Throws `Problem` 400.
 */
export function changed<Body extends object>(
  creating: Endpoint,
  before: Body,
  change: Partial<Body>,
  now: number,
): Body {
  const body = completed(creating, { ...before, ...change });
  const found = violationsOf(creating, { body }, now);
  if (found.length > 0) throw invalid(found.filter(({ in: part }) => part === 'body'));
  return body;
}

/** A page of a list that is paged by number, as answers show it. */
export async function numberedPage<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'listing' | 'count'>,
  { accountId, query, header }: PageCall,
  present: (entries: readonly StoredResource<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const slice = pageSlice(query);
  const found = await collection.listing(accountId, slice);
  sendRange(header, slice.offset, found.length, await collection.count(accountId));
  return new Rows(presented(found, present));
}

/** A page of a list that is paged by cursor, as answers show it. */
export async function cursorPage<Id extends string | number, Body, Shown>(
  collection: Pick<Collection<Id, Body>, 'page'>,
  { accountId, query }: CursorCall,
  present: (entries: readonly StoredResource<Id, Body>[]) => Shown[] | Promise<Shown[]>,
) {
  const found = await collection.page(accountId, { limit: query.limit, after: query.nextId });
  return new Rows(presented(found, present), found.nextId);
}

/** The five verbs of a resource, as handlers use them. */
export function documentResource<Id extends string | number, Body extends object, Shown>({
  collection,
  what,
  taken = () => `A ${what} with these values already exists`,
  present,
}: DocumentResource<Id, Body, Shown>) {
  const found = (stored: StoredResource<Id, Body> | undefined, id: Id): StoredResource<Id, Body> => {
    if (!stored) throw notFound(`${what} ${id}`);
    return stored;
  };
  return {
    present,

    list: (page: PageCall) => numberedPage(collection, page, (entries) => entries.map(present)),

    page: (page: CursorCall) => cursorPage(collection, page, (entries) => entries.map(present)),

    async get(accountId: string, id: Id): Promise<Shown> {
      return present(found(await collection.get(accountId, id), id));
    },

    async create(accountId: string, body: Body): Promise<Shown> {
      return present(await unlessTaken(taken(body), () => collection.create(accountId, body)));
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
          throw conflict(taken(after));
        throw error;
      }
    },

    /** `within`: the collection in a transaction. */
    async remove(
      accountId: string,
      id: Id,
      within: Pick<typeof collection, 'delete'> = collection,
    ): Promise<undefined> {
      if (!(await within.delete(accountId, id))) throw notFound(`${what} ${id}`);
      return undefined;
    },
  };
}
