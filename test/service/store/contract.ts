/** What a store does, whatever database is underneath. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../../../src/service/store/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { checkContract } from './contract/checks.ts';
import { documentContract } from './contract/documents.ts';
import { doorContract } from './contract/doors.ts';
import { listContract } from './contract/lists.ts';
import { outboxContract } from './contract/outbox.ts';
import { transactionContract } from './contract/transactions.ts';
import { dependencies, type OpenFresh } from './harness.ts';

/** What each test finds: a store with nothing in it but two accounts. */
export interface Scene {
  readonly store: Store;
  readonly clock: ManualClock;
  /** The account that acts, and one that must not notice. */
  readonly mine: string;
  readonly theirs: string;
}

export function storeContract(open: OpenFresh): void {
  const handed = dependencies();
  let store: Store | undefined;
  let scene: Scene | undefined;
  beforeAll(async () => {
    store = await open(handed);
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    if (store === undefined) throw new Error('the store is not open');
    const mine = (await store.accounts.create('mine')).id;
    const theirs = (await store.accounts.create('theirs')).id;
    scene = { store, clock: handed.clock, mine, theirs };
  });
  // Everything belongs to an account and goes with it.
  afterEach(() => store?.db.deleteFrom('accounts').execute());

  const current = (): Scene => {
    if (scene === undefined) throw new Error('no scene before the first test');
    return scene;
  };
  documentContract(current);
  checkContract(current);
  doorContract(current);
  listContract(current);
  outboxContract(current);
  transactionContract(current);
}
