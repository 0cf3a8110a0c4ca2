/** Manages keys and backups of a store, whether or not the service runs. */
import { UsageError } from '../../base/errors.ts';
import { toFileError } from '../../base/file-fault.ts';
import type { ApiKey, Store } from '../store/index.ts';

/** A key without its secret, as lists show it. */
export interface KeyInfo {
  readonly id: string;
  readonly account: string;
  readonly accountId: string;
  readonly name: string;
  /** Its first characters. */
  readonly key: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Rounded to the minute; null: never used. */
  readonly lastUsedAt: string | null;
}

/** A new key: the only time its secret is available. */
export interface CreatedKey extends KeyInfo {
  readonly secret: string;
}

export type Administration = ReturnType<typeof createAdministration>;

const iso = (ms: number): string => new Date(ms).toISOString();

const toKeyInfo = (
  { id, accountId, name, masked, createdAt, lastUsedAt }: ApiKey,
  account: string,
): KeyInfo => ({
  id,
  account,
  accountId,
  name,
  key: masked,
  createdAt: iso(createdAt),
  lastUsedAt: lastUsedAt === null ? null : iso(lastUsedAt),
});

/** Returns the error of a backup that cannot be written to a file, with its reason; other errors unchanged. */
export const toBackupError = (file: string, error: unknown): unknown =>
  toFileError(
    `write the backup ${file}`,
    error,
    'write it to a folder that exists, is writable and has space',
  );

export function createAdministration(store: Store) {
  /** Lists the keys of all accounts, oldest first. */
  async function listKeys(): Promise<KeyInfo[]> {
    const keys: KeyInfo[] = [];
    for (const { id: accountId, name: account } of await store.accounts.list()) {
      for (const key of await store.keys.list(accountId)) keys.push(toKeyInfo(key, account));
    }
    return keys;
  }

  async function resolveAccount(accountId: string | undefined) {
    const accounts = await store.accounts.list();
    const [only, ...others] = accounts;
    const account = accountId === undefined ? only : accounts.find(({ id }) => id === accountId);
    if (account === undefined) {
      throw new UsageError(
        accountId === undefined ? 'the service has no account yet' : `account ${accountId} not found`,
        {
          hint:
            accounts.length === 0
              ? 'the first start of the service creates an account: sonde service start'
              : `this service has: ${accounts.map(({ id }) => id).join(', ')}`,
        },
      );
    }
    if (accountId === undefined && others.length > 0) {
      throw new UsageError('the service has several accounts', {
        hint: `choose one with --account: ${accounts.map(({ id }) => id).join(', ')}`,
      });
    }
    return account;
  }

  return {
    listKeys,
    /** @throws UsageError if the account does not exist, or none is named and there are several. */
    async createKey(name: string, accountId: string | undefined): Promise<CreatedKey> {
      const account = await resolveAccount(accountId);
      const { key, secret } = await store.keys.create(account.id, name);
      return { ...toKeyInfo(key, account.name), secret };
    },
    /** @throws UsageError if the key does not exist. */
    async revokeKey(id: string): Promise<KeyInfo> {
      const key = (await listKeys()).find((each) => each.id === id);
      if (key === undefined || !(await store.keys.delete(key.accountId, id))) {
        throw new UsageError(`key ${id} not found`, { hint: 'list the keys with: sonde service keys' });
      }
      return key;
    },
    /**
     * Writes a snapshot of the store to a new file (0600), the start of the backup `file`, which messages name.
     * @throws UsageError if the new file exists or cannot be written.
     */
    async backup(to: string, file: string): Promise<void> {
      try {
        await store.backup(to);
      } catch (error) {
        throw toBackupError(file, error);
      }
    },
  };
}

/** The only copy of the key: the store has only its hash. */
export interface FirstAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Creates the first account and its key in one transaction. Returns undefined if an account exists. */
export function createFirstAccount(store: Store): Promise<FirstAccount | undefined> {
  return store.transaction(async (tx) => {
    const accounts = await tx.accounts.list();
    if (accounts.length > 0) return undefined;
    const account = await tx.accounts.create('local');
    const { secret } = await tx.keys.create(account.id, 'first key');
    return { accountId: account.id, apiKey: secret };
  });
}
