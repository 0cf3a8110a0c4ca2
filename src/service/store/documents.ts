/** Stores resources that are read and written as a whole, in one repository for each table. Accounts see only their own. */
import {
  type Expression,
  type Generated,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type {
  BodyOf,
  createAlertChannel,
  createAutomationRule,
  createCheckGroup,
  createClientCertificate,
  createDashboard,
  createMaintenanceWindow,
  createPrivateLocation,
  createService,
  createSnippet,
  createStatusPage,
  createVariable,
  getIncident,
  ResponseOf,
} from '../../contract/index.ts';
import { projectOfSnippet } from '../../contract/project-state.ts';
import type { StoreContext } from './context.ts';
import {
  applySlice,
  cursorAfter,
  cursorPage,
  type Listing,
  type RowSize,
  readInChunks,
  type Slice,
} from './lists.ts';
import type { DocumentRow } from './tables/resources.ts';

/** A stored resource. Instants are ms since the epoch. */
export interface StoredResource<Id, Body> {
  readonly id: Id;
  readonly accountId: string;
  readonly body: Body;
  readonly createdAt: number;
  /** Null if never changed. */
  readonly updatedAt: number | null;
}

/** Without `subscriptions`, which have their own table. */
export type AlertChannelBody = Omit<BodyOf<typeof createAlertChannel>, 'subscriptions'>;
/** All fields that the API accepts, except alertChannelSubscriptions, which have their own table. */
export type CheckGroupBody = BodyOf<typeof createCheckGroup>;
export type SnippetBody = BodyOf<typeof createSnippet>;
export type VariableBody = BodyOf<typeof createVariable>;
export type DashboardBody = BodyOf<typeof createDashboard>;
export type PrivateLocationBody = BodyOf<typeof createPrivateLocation>;
export type ServiceBody = BodyOf<typeof createService>;
export type MaintenanceWindowBody = BodyOf<typeof createMaintenanceWindow>;

type RequestedCard = BodyOf<typeof createStatusPage>['cards'][number];
/** A card of a status page, with the fields that the service adds. */
export interface StatusPageCard extends Omit<RequestedCard, 'id' | 'statusPageId' | 'services'> {
  readonly id: string;
  readonly services: readonly { readonly id: string }[];
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
/** The request body of the page, with IDs and timestamps in its cards. */
export type StatusPageBody = Omit<BodyOf<typeof createStatusPage>, 'cards'> & {
  readonly cards: readonly StatusPageCard[];
};

/** The private key is stored without a passphrase. */
export type ClientCertificateBody = Omit<BodyOf<typeof createClientCertificate>, 'passphrase'>;

type Incident = ResponseOf<typeof getIncident>;
/** The incident with its updates, newest first, and the IDs of its services. */
export type IncidentBody = Pick<Incident, 'name' | 'severity' | 'lastUpdateStatus' | 'incidentUpdates'> & {
  readonly services: readonly { readonly id: string }[];
  /** Oldest first. Readers saw them, so that they stay in the history. */
  readonly deletedUpdates?: readonly DeletedUpdate[];
};

/** A change of an incident's status that no update shows any more. */
export interface DeletedUpdate {
  readonly status: IncidentBody['lastUpdateStatus'];
  /** In ms since the epoch. */
  readonly at: number;
  /** The next older update; null: there is none. */
  readonly after: string | null;
}

/** The `componentId` of a component is the ID of a service. */
export type AutomationRuleBody = Required<BodyOf<typeof createAutomationRule>>;

export type AlertChannelRecord = StoredResource<number, AlertChannelBody>;
export type CheckGroupRecord = StoredResource<number, CheckGroupBody>;
export type PrivateLocationRecord = StoredResource<string, PrivateLocationBody>;
export type DashboardRecord = StoredResource<string, DashboardBody>;
export type ServiceRecord = StoredResource<string, ServiceBody>;
export type StatusPageRecord = StoredResource<string, StatusPageBody>;
export type IncidentRecord = StoredResource<string, IncidentBody>;
export type AutomationRuleRecord = StoredResource<string, AutomationRuleBody>;
export type MaintenanceWindowRecord = StoredResource<number, MaintenanceWindowBody>;

interface CollectionOptions<Id, Body> {
  readonly table: string;
  /** Kind of the key: numbered by the database, or a UUID from the service. */
  readonly ids: 'number' | 'uuid';
  /** Returns the value that must be unique within the account, if any. */
  readonly uniqueKey?: (body: Body) => string | null | undefined;
  /** Returns additional columns from the body. */
  readonly columns?: (body: Body) => Readonly<Record<string, string | number | null>>;
  /** Runs in the transaction of each write. */
  readonly onWrite?: (
    tx: StoreContext,
    written: StoredResource<Id, Body>,
    kind: 'create' | 'replace' | 'delete',
  ) => Promise<void>;
}

export interface Collection<Id extends string | number, Body, Stored = StoredResource<Id, Body>> {
  /** @throws StoreConflict if the unique value is taken. */
  create(accountId: string, body: Body): Promise<Stored>;
  /** Returns a resource; undefined if the account has no such resource. */
  get(accountId: string, id: Id): Promise<Stored | undefined>;
  /** Returns the resource with this unique value. */
  byKey(accountId: string, key: string): Promise<Stored | undefined>;
  /** Returns the account's resources with these IDs, in any order. */
  byIds(accountId: string, ids: readonly Id[]): Promise<Stored[]>;
  /** Replaces a resource; undefined if the account has no such resource. @throws StoreConflict if the unique value is taken. */
  replace(accountId: string, id: Id, body: Body): Promise<Stored | undefined>;
  /** Reads, changes and writes in one transaction; undefined if the account has no such resource. */
  change(accountId: string, id: Id, change: (body: Body) => Body): Promise<Stored | undefined>;
  /** Deletes a resource; false if it does not exist. @throws StoreConflict if it is referenced. */
  delete(accountId: string, id: Id): Promise<boolean>;
  /** Returns a slice of the resources, newest first. */
  list(accountId: string, slice?: Slice): Promise<Stored[]>;
  /** Lists a slice of the resources, newest first, read in chunks. */
  listing(
    accountId: string,
    slice: Slice,
    conditions?: readonly Expression<SqlBool>[],
  ): Promise<Listing<Stored>>;
  /** Lists a page after a cursor, newest first. @throws UnknownCursor */
  page(accountId: string, part: { limit: number; after?: string | undefined }): Promise<Listing<Stored>>;
  /** Returns the resources whose JSON contains a text, oldest first. */
  findByText(accountId: string, text: string): Promise<Stored[]>;
  count(accountId: string): Promise<number>;
}

/** The columns that all these tables share. */
type Row = DocumentRow<Generated<string | number>>;

export function resourceFrom<Id extends string | number, Body>(
  row: Omit<Selectable<Row>, 'unique_key'>,
): StoredResource<Id, Body> {
  return {
    id: row.id as Id,
    accountId: row.account_id,
    body: JSON.parse(row.body) as Body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns a `like` pattern for texts that contain `text`. `%` and `_` are escaped with a backslash. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
/** Returns a condition: the JSON of a resource contains a text. SQLite ignores case. */
export const bodyContains = (text: string) => sql<SqlBool>`body like ${likePattern(text)} escape '\\'`;

/** Returns whether an ID fits the key column: Postgres rejects numbers that are too large. */
export const isValidId = (id: string | number): boolean => typeof id === 'string' || Number.isSafeInteger(id);

export function collection<Id extends string | number, Body>(
  context: StoreContext,
  options: CollectionOptions<Id, Body>,
): Collection<Id, Body> {
  type Stored = StoredResource<Id, Body>;
  const { onWrite } = options;
  // All these tables have the columns of a document.
  const table = options.table as 'documents';
  const dbOf = ({ db }: StoreContext) => db as unknown as Kysely<{ documents: Row }>;
  const db = dbOf(context);
  const toResource = (row: Selectable<Row>) => resourceFrom<Id, Body>(row);
  const columnsOf = (body: Body) => ({
    ...(options.uniqueKey && { unique_key: options.uniqueKey(body) ?? null }),
    body: JSON.stringify(body),
    ...options.columns?.(body),
  });
  const owned = (accountId: string, tx = context) =>
    dbOf(tx).selectFrom(table).selectAll().where('account_id', '=', accountId);
  const newestFirst = (accountId: string) =>
    owned(accountId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const selectSizes = (accountId: string) =>
    newestFirst(accountId)
      .clearSelect()
      .select(['id', 'created_at', sql<number>`octet_length(body)`.as('bytes')]);
  const read = (accountId: string, sizes: readonly RowSize<string | number>[]) =>
    readInChunks(sizes, async (ids) =>
      (await newestFirst(accountId).where('id', 'in', ids).execute()).map(toResource),
    );
  /** Runs a write, with `onWrite` in one transaction. */
  const write = <T extends Stored | undefined>(
    kind: 'create' | 'replace' | 'delete',
    run: (tx: StoreContext) => Promise<T>,
  ): Promise<T> => {
    if (onWrite === undefined) return run(context);
    return context.atomically(async (tx) => {
      const written = await run(tx);
      if (written !== undefined) await onWrite(tx, written, kind);
      return written;
    });
  };

  async function replace(tx: StoreContext, accountId: string, id: Id, body: Body) {
    const query = dbOf(tx)
      .updateTable(table)
      .set({ ...columnsOf(body), updated_at: context.clock.now() })
      .where('account_id', '=', accountId)
      .where('id', '=', id);
    const row = await query.returningAll().executeTakeFirst();
    return row && toResource(row);
  }

  return {
    create: (accountId, body) =>
      write('create', async (tx) => {
        const row = {
          ...(options.ids === 'uuid' ? { id: context.random.uuid() } : {}),
          account_id: accountId,
          ...columnsOf(body),
          created_at: context.clock.now(),
          updated_at: null,
        };
        const query = dbOf(tx)
          .insertInto(table)
          .values(row as Insertable<Row>);
        return toResource(await query.returningAll().executeTakeFirstOrThrow());
      }),
    async get(accountId, id) {
      if (!isValidId(id)) return undefined;
      const row = await owned(accountId).where('id', '=', id).executeTakeFirst();
      return row && toResource(row);
    },
    async byKey(accountId, key) {
      const row = await owned(accountId).where('unique_key', '=', key).executeTakeFirst();
      return row && toResource(row);
    },
    async byIds(accountId, ids) {
      const validIds = ids.filter(isValidId);
      if (validIds.length === 0) return [];
      return (await owned(accountId).where('id', 'in', validIds).execute()).map(toResource);
    },
    replace: async (accountId, id, body) =>
      isValidId(id) ? write('replace', (tx) => replace(tx, accountId, id, body)) : undefined,
    async change(accountId, id, change) {
      if (!isValidId(id)) return undefined;
      return context.atomically(async (tx) => {
        const query = owned(accountId, tx).where('id', '=', id);
        // SQLite has a single writer and needs no lock.
        const row = await (context.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
        const changed = row && (await replace(tx, accountId, id, change(toResource(row).body)));
        if (changed !== undefined) await onWrite?.(tx, changed, 'replace');
        return changed;
      });
    },
    async delete(accountId, id) {
      if (!isValidId(id)) return false;
      const deleted = await write('delete', async (tx) => {
        const query = dbOf(tx).deleteFrom(table).where('account_id', '=', accountId).where('id', '=', id);
        const row = await query.returningAll().executeTakeFirst();
        return row && toResource(row);
      });
      return deleted !== undefined;
    },
    async list(accountId, slice = {}) {
      return (await applySlice(newestFirst(accountId), slice).execute()).map(toResource);
    },
    async listing(accountId, slice, conditions = []) {
      const all = conditions.reduce((query, condition) => query.where(condition), selectSizes(accountId));
      const sizes = await applySlice(all, slice).execute();
      return { length: sizes.length, nextId: null, chunks: read(accountId, sizes) };
    },
    async page(accountId, { limit, after }) {
      const all = selectSizes(accountId).limit(limit + 1);
      const query = after === undefined ? all : all.where(cursorAfter(after, 'created_at', options.ids));
      const { rows, nextId } = cursorPage(await query.execute(), limit, 'created_at');
      return { length: rows.length, nextId, chunks: read(accountId, rows) };
    },
    async findByText(accountId, text) {
      const query = owned(accountId).where(bodyContains(text));
      return (await query.orderBy('created_at').orderBy('id').execute()).map(toResource);
    },
    async count(accountId) {
      const query = db.selectFrom(table).select((to) => to.fn.countAll<number>().as('count'));
      return (await query.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
  };
}

export const alertChannels = (context: StoreContext) =>
  collection<number, AlertChannelBody>(context, { table: 'alert_channels', ids: 'number' });
export const snippets = (context: StoreContext) =>
  collection<number, SnippetBody>(context, {
    table: 'snippets',
    ids: 'number',
    uniqueKey: ({ name }) => (projectOfSnippet(name) === undefined ? null : name),
  });
export const clientCertificates = (context: StoreContext) =>
  collection<string, ClientCertificateBody>(context, { table: 'client_certificates', ids: 'uuid' });
export const services = (context: StoreContext) =>
  collection<string, ServiceBody>(context, { table: 'status_page_services', ids: 'uuid' });
export const variables = (context: StoreContext) =>
  collection<string, VariableBody>(context, {
    table: 'variables',
    ids: 'uuid',
    uniqueKey: ({ key }) => key,
  });
interface GroupFilter extends Slice {
  readonly names?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Stores check groups, and the tags that the checks of a group inherit. */
export function checkGroups(context: StoreContext) {
  const groups = collection<number, CheckGroupBody>(context, {
    table: 'check_groups',
    ids: 'number',
    columns: ({ activated }) => ({ activated: activated === false ? 0 : 1 }),
    async onWrite({ db }, { id, accountId, body }, kind) {
      if (kind === 'delete') return;
      await db.deleteFrom('check_group_tags').where('group_id', '=', id).execute();
      const rows = [...new Set(body.tags)].map((tag) => ({ group_id: id, account_id: accountId, tag }));
      if (rows.length > 0) await db.insertInto('check_group_tags').values(rows).execute();
    },
  });
  const name = context.dialect === 'postgres' ? sql`body::json ->> 'name'` : sql`body ->> '$.name'`;
  return {
    ...groups,
    /** Lists the groups with one of the names and any of the tags. An empty list selects all. */
    matching: (accountId: string, { names = [], tags = [], ...slice }: GroupFilter) =>
      groups.listing(accountId, slice, [
        ...(names.length === 0 ? [] : [sql<SqlBool>`${name} in (${sql.join(names)})`]),
        ...(tags.length === 0
          ? []
          : [
              sql<SqlBool>`id in (select group_id from check_group_tags
                where account_id = ${accountId} and tag in (${sql.join(tags)}))`,
            ]),
      ]),
  };
}
