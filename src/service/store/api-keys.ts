/** Stores API keys, and authenticates requests. */
import type { Selectable } from 'kysely';
import type { ApiKey } from './api-key-cache.ts';
import type { StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';
import { hashOf, makeSecret } from './secrets.ts';
import type { ResourceTables } from './tables/resources.ts';

export type { ApiKey } from './api-key-cache.ts';

/** The last use is recorded at most once in this time, so that most requests do not write. */
const USE_RECORDED_EVERY_MS = 60_000;

function keyFrom(row: Selectable<ResourceTables['api_keys']>): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    masked: row.masked,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

const byHash = prepareStatement((db, hash: string) =>
  db.selectFrom('api_keys').selectAll().where('hash', '=', hash),
);

export function apiKeys(context: StoreContext) {
  const { db, clock, random, apiKeyCache } = context;
  const isUseRecorded = ({ lastUsedAt }: ApiKey, now: number) =>
    lastUsedAt !== null && now - lastUsedAt < USE_RECORDED_EVERY_MS;

  async function read(hash: string): Promise<ApiKey | undefined> {
    const now = clock.now();
    const version = apiKeyCache?.version() ?? 0;
    const [row] = await byHash(context, hash);
    if (row === undefined) return undefined;
    const key = keyFrom(row);
    if (!isUseRecorded(key, now)) {
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', row.id).execute();
    }
    apiKeyCache?.add(hash, isUseRecorded(key, now) ? key : { ...key, lastUsedAt: now }, version);
    return key;
  }

  return {
    /** Creates a key. `secret` (`sk_…`) is returned only here. */
    async create(accountId: string, name: string): Promise<{ key: ApiKey; secret: string }> {
      const { raw, hash, masked } = makeSecret('sk_');
      const row = {
        id: random.uuid(),
        account_id: accountId,
        name,
        hash,
        masked,
        created_at: clock.now(),
        last_used_at: null,
      };
      await db.insertInto('api_keys').values(row).execute();
      return { key: keyFrom(row), secret: raw };
    },
    /** Returns the key with this secret, synchronously if it is cached, and records its use. */
    authenticate(secret: string): ApiKey | Promise<ApiKey | undefined> {
      const hash = hashOf(secret);
      const cached = apiKeyCache?.get(hash);
      return cached !== undefined && isUseRecorded(cached, clock.now()) ? cached : read(hash);
    },
    /** Returns the account's keys, oldest first. */
    async list(accountId: string): Promise<ApiKey[]> {
      const query = db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(keyFrom);
    },
    /** Deletes a key; false if it does not exist. */
    async delete(accountId: string, id: string): Promise<boolean> {
      apiKeyCache?.clear();
      const query = db.deleteFrom('api_keys').where('account_id', '=', accountId).where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
