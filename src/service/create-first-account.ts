/** Creates the first account and its API key in an empty store. */
import type { Store } from './store/index.ts';

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
