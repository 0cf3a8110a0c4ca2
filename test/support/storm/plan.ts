/** What one run of a storm is: a command, the sessions it waits for, and what befalls it. Drawn from a seed alone. */
import fc from 'fast-check';
import {
  CONNECTION_FAULTS,
  type Fault,
  type FaultName,
  REQUEST_FAULTS,
  TLS_FAULTS,
} from '../fault-proxy/faults.ts';
import type { Schedule } from '../fault-proxy/proxy.ts';
import { DELAYS, type Delay, type Truth } from './arena.ts';

const COMMANDS = ['sessions wait', 'checks run', 'test-sessions wait'] as const;
export type GateCommand = (typeof COMMANDS)[number];

/** A session that the gate waits for: how it ends, and how many ms after its start; ended already where that is left out. */
export interface Subject {
  readonly truth: Truth;
  readonly after?: Delay | undefined;
}

export interface Plan {
  /** The seed that draws this very plan. */
  readonly seed: number;
  readonly command: GateCommand;
  readonly subjects: readonly Subject[];
  /** So many sessions besides that have passed, so that all are asked in turn. */
  readonly crowd: number;
  readonly schedule: Schedule;
  /** What the schedule comes to: the truth gets through in the end, never, or the service is killed and started again. */
  readonly weather: 'heals' | 'never heals' | 'restart';
  /** The codes that a session may cost while nothing true is heard of it. */
  readonly unknown: readonly number[];
  /** Somebody ends the gate, if it has not ended by then. */
  readonly signal?: { readonly name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'; readonly afterMs: number } | undefined;
  readonly tls: boolean;
  /** Without a proxy in between. */
  readonly isDirect?: boolean | undefined;
  readonly output: readonly string[];
  readonly inTerminal: boolean;
  readonly idsOnStdin: boolean;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly timeoutS: number;
  /** Takes the better part of a minute. */
  readonly isSlow?: boolean | undefined;
}

/** Faults that let the truth through, if late or in odd clothes. */
const TRUTHFUL: readonly FaultName[] = [
  'pass',
  'late',
  'drip',
  '103 before the answer',
  'an answer too many',
];
/** Faults after which nothing comes, for as long as the asker waits. */
const HANGING: readonly FaultName[] = ['half-open', 'silence'];
/** Answers of a service that is well: the session still runs, or has a status that nobody knows. */
const STILL_RUNNING: readonly FaultName[] = [
  'instant 408',
  'a stale answer',
  'an unknown status',
  'a status in lower case',
];

/** Answers that look like a good end, and are none: drawn more often than the rest. */
const LIES: readonly FaultName[] = [
  '206',
  'chunks without an end',
  'an answer too many',
  'another session',
  'no id',
  'an unknown status',
  'a status in lower case',
  'a status that is no text',
  'names given twice',
  'a wrapped session',
];

const without = (names: readonly FaultName[], left: readonly FaultName[]): FaultName[] =>
  names.filter((name) => !left.includes(name));

const faultOf = (names: readonly FaultName[]): fc.Arbitrary<Fault> =>
  fc
    .record({
      name: fc.constantFrom(...names),
      ms: fc.integer({ min: 50, max: 1200 }),
      at: fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100),
      retryAfter: fc.constantFrom(undefined, '0', '1', 'date', 'soon', '-3', '1.5'),
    })
    .map((fault) => (fault.name === 'drip' ? { ...fault, ms: 1 } : fault));

const often = <T>(...cases: readonly (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...cases.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const after = fc.constantFrom(undefined, ...DELAYS);
const subjectOf = (truths: readonly Truth[]): fc.Arbitrary<Subject> =>
  fc.record({ truth: fc.constantFrom(...truths), after });

/** The truths that a command's sessions can be brought to. */
const TRUTHS: Readonly<Record<GateCommand, readonly Truth[]>> = {
  'sessions wait': ['passed', 'passed', 'passed', 'failed', 'failed', 'degraded', 'cancelled', 'timed out'],
  'test-sessions wait': ['passed', 'passed', 'failed', 'cancelled'],
  'checks run': ['passed', 'passed', 'failed', 'degraded'],
};

const how = {
  output: often<readonly string[]>([4, ['--json']], [2, []], [1, ['--quiet']], [1, ['-o', 'yaml']]),
  inTerminal: often([15, false], [1, true]),
  idsOnStdin: often([6, false], [1, true]),
  failOnDegraded: often([3, false], [1, true]),
  failFast: often([4, false], [1, true]),
  tls: often([5, false], [1, true]),
};

type Drawn = Omit<Plan, 'seed'>;

/** Sessions that are known to end, and faults that pass. */
const healing: fc.Arbitrary<Drawn> = fc
  .record({
    command: often<GateCommand>([4, 'sessions wait'], [2, 'checks run'], [2, 'test-sessions wait']),
    ...how,
  })
  .chain((drawn) => {
    const names: FaultName[] = without(REQUEST_FAULTS, HANGING);
    names.push(...LIES, ...LIES, 'refused', 'hung up', ...(drawn.tls ? [...TLS_FAULTS, ...TLS_FAULTS] : []));
    const subjects = fc.oneof(
      { weight: 4, arbitrary: fc.array(subjectOf(TRUTHS[drawn.command]), { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(subjectOf(TRUTHS[drawn.command]), { minLength: 2, maxLength: 6 }) },
    );
    const steps = fc.array(faultOf(names), { minLength: 1, maxLength: 4 });
    return fc.record({ subjects, steps, spares: fc.boolean() }).map(({ subjects, steps, spares }) => ({
      ...drawn,
      subjects,
      crowd: 0,
      // Half of the runs start their sessions unharmed.
      schedule: {
        steps: drawn.command === 'checks run' && spares ? [{ name: 'pass' as const }, ...steps] : steps,
        afterwards: { name: 'pass' as const },
      },
      weather: 'heals' as const,
      unknown: [6, 7],
      timeoutS: 60,
    }));
  });

/** A gate to which nothing true gets through, or whose session never ends. */
const hopeless: fc.Arbitrary<Drawn> = fc
  .record({ ...how, isEndless: fc.boolean(), timeoutS: fc.integer({ min: 2, max: 5 }) })
  .chain(({ isEndless, ...drawn }) => {
    const command = fc.constantFrom(...COMMANDS);
    const quick: FaultName[] = without(REQUEST_FAULTS, [...HANGING, ...TRUTHFUL]);
    const all: FaultName[] = [...quick, ...HANGING, ...CONNECTION_FAULTS, ...(drawn.tls ? TLS_FAULTS : [])];
    return fc
      .record({
        command,
        steps: fc.array(faultOf(quick), { maxLength: 2 }),
        afterwards: faultOf(all),
        truth: fc.constantFrom<Truth>('passed', 'failed'),
        after,
      })
      .map(({ command, steps, afterwards, truth, after }) => {
        const last: Fault = isEndless ? { name: 'pass' } : afterwards;
        const started: readonly Fault[] = command === 'checks run' ? [{ name: 'pass' }] : [];
        return {
          ...drawn,
          command,
          subjects: [isEndless ? { truth: 'endless' as const } : { truth, after }],
          crowd: 0,
          schedule: { steps: [...started, ...steps], afterwards: last },
          weather: 'never heals' as const,
          unknown: unknownCodes(isEndless, steps, last),
        };
      });
  });

/** One session is known to be bad, another never ends, and then the world goes away: the deadline holds all the same. */
const struck: fc.Arbitrary<Drawn> = hopeless.chain((drawn) =>
  faultOf([...HANGING, ...HANGING, ...CONNECTION_FAULTS, '502 page', 'drip']).map((last) => ({
    ...drawn,
    command: 'sessions wait' as const,
    subjects: [{ truth: 'failed' as const }, { truth: 'endless' as const }],
    // One question about each goes through.
    schedule: { steps: [{ name: 'pass' as const }, { name: 'pass' as const }], afterwards: last },
    weather: 'heals' as const,
    unknown: [6, 7],
  })),
);

/** What the gate may have heard last: 6 where that is a fault, 7 where it is that the session still runs. */
function unknownCodes(isEndless: boolean, steps: readonly Fault[], last: Fault): readonly number[] {
  const codes = steps.map(({ name }) => (STILL_RUNNING.includes(name) ? 7 : 6));
  if (isEndless) return [...codes, 7];
  if (HANGING.includes(last.name)) return [6, 7];
  return [...codes, STILL_RUNNING.includes(last.name) ? 7 : 6];
}

/** Somebody ends the gate, at any moment. */
const signalled: fc.Arbitrary<Drawn> = fc
  .tuple(
    fc.oneof(healing, hopeless),
    fc.record({
      name: fc.constantFrom('SIGTERM' as const, 'SIGINT' as const, 'SIGHUP' as const),
      afterMs: fc.integer({ min: 0, max: 2500 }),
    }),
  )
  .map(([drawn, signal]) => ({ ...drawn, inTerminal: false, signal }));

/** More sessions than hold a poll each; a connection that hangs is given up by the request's own time-out. */
const crowded: fc.Arbitrary<Drawn> = healing.chain((drawn) =>
  fc
    .record({ crowd: fc.integer({ min: 51, max: 70 }), hang: faultOf([...HANGING]) })
    .map(({ crowd, hang }) => ({
      ...drawn,
      command: 'sessions wait' as const,
      subjects:
        drawn.command === 'sessions wait' ? drawn.subjects : [{ truth: 'failed' as const, after: 700 }],
      crowd,
      schedule: { ...drawn.schedule, steps: [...drawn.schedule.steps, hang] },
      timeoutS: 120,
      isSlow: true,
    })),
);

/** A long poll that hangs until its own time is over, and is asked again. */
const hanging: fc.Arbitrary<Drawn> = healing.chain((drawn) =>
  faultOf([...HANGING]).map((hang) => ({
    ...drawn,
    command: 'sessions wait' as const,
    subjects: [{ truth: 'passed' as const }],
    schedule: { ...drawn.schedule, steps: [hang] },
    timeoutS: 100,
    isSlow: true,
  })),
);

/** Sessions that a restart of the service befalls, and nothing else. */
const restarted: fc.Arbitrary<Drawn> = fc.tuple(healing, fc.boolean()).map(([drawn, isDirect]) => ({
  ...drawn,
  // Nobody is there to cancel a session while the service is away.
  subjects: drawn.subjects.map((subject) =>
    subject.truth === 'cancelled' ? { truth: subject.truth } : subject,
  ),
  schedule: { steps: [], afterwards: { name: 'pass' as const } },
  tls: drawn.tls && !isDirect,
  isDirect,
  weather: 'restart' as const,
  timeoutS: 120,
}));

const anything = fc.oneof(
  { weight: 76, arbitrary: healing },
  { weight: 14, arbitrary: hopeless },
  { weight: 3, arbitrary: struck },
  { weight: 8, arbitrary: signalled },
  { weight: 1, arbitrary: crowded },
  { weight: 1, arbitrary: hanging },
);

/** The plan of a seed. */
export const drawPlan = (seed: number): Plan => draw(anything, seed);

/** A plan for gates that wait while the service is killed and started again. */
export const drawRestartPlan = (seed: number): Plan => draw(restarted, seed);

function draw(plans: fc.Arbitrary<Drawn>, seed: number): Plan {
  const [drawn] = fc.sample(plans, { seed, numRuns: 1, unbiased: true });
  if (!drawn) throw new Error('nothing was drawn');
  return { ...drawn, seed };
}
