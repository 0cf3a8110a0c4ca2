/** What a store that nobody has used yet is given: an account, and the API key to reach it with. */
import type { Store } from './store/index.ts';

/** The key itself is told once, here; the store keeps only its hash. */
export interface FirstStart {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Makes the first account and its key together, where there is no account; else undefined. */
export function firstStart(store: Store): Promise<FirstStart | undefined> {
  return store.transaction(async (tx) => {
    const accounts = await tx.accounts.list();
    if (accounts.length > 0) return undefined;
    const account = await tx.accounts.create('local');
    const { secret } = await tx.keys.create(account.id, 'first key');
    return { accountId: account.id, apiKey: secret };
  });
}
