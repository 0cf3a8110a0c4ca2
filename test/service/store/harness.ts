/** What the store's tests share: how a suite opens stores, and bodies to put into them. */
import { systemRandom } from '../../../src/base/random.ts';
import type { Store, StoreDependencies, TypedCheckBody } from '../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';

/** Opens an empty store; the suite closes it. */
export type OpenFresh = (dependencies: StoreDependencies) => Promise<Store>;

export function dependencies(): { clock: ManualClock; random: typeof systemRandom } {
  return { clock: createManualClock(), random: systemRandom };
}

type DnsFields = Partial<(TypedCheckBody & { type: 'DNS' })['body']>;

/** A DNS check with these fields. */
export function dnsCheck(fields: DnsFields = {}): TypedCheckBody {
  return {
    type: 'DNS',
    body: { name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '', ...fields },
  };
}
