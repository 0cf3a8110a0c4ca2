/** Provides shared dependencies and check bodies for the tests of the store. */
import { systemRandom } from '../../../src/base/random.ts';
import type { Store, StoreDependencies, TypedCheckBody } from '../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';

/** Opens an empty store, which the suite closes. */
export type OpenFresh = (dependencies: StoreDependencies) => Promise<Store>;

export function testDependencies(): { clock: ManualClock; random: typeof systemRandom } {
  return { clock: createManualClock(), random: systemRandom };
}

type DnsFields = Partial<(TypedCheckBody & { type: 'DNS' })['body']>;

/** Returns a DNS check with these fields. */
export function dnsCheck(fields: DnsFields = {}): TypedCheckBody {
  return {
    type: 'DNS',
    body: { name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '', ...fields },
  };
}
