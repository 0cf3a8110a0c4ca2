/** Implements the handlers of resources that are stored as documents: list, create, get, update and delete. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint, Violation } from '../../../contract/index.ts';
import { placeText, violationsOf } from '../../../contract/validate.ts';
import type { Collection, StoredResource } from '../../store/documents.ts';
import { StoreConflict } from '../../store/errors.ts';
import { pageSlice } from '../../store/lists.ts';
import { presentRows, Rows } from './list-responder.ts';
import { assertValid, conflict, requireFound } from './problem.ts';

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
export async function withConflictMessage<T>(message: () => string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreConflict && error.reason === 'unique') throw conflict(message());
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
  const find = (of: object) =>
    violationsOf(createEndpoint, { body: of }, now).filter(({ in: part }) => part === 'body');
  const found = find(body);
  // A rule that is newer than the stored value must not prevent changes of other fields.
  const stored = found.length === 0 ? new Set() : new Set(find(before).map(identify));
  assertValid(found.filter((one) => String(one.path[0]) in change || !stored.has(identify(one))));
  return body;
}

const identify = ({ path, keyword }: Violation): string => `${placeText(path)} ${keyword}`;

/** Sends the total of a list as some deployments do: `content-range: 0-9/11`, or `0-9/*` if it is not counted. */
export function sendContentRange(
  header: (name: string, value: string) => void,
  offset: number,
  length: number,
  total: number | '*',
): void {
  header('content-range', length === 0 ? `*/${total}` : `${offset}-${offset + length - 1}/${total}`);
}

export interface DocumentResourceOptions<Id extends string | number, Body, Shown, Param extends string> {
  readonly collection: Collection<Id, Body>;
  /** The name in a 404, such as `snippet`. */
  readonly label: string;
  /** The name of the ID in the path. */
  readonly param: Param;
  /** Returns the message of a 409 for a duplicate of the unique field. */
  readonly conflictMessage?: (body: Body) => string;
  readonly applyChange?: (before: Body, change: Partial<Body>) => Body;
  /** Runs after each creation and change, before the response. */
  readonly onChange?: (stored: StoredResource<Id, Body>) => Promise<void>;
  readonly present: (
    stored: readonly StoredResource<Id, Body>[],
    accountId: string,
  ) => Shown[] | Promise<Shown[]>;
}

interface AccountCall {
  readonly accountId: string;
}
interface PageCall extends AccountCall {
  readonly query: { readonly limit: number; readonly page: number };
  readonly header: (name: string, value: string) => void;
}
interface CursorCall extends AccountCall {
  readonly query: { readonly limit: number; readonly nextId?: string };
}
interface CreateCall<Body> extends AccountCall {
  readonly endpoint: Endpoint;
  readonly body: Body;
}

export async function listByPage<Id extends string | number, Body, Shown>(
  collection: Collection<Id, Body>,
  { accountId, query, header }: PageCall,
  present: DocumentResourceOptions<Id, Body, Shown, string>['present'],
) {
  const slice = pageSlice(query);
  const listing = await collection.listing(accountId, slice);
  sendContentRange(header, slice.offset, listing.length, await collection.count(accountId));
  return new Rows(presentRows(listing, (stored) => present(stored, accountId)));
}

/** Creates the handlers of a resource. Resources with more rules replace some of them. */
export function createDocumentResource<
  Id extends string | number,
  Body extends object,
  Shown,
  Param extends string,
>(options: DocumentResourceOptions<Id, Body, Shown, Param>) {
  const { collection, label, param, present, onChange = async () => {} } = options;
  const conflictMessage = options.conflictMessage ?? (() => `A ${label} with these values already exists`);
  const mergeChange =
    options.applyChange ?? ((before: Body, change: Partial<Body>): Body => ({ ...before, ...change }));
  type IdCall = AccountCall & { readonly params: Readonly<Record<Param, Id>> };

  async function presentOne(stored: StoredResource<Id, Body>): Promise<Shown> {
    const [shown] = await present([stored], stored.accountId);
    return requireFound(shown, `${label} ${stored.id}`);
  }
  async function find(accountId: string, id: Id): Promise<StoredResource<Id, Body>> {
    return requireFound(await collection.get(accountId, id), `${label} ${id}`);
  }
  /** Replaces the stored body by the result of `change`. If it throws a `Problem`, nothing is changed. */
  async function change(accountId: string, id: Id, changeBody: (before: Body) => Body): Promise<Shown> {
    let after: Body;
    const stored = await withConflictMessage(
      () => conflictMessage(after),
      () =>
        collection.change(accountId, id, (before) => {
          after = changeBody(before);
          return after;
        }),
    );
    const changed = requireFound(stored, `${label} ${id}`);
    await onChange(changed);
    return presentOne(changed);
  }

  return {
    find,
    presentOne,
    change,

    list: (call: PageCall) => listByPage(collection, call, present),

    async page({ accountId, query }: CursorCall) {
      const page = await collection.page(accountId, { limit: query.limit, after: query.nextId });
      return new Rows(
        presentRows(page, (stored) => present(stored, accountId)),
        page.nextId,
      );
    },

    async create({ accountId, endpoint, body }: CreateCall<Body>): Promise<Shown> {
      const created = await withConflictMessage(
        () => conflictMessage(body),
        () => collection.create(accountId, applyDefaults(endpoint, body)),
      );
      await onChange(created);
      return presentOne(created);
    },

    async get({ accountId, params }: IdCall): Promise<Shown> {
      return presentOne(await find(accountId, params[param]));
    },

    update: ({ accountId, params, body }: IdCall & { readonly body: Partial<Body> }): Promise<Shown> =>
      change(accountId, params[param], (before) => mergeChange(before, body)),

    async remove({ accountId, params }: IdCall): Promise<undefined> {
      const isDeleted = await collection.delete(accountId, params[param]);
      requireFound(isDeleted, `${label} ${params[param]}`);
    },
  };
}
