/** Random topologies of checks: who depends on whom, groups and services, schedules, and what breaks when. */
import { type Chance, createRandom } from './chance.ts';

export const SECOND = 1000;

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface SimulatedCheck {
  readonly name: string;
  /** Indexes of earlier checks. */
  readonly dependsOn: readonly number[];
  readonly bundle: 'group' | 'service' | undefined;
  readonly periodMs: number;
  readonly phaseMs: number;
  readonly durationMs: number;
}

/** A root cause: these checks are broken by themselves, apart from their dependencies. */
export interface Cause extends Interval {
  readonly checks: readonly number[];
}

export interface Topology {
  readonly checks: readonly SimulatedCheck[];
  readonly causes: readonly Cause[];
  /** When this machine has no network. */
  readonly uplinkOutages: readonly Interval[];
  /** Whether every outage lasts longer than several periods. */
  readonly isCalm: boolean;
  readonly endsAt: number;
}

const WARM_UP = 60 * SECOND;
const ACTIVE = 560 * SECOND;
/** Nothing is broken at the end: everything is reported as recovered. */
const COOL_DOWN = 230 * SECOND;
export const MAX_PERIOD = 50 * SECOND;
export const MAX_DURATION = 5 * SECOND;

export function createTopology(seed: number): Topology {
  const chance = createRandom(seed);
  const checks = createChecks(chance);
  const isCalm = chance.isTrue(0.6);
  const causes = chance.isTrue(0.15) ? [] : createCauses(chance, checks, isCalm);
  return {
    checks,
    causes,
    uplinkOutages: createUplinkOutages(chance, causes),
    isCalm,
    endsAt: WARM_UP + ACTIVE + COOL_DOWN,
  };
}

function createChecks(chance: Chance): readonly SimulatedCheck[] {
  const [hasGroup, hasService] = [chance.isTrue(0.5), chance.isTrue(0.4)];
  return Array.from({ length: chance.between(2, 7) }, (_, index) => {
    const dependsOn =
      index > 0 && chance.isTrue(0.6)
        ? [...new Set([chance.between(0, index - 1), chance.between(0, index - 1)])]
        : [];
    const isBundled = dependsOn.length === 0 && chance.isTrue(0.6);
    const periodMs = chance.of([20, 30, 50]) * SECOND;
    return {
      name: `check ${index}`,
      dependsOn,
      bundle: !isBundled ? undefined : hasGroup ? 'group' : hasService ? 'service' : undefined,
      periodMs,
      phaseMs: chance.between(0, periodMs - 1),
      durationMs: chance.between(1, MAX_DURATION),
    };
  });
}

function createCauses(chance: Chance, checks: readonly SimulatedCheck[], isCalm: boolean): readonly Cause[] {
  const bundled = checks.flatMap(({ bundle }, index) => (bundle === undefined ? [] : [index]));
  return Array.from({ length: chance.between(1, isCalm ? 3 : 6) }, () => {
    const lasts = isCalm ? chance.between(150, 400) : chance.between(3, 60);
    const from = WARM_UP + chance.between(0, ACTIVE - lasts * SECOND);
    const isShared = bundled.length > 1 && chance.isTrue(0.3);
    return {
      checks: isShared ? bundled : [chance.between(0, checks.length - 1)],
      from,
      to: from + lasts * SECOND,
    };
  });
}

/** An alert that was decided before the network was lost may leave later: the two are kept apart. */
function createUplinkOutages(chance: Chance, causes: readonly Cause[]): readonly Interval[] {
  if (chance.isTrue(0.5)) return [];
  const from = WARM_UP + chance.between(0, ACTIVE - 200 * SECOND);
  const outage = { from, to: from + chance.between(5, 200) * SECOND };
  const isNear = causes.some(
    (cause) => outage.to > cause.from - 60 * SECOND && outage.from < cause.from + 95 * SECOND,
  );
  return isNear ? [] : [outage];
}

/** Returns whether an instant is in an interval. */
export const isWithin = (intervals: readonly Interval[], at: number): boolean =>
  intervals.some(({ from, to }) => from <= at && at < to);

/** Returns the direct and indirect dependencies of a check. */
export function dependenciesOf({ checks }: Topology, index: number): ReadonlySet<number> {
  const found = new Set<number>();
  const follow = (one: number) => {
    for (const other of checks[one]?.dependsOn ?? [])
      if (!found.has(other)) {
        found.add(other);
        follow(other);
      }
  };
  follow(index);
  return found;
}

/** Returns the outages of a check itself. */
export const ownOutages = ({ causes }: Topology, index: number): readonly Interval[] =>
  causes.filter((cause) => cause.checks.includes(index));

/** Returns whether a check finds its target broken: itself, or what it depends on. */
export const isBroken = (topology: Topology, index: number, at: number): boolean =>
  [index, ...dependenciesOf(topology, index)].some((one) => isWithin(ownOutages(topology, one), at));
