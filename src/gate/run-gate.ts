/** Holds a release until its sessions have ended: starts, waits, shows, reports, and ends with the verdict's exit code. */
import type { Clock } from '../base/clock.ts';
import {
  combinedExitCode,
  NetworkError,
  type OutputError,
  SondeError,
  VerdictError,
} from '../base/errors.ts';
import { EXIT } from '../base/exits.ts';
import type { Random } from '../base/random.ts';
import type { OutputOptions, Terminal } from '../terminal/index.ts';
import { rowsOf } from './format/rows.ts';
import { summary, withUnstarted } from './format/sentence.ts';
import { sessionOf } from './format/session.ts';
import type { Watched } from './format/watched.ts';
import { type Progress, showProgress } from './progress/progress.ts';
import type { Told } from './snapshot.ts';
import type { ErrorSources } from './summary/error-sources.ts';
import { type Again, resumption, stoppedText } from './summary/stopped.ts';
import { printEnd } from './summary/summary.ts';
import { distinctIds, type GateOutcome, type GateResult, runGate } from './wait/gate.ts';
import { readSession, type SessionBody, type SessionKind } from './wait/verdict.ts';
import type { Ask } from './wait/wait.ts';

/** The sessions that a gate hangs on. */
export interface Held {
  readonly ids: readonly string[];
  /** Whether `--json` prints an array: several ids, or ids from stdin. */
  readonly many: boolean;
  /** What starting them answered, so that they have names from the first moment. */
  readonly known?: ReadonlyMap<string, unknown>;
  /** Checks that were to run and have no session: without one nobody can see them end well. */
  readonly unstarted?: readonly string[];
}

export interface HoldOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly kind: SessionKind;
  /** Names the sessions, or starts them, before the signal is aborted. What it throws is thrown on. */
  readonly start: (signal: AbortSignal) => Promise<Held>;
  /** Stops a session that still runs where the gate is interrupted; left out: it goes on without it. True: it was told to. */
  readonly stop?: ((id: string) => Promise<boolean>) | undefined;
  readonly ask: () => Promise<Ask>;
  readonly output: OutputOptions;
  readonly timeoutMs: number;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly justStarted: boolean;
  /** Told before anything is sent, and once more when all is over. Gives what could not be written. */
  readonly report?: (told: Told) => Promise<OutputError | undefined>;
  /** Makes the way of asking why results failed. */
  readonly sources?: () => Promise<ErrorSources>;
  /** The command line that lists the errors of a check. */
  readonly more: (checkId: string) => string;
  readonly again: Again;
}

/** For so long after the deadline the service may still be asked why what is bad is bad, in ms: a second is promised. */
const OVERTIME_MS = 800;

/** Adds what is the same in all that is told of one gate, and reports it. Gives what could not be written. */
type Tell = (told: Omit<Told, 'kind' | 'startedAt' | 'tookMs'>) => Promise<OutputError | undefined>;

/**
 * Waits for all sessions and prints them. Throws VerdictError unless every one was seen to end well; the sessions are on
 * stdout all the same. Rejects with the signal's reason when interrupted, after saying what still runs.
 */
export async function holdGate(options: HoldOptions): Promise<void> {
  const { clock, terminal, kind, report } = options;
  const [startedAt, began] = [clock.now(), clock.monotonic()];
  const tell: Tell = async (told) =>
    report?.({ ...told, kind, startedAt, tookMs: clock.monotonic() - began });

  const sentence = 'The gate is still waiting or was killed; the verdict is unknown';
  const early = await tell({ ...nothingYet, isOver: false, exitCode: EXIT.noVerdict, sentence });
  if (early) await terminal.warn(`${early.message}; sonde tries again at the end`);
  const seen: Seen = { outcomes: new Map(), watched: new Map() };
  let end: End;
  try {
    end = await reachEnd(options, began, seen);
  } catch (error) {
    await tellBrokenOff(options, error, seen, tell);
    throw error;
  }
  await conclude(options, end, tell);
}

/** How a gate came out that was not broken off. */
interface End extends Pick<Told, 'exitCode' | 'sentence' | 'outcomes' | 'rows' | 'unstarted'> {
  /** What kept the result from being printed. */
  readonly unprinted: OutputError | undefined;
}

/** Starts, waits, and prints. `began`: when the gate did, on the monotonic clock, in ms. */
async function reachEnd(options: HoldOptions, began: number, seen: Seen): Promise<End> {
  const { clock, kind, report, timeoutMs } = options;
  const held = await begin(options);
  const known = readKnown(kind, held);
  const deadline = began + timeoutMs;
  const result = await wait({ ...options, deadline, known, ids: held.ids }, seen);
  const outcomes = result.outcomes.map((outcome) => named(outcome, known));
  const tookMs = clock.monotonic() - began;
  const printing = { ...options, until: deadline + OVERTIME_MS, isReported: report !== undefined };
  const { rows, fault } = await printEnd(printing, outcomes, held.many);
  const { unstarted = [] } = held;
  return {
    // A check that was named and did not run counts as one that is not there.
    exitCode: combinedExitCode([result.exitCode, ...unstarted.map(() => EXIT.notFound)]),
    sentence: withUnstarted(summary(kind, outcomes, tookMs), result.exitCode === 0, unstarted),
    ...{ outcomes, rows, unstarted, unprinted: fault },
  };
}

/** Tells what was seen of a gate that a signal, a refusal or a fault of ours ended before its sessions. */
async function tellBrokenOff(
  { signal, terminal, again, stop }: HoldOptions,
  error: unknown,
  seen: Seen,
  tell: Tell,
): Promise<void> {
  const reason: unknown = signal.aborted ? signal.reason : error;
  const outcomes = outcomesSoFar(seen);
  const stopped = signal.aborted ? await stoppedText(outcomes, again, stop) : '';
  if (stopped !== '') await terminal.lines(stopped);
  const unwritten = await tell({
    ...nothingYet,
    isOver: true,
    isBrokenOff: true,
    exitCode: reason instanceof SondeError ? reason.exitCode : EXIT.bug,
    sentence: reason instanceof Error ? reason.message : String(reason),
    outcomes,
    rows: rowsOf(outcomes),
  });
  if (unwritten) await terminal.warn(unwritten.message);
}

/** Reports the end. Throws unless it is good, and was printed and written. */
async function conclude(options: HoldOptions, { unprinted, ...end }: End, tell: Tell): Promise<void> {
  const { terminal } = options;
  const told = unprinted ? withFault(end, unprinted) : end;
  const unwritten = (await tell({ ...told, isOver: true, isBrokenOff: false })) ?? unprinted;
  if (end.exitCode !== 0) {
    // A bad verdict outranks that it could not be written.
    if (unwritten) await terminal.warn(unwritten.message);
    throw new VerdictError(end.sentence, end.exitCode, { hint: await hintOf(options, end.outcomes) });
  }
  if (unwritten) throw unwritten;
  const styles = await terminal.styles('stderr');
  if (!terminal.quiet) await terminal.lines(`${terminal.plain ? '' : '✓ '}${end.sentence}`, styles.green);
}

/** What starting the sessions told of each, where it can be read. */
type Known = ReadonlyMap<string, SessionBody>;

const readKnown = (kind: SessionKind, { known = new Map() }: Held): Known =>
  new Map(
    [...known].flatMap(([id, body]) => {
      const reading = readSession(kind, id, body);
      return reading.kind === 'unusable' ? [] : [[id, reading.session] as const];
    }),
  );

/** An outcome of which no answer told: with what starting its session did, so that it has a name. */
function named(told: GateOutcome, known: Known): GateOutcome {
  const { outcome } = told;
  const session = known.get(told.id);
  if (outcome.kind === 'ended' || outcome.session || !session) return told;
  return { ...told, outcome: { ...outcome, session } };
}

/** What is told where a good verdict could not be: no report may be green where the exit code is not 0. */
function withFault<T extends Pick<Told, 'exitCode' | 'sentence'>>(
  end: T,
  { exitCode, message }: OutputError,
): T {
  return end.exitCode === 0 ? { ...end, exitCode, sentence: `${end.sentence}, but ${message}` } : end;
}

/** Starts within the gate's time: whoever is held there for longer learns that nobody knows what has begun. */
async function begin({ start, clock, signal, timeoutMs }: HoldOptions): Promise<Held> {
  const late = new AbortController();
  const started = new AbortController();
  clock
    .sleep(timeoutMs, started.signal)
    .then(() => late.abort(new NetworkError('the service did not respond before the deadline')))
    .catch(() => {});
  try {
    return await start(AbortSignal.any([signal, late.signal]));
  } finally {
    started.abort();
  }
}

const nothingYet = { isBrokenOff: false, outcomes: [], rows: [], unstarted: [] };

/** What was seen so far, for whoever is interrupted. */
interface Seen {
  readonly outcomes: Map<string, GateOutcome>;
  /** All sessions, in the order given. */
  readonly watched: Map<string, Watched>;
}

const outcomesSoFar = ({ outcomes, watched }: Seen): readonly GateOutcome[] =>
  [...watched].map(
    ([id, { session }]) =>
      outcomes.get(id) ?? { id, outcome: { kind: 'left', session }, exitCode: EXIT.noVerdict },
  );

interface Waiting extends HoldOptions {
  readonly ids: readonly string[];
  readonly known: Known;
  readonly deadline: number;
}

async function wait(options: Waiting, seen: Seen): Promise<GateResult> {
  const { terminal, ids, known } = options;
  for (const id of distinctIds(ids)) seen.watched.set(id, { session: known.get(id), outcome: undefined });
  const ask = await options.ask();
  const progress: Progress = showProgress({ ...options, watched: seen.watched });
  try {
    return await runGate({
      ...options,
      ask,
      live: terminal.canDraw,
      onRunning(id, session) {
        seen.watched.set(id, { session, outcome: undefined });
        progress.running(id, session);
      },
      onFault: progress.fault,
      onRecovered: progress.recovered,
      onOutcome(told) {
        const outcome = named(told, known);
        seen.outcomes.set(outcome.id, outcome);
        seen.watched.set(outcome.id, { session: sessionOf(outcome), outcome });
        progress.ended(outcome);
      },
      onInTurn: progress.inTurn,
    });
  } finally {
    await progress.stop();
  }
}

/** How to go on where a session may still end well, else what to do about a refusal. */
async function hintOf({ again }: HoldOptions, outcomes: readonly GateOutcome[]): Promise<string | undefined> {
  const open = outcomes.filter(({ outcome }) => outcome.kind === 'deadline' || outcome.kind === 'fault');
  const ids = [...new Set(open.map(({ id }) => id))];
  if (ids.length > 0) return resumption(ids, again);
  const hints = outcomes.flatMap(({ outcome }) =>
    outcome.kind === 'refused' ? (outcome.error.hint ?? []) : [],
  );
  return hints[0];
}
