/**
 * Outages in random topologies: one message for each root cause, none missed, none for an outage of this machine's own
 * network, and every failure that no failing dependency explains is reported.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { systemRandom } from '../../../../../src/base/random.ts';
import { HOLD_MS } from '../../../../../src/service/notify/alerts/dependency-hold.ts';
import { BUNDLE_MS } from '../../../../../src/service/notify/alerts/send-bundle.ts';
import { openStore, type Store } from '../../../../../src/service/store/index.ts';
import { runs } from '../../../../support/sampled.ts';
import { createSimulator, type Simulation } from './simulate.ts';
import {
  createTopology,
  dependenciesOf,
  isWithin,
  MAX_DURATION,
  MAX_PERIOD,
  ownOutages,
  SECOND,
  type Topology,
} from './topology.ts';

const FULL = 100;
const STEP = Math.floor(FULL / runs(10, FULL));

let folder = '';
let store: Store;
let simulate: (topology: Topology) => Promise<Simulation>;
const time = { now: Date.UTC(2026, 10, 21, 8) };
beforeAll(async () => {
  const clock = { ...systemClock, now: () => time.now };
  folder = await mkdtemp(join(tmpdir(), 'sonde-topologies-'));
  store = await openStore({ path: join(folder, 'sonde.db') }, { clock, random: systemRandom });
  simulate = createSimulator(store, time);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const isFailure = (kind: string): boolean => kind === 'ALERT_FAILURE';

/** Returns the alerts of a check, in order. */
const alertsOf = ({ messages }: Simulation, check: number) =>
  messages.filter(({ checks }) => checks.includes(check));

/** A check alerts and recovers in turn, and has recovered in the end. */
function expectTurns(simulation: Simulation, check: number): void {
  const kinds = alertsOf(simulation, check).map(({ kind }) => kind);
  expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? 'ALERT_FAILURE' : 'ALERT_RECOVERY')));
  expect(kinds.length % 2).toBe(0);
}

/** No failure is reported while the last verdict of a dependency is a failure. */
function expectUnexplained(topology: Topology, simulation: Simulation, check: number): void {
  const dependencies = dependenciesOf(topology, check);
  for (const { at, kind } of alertsOf(simulation, check)) {
    if (!isFailure(kind)) continue;
    for (const dependency of dependencies) {
      const known = simulation.runs.filter((run) => run.check === dependency && run.endedAt <= at);
      expect(known.at(-1)?.isFailed ?? false).toBe(false);
    }
  }
}

/** If outages last, only a check that is broken itself is reported, and never for the network of this machine. */
function expectRoot(topology: Topology, simulation: Simulation, check: number): void {
  const latest = HOLD_MS + BUNDLE_MS + 2 * MAX_PERIOD + MAX_DURATION;
  for (const { at, kind } of alertsOf(simulation, check)) {
    if (!isFailure(kind)) continue;
    const isOwn = ownOutages(topology, check).some(({ from, to }) => from <= at && at <= to + latest);
    expect(isOwn).toBe(true);
  }
}

/** A check that is broken itself for long enough, while nothing explains it, is reported as failing. */
function expectReported(topology: Topology, simulation: Simulation, check: number): void {
  const dependencies = [...dependenciesOf(topology, check)];
  const own = topology.checks[check];
  if (own === undefined) return;
  const slowest = Math.max(...[check, ...dependencies].map((one) => topology.checks[one]?.periodMs ?? 0));
  // The old failure of a dependency ends with its next run, the failure is seen, and the alert waits.
  const needed =
    2 * (slowest + MAX_DURATION) +
    own.periodMs +
    (dependencies.length > 0 ? HOLD_MS : 0) +
    (own.bundle === undefined ? 0 : BUNDLE_MS) +
    5 * SECOND;
  let since: number | undefined;
  for (let at = 0; at < topology.endsAt; at += SECOND) {
    const isUnexplained =
      isWithin(ownOutages(topology, check), at) &&
      !dependencies.some((one) => isWithin(ownOutages(topology, one), at)) &&
      !isWithin(topology.uplinkOutages, at);
    since = isUnexplained ? (since ?? at) : undefined;
    if (since === undefined || at - since < needed) continue;
    const last = alertsOf(simulation, check).filter((alert) => alert.at <= at);
    expect(last.at(-1)?.kind).toBe('ALERT_FAILURE');
  }
}

it.each(Array.from({ length: Math.floor(FULL / STEP) }, (_, index) => index * STEP))(
  'topology %d',
  async (seed) => {
    const topology = createTopology(seed);
    const simulation = await simulate(topology);
    topology.checks.forEach((_, check) => {
      expectTurns(simulation, check);
      expectUnexplained(topology, simulation, check);
      if (!topology.isCalm) return;
      expectRoot(topology, simulation, check);
      expectReported(topology, simulation, check);
    });
    if (topology.causes.length === 0) expect(simulation.messages).toEqual([]);
    // A cause of all checks of a group has one message with all of them.
    const [cause, ...others] = topology.causes;
    if (!topology.isCalm || cause === undefined || others.length > 0 || topology.uplinkOutages.length > 0)
      return;
    expect(simulation.messages.map(({ kind, checks }) => [kind, checks])).toEqual([
      ['ALERT_FAILURE', cause.checks],
      ['ALERT_RECOVERY', cause.checks],
    ]);
  },
);
