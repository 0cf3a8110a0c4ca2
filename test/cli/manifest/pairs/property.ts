/** The property of pairs: applies that meet faults, and a last one, reach what the files declare, and nothing else changes. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonObject } from '../../../../src/base/object.ts';
import type { Manifest } from '../../../../src/cli/manifest/manifest.ts';
import type { Plan } from '../../../../src/cli/manifest/plan/create-plan.ts';
import { isProjectState } from '../../../../src/cli/manifest/state/project-state.ts';
import { createManualClock } from '../../../support/clock.ts';
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

/** More than most applies of pairs send. */
const MAX_REQUESTS = 40;
/** A store becomes slow with the rows of many accounts. */
const PAIRS_PER_SERVICE = 500;

/** Starts services for the tests of a file. Returns a function that checks pairs with faults of these kinds. */
export function usePairs(kinds: readonly FaultKind[]): (count: number) => Promise<void> {
  let services: readonly TestService[] = [];
  let turn = 0;
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
    fc.array(fault, { maxLength: 2 }),
    fc.boolean(),
    async (makePair, faults, hasOther) => {
      if (turn++ % PAIRS_PER_SERVICE === PAIRS_PER_SERVICE - 1) await close().then(open);
      const { before, after, other } = makePair(`v${turn}`);
      try {
        await checkPair({ before, after, ...(hasOther ? { other } : {}) }, faults, newAccount);
      } catch (error) {
        const entries = ({ entries: list }: Manifest) => list.map(({ formatLocation: _, ...entry }) => entry);
        const texts = { faults, before: entries(before), after: entries(after) };
        throw new Error(`${(error as Error).message}\n${JSON.stringify(texts)}`, { cause: error });
      }
    },
  );
  return (count) => fc.assert(property, { numRuns: count });
}

interface Manifests {
  readonly before: Manifest;
  readonly after: Manifest;
  readonly other?: Manifest;
}

async function checkPair(
  { before, after, other }: Manifests,
  faults: readonly Fault[],
  newAccount: (index: number) => Promise<Account>,
): Promise<void> {
  const [account, fresh] = [await newAccount(0), await newAccount(1)];
  for (const [path, body] of BY_HAND) await send(account, `POST /v1/${path}`, body);
  if (other) await apply(account, other);
  const foreign = rowsOf(await fetchState(account));
  await apply(account, before);
  for (const fault of faults) await apply(account, after, fault);
  await apply(account, after);

  expect(changesOf(await plan(account, after))).toEqual([]);
  const state = await fetchState(account);
  const rows = rowsOf(state);
  for (const [id, row] of foreign) expect(rows.get(id)).toBe(row);
  if (other) expect(changesOf(await plan(account, other))).toEqual([]);
  const states = state.snippets.filter(isProjectState).map(({ name }: JsonObject) => name);
  expect(states.filter((name) => name === 'sonde project shop').length).toBeLessThan(2);
  await apply(fresh, after);
  expect(describeState(state, new Set(foreign.keys()))).toEqual(describeState(await fetchState(fresh)));
}

const changesOf = ({ changes }: Plan): readonly unknown[] =>
  changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, section, key, fields }) => ({ action, section, key, fields }));
