/** Stores accounts, the settings that apply to all checks of an account, and API keys, which authenticate requests. */
import type { Selectable } from 'kysely';
import type { getAccountAlertSettings, ResponseOf } from '../../contract/index.ts';
import type { StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';
import type { ApiKey } from './secrets.ts';
import { hashOf, makeSecret } from './secrets.ts';
import type { ResourceTables } from './tables/resources.ts';

export type AccountAlertSettings = ResponseOf<typeof getAccountAlertSettings>;

export type Account = ReturnType<typeof accountFrom>;

const accountFrom = (row: Selectable<ResourceTables['accounts']>) => ({
  id: row.id,
  name: row.name,
  /** Undefined if never set: the defaults apply. */
  alertSettings:
    row.alert_settings === null ? undefined : (JSON.parse(row.alert_settings) as AccountAlertSettings),
  /** Whether the output of scripts is masked where it looks like a secret. */
  detectsSecrets: row.detects_secrets === 1,
  /** Whether everyone may see the badges of its checks and groups. */
  hasPublicBadges: row.public_badges === 1,
  createdAt: row.created_at,
});

export function accounts({ db, clock, random }: StoreContext) {
  const updateAccount = (id: string) => db.updateTable('accounts').where('id', '=', id);
  return {
    async create(name: string): Promise<Account> {
      const row = {
        id: random.uuid(),
        name,
        alert_settings: null,
        detects_secrets: 0,
        created_at: clock.now(),
      };
      await db.insertInto('accounts').values(row).execute();
      return accountFrom({ ...row, public_badges: 0 });
    },
    async get(id: string): Promise<Account | undefined> {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && accountFrom(row);
    },
    /** Returns all accounts, oldest first. */
    async list(): Promise<Account[]> {
      const query = db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id');
      return (await query.execute()).map(accountFrom);
    },
    async setSecretDetection(id: string, isOn: boolean): Promise<void> {
      await updateAccount(id)
        .set({ detects_secrets: isOn ? 1 : 0 })
        .execute();
    },
    async setPublicBadges(id: string, isOn: boolean): Promise<void> {
      await updateAccount(id)
        .set({ public_badges: isOn ? 1 : 0 })
        .execute();
    },
    async setAlertSettings(id: string, settings: AccountAlertSettings): Promise<void> {
      await updateAccount(id)
        .set({ alert_settings: JSON.stringify(settings) })
        .execute();
    },
  };
}

/** The last use is recorded at most once in this time, so that most requests do not write. */
const USE_RECORDED_EVERY_MS = 60_000;

const KEY_COLUMNS = [
  'id',
  'account_id as accountId',
  'name',
  'masked',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const;

const byHash = prepareStatement((db, hash: string) =>
  db.selectFrom('api_keys').select(KEY_COLUMNS).where('hash', '=', hash),
);

export function apiKeys(context: StoreContext) {
  const { db, clock, random, apiKeyCache } = context;
  const isUseRecorded = ({ lastUsedAt }: ApiKey, now: number) =>
    lastUsedAt !== null && now - lastUsedAt < USE_RECORDED_EVERY_MS;

  async function read(hash: string): Promise<ApiKey | undefined> {
    const now = clock.now();
    const version = apiKeyCache?.version() ?? 0;
    const [key] = await byHash(context, hash);
    if (key === undefined) return undefined;
    if (!isUseRecorded(key, now))
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', key.id).execute();
    apiKeyCache?.add(hash, isUseRecorded(key, now) ? key : { ...key, lastUsedAt: now }, version);
    return key;
  }

  return {
    /** Creates a key. `secret` (`sk_…`) is returned only here. */
    async create(accountId: string, name: string): Promise<{ key: ApiKey; secret: string }> {
      const { raw, hash, masked } = makeSecret('sk_');
      const row = { id: random.uuid(), account_id: accountId, name, hash, masked, created_at: clock.now() };
      const query = db.insertInto('api_keys').values({ ...row, last_used_at: null });
      return { key: await query.returning(KEY_COLUMNS).executeTakeFirstOrThrow(), secret: raw };
    },
    /** Returns the key with this secret, synchronously if it is cached, and records its use. */
    authenticate(secret: string): ApiKey | Promise<ApiKey | undefined> {
      const hash = hashOf(secret);
      const cached = apiKeyCache?.get(hash);
      return cached !== undefined && isUseRecorded(cached, clock.now()) ? cached : read(hash);
    },
    /** Returns the account's keys, oldest first. */
    list: (accountId: string): Promise<ApiKey[]> =>
      db
        .selectFrom('api_keys')
        .select(KEY_COLUMNS)
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    /** Deletes a key; false if it does not exist. */
    async delete(accountId: string, id: string): Promise<boolean> {
      apiKeyCache?.clear();
      const query = db.deleteFrom('api_keys').where('account_id', '=', accountId).where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
