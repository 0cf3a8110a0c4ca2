/** Tests the behaviour that both databases share. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../../../src/service/store/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { accountContract } from './contract/accounts.ts';
import { checkLocationContract } from './contract/check-locations.ts';
import { checkContract } from './contract/checks.ts';
import { deploymentContract } from './contract/deployments.ts';
import { documentContract } from './contract/documents.ts';
import { incidentContract } from './contract/incidents.ts';
import { listContract } from './contract/lists.ts';
import { outboxContract } from './contract/outbox.ts';
import { transactionContract } from './contract/transactions.ts';
import { verifiedDomainContract } from './contract/verified-domains.ts';
import { type OpenFresh, testDependencies } from './harness.ts';

/** The fixture of each test: a store that contains only two accounts. */
export interface StoreFixture {
  readonly store: Store;
  readonly clock: ManualClock;
  /** The account under test, and another one that must not be affected. */
  readonly mine: string;
  readonly theirs: string;
}

export function storeContract(open: OpenFresh): void {
  const shared = testDependencies();
  let store: Store | undefined;
  let fixture: StoreFixture | undefined;
  beforeAll(async () => {
    store = await open(shared);
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    if (store === undefined) throw new Error('the store is not open');
    const mine = (await store.accounts.create('mine')).id;
    const theirs = (await store.accounts.create('theirs')).id;
    fixture = { store, clock: shared.clock, mine, theirs };
  });
  // Deleting an account deletes all of its data.
  afterEach(() => store?.db.deleteFrom('accounts').execute());

  const current = (): StoreFixture => {
    if (fixture === undefined) throw new Error('no fixture before the first test');
    return fixture;
  };
  documentContract(current);
  deploymentContract(current);
  checkContract(current);
  checkLocationContract(current);
  accountContract(current);
  incidentContract(current);
  listContract(current);
  outboxContract(current);
  transactionContract(current);
  verifiedDomainContract(current);
}
