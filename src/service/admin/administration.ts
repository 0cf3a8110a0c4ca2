/** Keys and backups of a store, the same for a service that runs and for one that does not. */
import { UsageError } from '../../base/errors.ts';
import type { Store } from '../store/index.ts';

/** A key as lists show it; its secret is nowhere. */
export interface KeyShown {
  readonly id: string;
  readonly account: string;
  readonly accountId: string;
  readonly name: string;
  /** Its first characters, to know it by. */
  readonly key: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** To the minute; null: never. */
  readonly lastUsedAt: string | null;
}

/** A key that was just made: the only time that its secret is told. */
export interface KeyMade extends KeyShown {
  readonly secret: string;
}

export interface Administration {
  /** The keys of all accounts, the oldest first. */
  listKeys(): Promise<KeyShown[]>;
  /** @throws UsageError where there are several accounts and none is named, or no such account. */
  createKey(name: string, accountId: string | undefined): Promise<KeyMade>;
  /** @throws UsageError where there is no such key. */
  revokeKey(id: string): Promise<KeyShown>;
  /** Writes the store as it is now into a new file (0600). @throws UsageError where it is there already. */
  backup(file: string): Promise<void>;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export function administrationOf(store: Store): Administration {
  async function listKeys(): Promise<KeyShown[]> {
    const found: KeyShown[] = [];
    for (const { id: accountId, name: account } of await store.accounts.list()) {
      for (const { id, name, masked, createdAt, lastUsedAt } of await store.keys.list(accountId)) {
        found.push({
          ...{ id, account, accountId, name, key: masked, createdAt: iso(createdAt) },
          lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
        });
      }
    }
    return found;
  }

  async function accountFor(accountId: string | undefined) {
    const accounts = await store.accounts.list();
    const [only, ...others] = accounts;
    const found = accountId === undefined ? only : accounts.find(({ id }) => id === accountId);
    if (found === undefined) {
      throw new UsageError(
        accountId === undefined ? 'the service has no account yet' : `account ${accountId} not found`,
        { hint: 'the first start of the service creates an account: sonde service start' },
      );
    }
    if (accountId === undefined && others.length > 0) {
      throw new UsageError('the service has several accounts', {
        hint: `choose one with --account: ${accounts.map(({ id }) => id).join(', ')}`,
      });
    }
    return found;
  }

  return {
    listKeys,
    async createKey(name, accountId) {
      const account = await accountFor(accountId);
      const { key, secret } = await store.keys.create(account.id, name);
      return {
        ...{ id: key.id, account: account.name, accountId: account.id, name, key: key.masked },
        ...{ createdAt: iso(key.createdAt), lastUsedAt: null, secret },
      };
    },
    async revokeKey(id) {
      const key = (await listKeys()).find((one) => one.id === id);
      if (key === undefined || !(await store.keys.delete(key.accountId, id))) {
        throw new UsageError(`key ${id} not found`, { hint: 'list the keys with: sonde service keys' });
      }
      return key;
    },
    backup: (file) => store.backup(file),
  };
}
