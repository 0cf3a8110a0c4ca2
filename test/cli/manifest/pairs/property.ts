/** The property of pairs: applies that meet faults, and a last one, reach what the files declare, and nothing else changes. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonObject } from '../../../../src/base/object.ts';
import type { Manifest } from '../../../../src/cli/manifest/manifest.ts';
import type { Plan } from '../../../../src/cli/manifest/plan/create-plan.ts';
import { isProjectState } from '../../../../src/cli/manifest/state/project-state.ts';
import { createManualClock } from '../../../support/clock.ts';
import { runs } from '../../../support/sampled.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import type { Fault, FaultKind } from './faulty-connection.ts';
import { pairs } from './pair.ts';
import { type Account, apply, closeConnections, describeState, fetchState, plan, rowsOf } from './world.ts';

/** Resources made by hand; two have the names of entries, with another type. */
const BY_HAND: readonly (readonly [path: string, body: object])[] = [
  ['checks/tcp?autoAssignAlerts=false', { name: 'n0', request: { hostname: 'shop.test', port: 443 } }],
  ['alert-channels', { type: 'EMAIL', config: { address: 'n0' } }],
  ['check-groups?autoAssignAlerts=false', { name: 'by hand' }],
];

/** Requests in batches as the service offers them, in small batches, and one by one. */
const BATCH_LIMITS = [undefined, '3', '0'];
/** The last request that may meet a fault: as many as most applies of pairs send. */
const MAX_REQUESTS = 16;
/** A store becomes slow with the rows of many accounts. */
const PAIRS_PER_SERVICE = 500;

const COUNT = runs(50, 150);
/** Every nth pair is also applied to a new account, which must then hold the same. */
const FRESH_STEP = 4;

/** Starts services for the tests of a file. Returns a function that checks pairs with faults of these kinds. */
export function usePairs(kinds: readonly FaultKind[]): () => Promise<void> {
  let services: readonly TestService[] = [];
  let turn = 0;
  /** How many applies met each kind of fault. */
  const met: Partial<Record<FaultKind, number>> = {};
  const close = () => Promise.all(services.map((service) => service.close()));
  const open = async () => {
    // Checks never become due on this clock.
    services = await Promise.all([0, 1].map(() => startTestService({ clock: createManualClock() })));
  };
  beforeAll(open);
  afterAll(async () => {
    await close();
    await closeConnections();
  });
  const newAccount = async (index: number): Promise<Account> => {
    const service = services[index] as TestService;
    return { ...service, ...(await service.newAccount()) };
  };

  const fault: fc.Arbitrary<Fault> = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.nat(MAX_REQUESTS),
  });
  const property = fc.asyncProperty(
    pairs,
    fc.record({ before: fc.option(fault, { nil: undefined }), after: fc.array(fault, { maxLength: 2 }) }),
    fc.boolean(),
    fc.constantFrom(...BATCH_LIMITS),
    async (makePair, faults, hasOther, batchLimit) => {
      if (turn++ % PAIRS_PER_SERVICE === PAIRS_PER_SERVICE - 1) await close().then(open);
      const { before, after, other } = makePair(`v${turn}`);
      const fresh = turn % FRESH_STEP === 0 ? await newAccount(1) : undefined;
      try {
        const account = { ...(await newAccount(0)), batchLimit };
        const manifests = { before, after, ...(hasOther ? { other } : {}) };
        await checkPair(manifests, faults, account, fresh, ({ kind }) => {
          met[kind] = (met[kind] ?? 0) + 1;
        });
      } catch (error) {
        const entries = ({ entries: list }: Manifest) => list.map(({ formatLocation: _, ...entry }) => entry);
        const texts = { faults, batchLimit, before: entries(before), after: entries(after) };
        throw new Error(`${(error as Error).message}\n${JSON.stringify(texts)}`, { cause: error });
      }
    },
  );
  return async () => {
    await fc.assert(property, { numRuns: COUNT });
    // A fault that no apply met is not tested.
    expect(Object.keys(met).sort()).toEqual([...kinds].sort());
  };
}

/** The files may change before an apply that failed is repeated. */
interface Faults {
  readonly before: Fault | undefined;
  readonly after: readonly Fault[];
}

interface Manifests {
  readonly before: Manifest;
  readonly after: Manifest;
  readonly other?: Manifest;
}

async function checkPair(
  { before, after, other }: Manifests,
  faults: Faults,
  account: Account,
  fresh: Account | undefined,
  onFault: (fault: Fault) => void,
): Promise<void> {
  for (const [path, body] of BY_HAND) await send(account, `POST /v1/${path}`, body);
  if (other) await apply(account, other);
  const foreign = rowsOf(await fetchState(account));
  const applyWith = async (manifest: Manifest, fault: Fault | undefined): Promise<void> => {
    const outcome = await apply(account, manifest, fault);
    if (fault !== undefined && outcome !== 'done') onFault(fault);
  };
  await applyWith(before, faults.before);
  for (const fault of faults.after) await applyWith(after, fault);
  await apply(account, after);

  expect(changesOf(await plan(account, after))).toEqual([]);
  const state = await fetchState(account);
  const rows = rowsOf(state);
  for (const [id, row] of foreign) expect(rows.get(id)).toBe(row);
  if (other) expect(changesOf(await plan(account, other))).toEqual([]);
  const states = state.snippets.filter(isProjectState).map(({ name }: JsonObject) => name);
  expect(states.filter((name) => name === 'sonde project shop').length).toBeLessThan(2);
  if (fresh === undefined) return;
  await apply(fresh, after);
  expect(describeState(state, new Set(foreign.keys()))).toEqual(describeState(await fetchState(fresh)));
}

const changesOf = ({ changes }: Plan): readonly unknown[] =>
  changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, section, key, fields }) => ({ action, section, key, fields }));
