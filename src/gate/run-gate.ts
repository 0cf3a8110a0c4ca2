/** Runs a gate: starts sessions, waits for them, shows progress, writes reports, and throws unless the verdict is good. */

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
import { nameOf } from './format/lines.ts';
import { rowsOf } from './format/rows.ts';
import { summary, withUnstarted } from './format/sentence.ts';
import type { SessionState } from './format/session.ts';
import { contradictionOf, sessionOf } from './format/session.ts';
import { type Progress, showProgress } from './progress/progress.ts';
import type { GateSnapshot } from './report/data.ts';
import type { ErrorSources } from './summary/error-sources.ts';
import { interruptionText, printSummary, type ResumeCommand, resumeText } from './summary/summary.ts';
import { finalResultsOf } from './wait/results.ts';
import { readSession, type SessionBody, type SessionKind } from './wait/verdict.ts';
import type { Poll } from './wait/wait-for-session.ts';
import { distinctIds, type GateOutcome, type GateResult, waitForSessions } from './wait/wait-for-sessions.ts';
import { withoutCheck } from './wait/without-check.ts';

/** The sessions that the gate waits for. */
export interface StartedSessions {
  readonly ids: readonly string[];
  /** Whether `--json` prints an array: for several IDs, or IDs from stdin. */
  readonly many: boolean;
  /** Bodies of the start requests by session ID, so that sessions have names from the beginning. */
  readonly known?: ReadonlyMap<string, unknown>;
  /** IDs of checks for which no session started; they make the gate fail. */
  readonly unstarted?: readonly string[];
  /** IDs of checks that must have a final result in sessions that end well; without one, they count as not started. */
  readonly required?: readonly string[] | undefined;
}

export interface RunGateOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly kind: SessionKind;
  /** Returns or starts the sessions before the signal is aborted. Its errors are rethrown. */
  readonly start: (signal: AbortSignal) => Promise<StartedSessions>;
  /** Cancels a running session when the gate is interrupted, and returns whether it did. If absent, sessions continue. */
  readonly stop?: ((id: string) => Promise<boolean>) | undefined;
  readonly openPoll: () => Promise<Poll>;
  readonly output: OutputOptions;
  readonly timeoutMs: number;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly justStarted: boolean;
  /** Writes the reports: before the first request, and at the end. Returns the error if one could not be written. */
  readonly report?: (snapshot: GateSnapshot) => Promise<OutputError | undefined>;
  /** Opens the requests that explain failed results. */
  readonly errorSources?: () => Promise<ErrorSources>;
  /** Returns the command line that lists the errors of a check; if absent, there is none. */
  readonly errorsCommand?: (checkId: string) => string;
  /** Absent: the sessions end with the gate. */
  readonly resumeCommand?: ResumeCommand;
}

/** Time after the deadline for requests that explain failures, in ms. The gate promises to end within a second. */
const EXPLAIN_GRACE_MS = 800;

/** Adds the fields that never change during a gate, and writes the reports. Returns the error if one could not be written. */
type Report = (
  snapshot: Omit<GateSnapshot, 'kind' | 'startedAt' | 'tookMs'>,
) => Promise<OutputError | undefined>;

/**
 * Waits for all sessions and prints them on stdout. Throws VerdictError unless it saw every session end with a good verdict.
 * Rejects with the signal's reason when interrupted, after it listed the sessions that still run.
 */
export async function runGate(options: RunGateOptions): Promise<void> {
  const { clock, terminal, kind, report } = options;
  const [startedAt, began] = [clock.now(), clock.monotonic()];
  const writeReports: Report = async (snapshot) =>
    report?.({ ...snapshot, kind, startedAt, tookMs: clock.monotonic() - began });

  const sentence = 'The gate is still waiting or was killed; the verdict is unknown';
  const reportError = await writeReports({ ...EMPTY, isOver: false, exitCode: EXIT.noVerdict, sentence });
  if (reportError) await terminal.warn(`${reportError.message}; sonde tries again at the end`);
  const seen: Observations = { outcomes: new Map(), watched: new Map() };
  let end: GateEnd;
  try {
    end = await runToEnd(options, began, seen);
  } catch (error) {
    await reportInterruption(options, error, seen, writeReports);
    throw error;
  }
  await finish(options, end, writeReports);
}

/** The result of a gate that was not interrupted. */
interface GateEnd extends Pick<GateSnapshot, 'exitCode' | 'sentence' | 'outcomes' | 'rows' | 'unstarted'> {
  /** The error that prevented printing the result. */
  readonly outputError: OutputError | undefined;
}

/** Starts and awaits the sessions, and prints them. `began`: start of the gate on the monotonic clock, in ms. */
async function runToEnd(options: RunGateOptions, began: number, seen: Observations): Promise<GateEnd> {
  const { clock, kind, report, timeoutMs } = options;
  const started = await startSessions(options);
  const known = readKnownSessions(kind, started);
  const deadline = began + timeoutMs;
  const result = await waitWithProgress({ ...options, deadline, known, ids: started.ids }, seen);
  const outcomes = result.outcomes.map((outcome) => withSession(outcome, known));
  const tookMs = clock.monotonic() - began;
  const printing = { ...options, until: deadline + EXPLAIN_GRACE_MS, isReported: report !== undefined };
  const { rows, outputError } = await printSummary(printing, outcomes, started.many);
  await warnOfContradictions(options, outcomes);
  const unstarted = [...(started.unstarted ?? []), ...withoutResult(started.required, result)];
  return {
    // A requested check without a session counts as not found.
    exitCode: combinedExitCode([result.exitCode, ...unstarted.map(() => EXIT.notFound)]),
    sentence: withUnstarted(summary(kind, outcomes, tookMs), result.exitCode === 0, unstarted, kind.noun),
    outcomes,
    rows,
    unstarted,
    outputError,
  };
}

/** Names each session whose results contradict its status. */
async function warnOfContradictions({ terminal }: RunGateOptions, outcomes: readonly GateOutcome[]) {
  for (const outcome of outcomes) {
    const contradiction = contradictionOf(outcome);
    if (contradiction === undefined) continue;
    await terminal.warn(`${nameOf(outcome.id, sessionOf(outcome))}: ${contradiction}`);
  }
}

/** Returns the required checks without a final result; none unless all sessions ended well. */
function withoutResult(
  required: readonly string[] = [],
  { outcomes, exitCode }: GateResult,
): readonly string[] {
  if (exitCode !== EXIT.done) return [];
  const results = outcomes.flatMap((outcome) => finalResultsOf(sessionOf(outcome)));
  return withoutCheck(
    required,
    results.map(({ checkId }) => checkId),
  );
}

/** Reports a gate that a signal, a rejected request or a bug ended before its sessions. */
async function reportInterruption(
  { signal, terminal, resumeCommand: again, stop }: RunGateOptions,
  error: unknown,
  seen: Observations,
  writeReports: Report,
): Promise<void> {
  const reason: unknown = signal.aborted ? signal.reason : error;
  const outcomes = outcomesSoFar(seen);
  const stopped = signal.aborted ? await interruptionText(outcomes, again, stop) : '';
  if (stopped !== '') await terminal.lines(stopped);
  const reportError = await writeReports({
    ...EMPTY,
    isOver: true,
    isBrokenOff: true,
    exitCode: reason instanceof SondeError ? reason.exitCode : EXIT.bug,
    sentence: reason instanceof Error ? reason.message : String(reason),
    outcomes,
    rows: rowsOf(outcomes),
  });
  if (reportError) await terminal.warn(reportError.message);
}

/** Writes the final reports. Throws unless the verdict is good and everything was printed and written. */
async function finish(
  options: RunGateOptions,
  { outputError, ...end }: GateEnd,
  writeReports: Report,
): Promise<void> {
  const { terminal } = options;
  const final = outputError ? withOutputError(end, outputError) : end;
  const reportError = (await writeReports({ ...final, isOver: true, isBrokenOff: false })) ?? outputError;
  if (end.exitCode !== 0) {
    // A bad verdict is more important than an output error.
    if (reportError) await terminal.warn(reportError.message);
    throw new VerdictError(end.sentence, end.exitCode, { hint: await hintOf(options, end.outcomes) });
  }
  if (reportError) throw reportError;
  const styles = await terminal.styles('stderr');
  if (!terminal.quiet) await terminal.lines(`${terminal.plain ? '' : '✓ '}${end.sentence}`, styles.green);
}

/** Sessions by ID, as read from the responses to the start requests. */
type KnownSessions = ReadonlyMap<string, SessionBody>;

const readKnownSessions = (kind: SessionKind, { known = new Map() }: StartedSessions): KnownSessions =>
  new Map(
    [...known].flatMap(([id, body]) => {
      const reading = readSession(kind, id, body);
      return reading.kind === 'unusable' ? [] : [[id, reading.session] as const];
    }),
  );

/** Adds the session from its start response to an outcome without one, so that it has a name. */
function withSession(gateOutcome: GateOutcome, known: KnownSessions): GateOutcome {
  const { outcome } = gateOutcome;
  const session = known.get(gateOutcome.id);
  if (outcome.kind === 'ended' || outcome.session || !session) return gateOutcome;
  return { ...gateOutcome, outcome: { ...outcome, session } };
}

/** Turns a good end that could not be printed into a failed one: no report may be green if the exit code is not 0. */
function withOutputError<T extends Pick<GateSnapshot, 'exitCode' | 'sentence'>>(
  end: T,
  { exitCode, message }: OutputError,
): T {
  return end.exitCode === 0 ? { ...end, exitCode, sentence: `${end.sentence}, but ${message}` } : end;
}

/** Starts the sessions within the timeout of the gate; after it, it is unknown which sessions started. */
async function startSessions({ start, clock, signal, timeoutMs }: RunGateOptions): Promise<StartedSessions> {
  const timeout = new AbortController();
  const started = new AbortController();
  clock
    .sleep(timeoutMs, started.signal)
    .then(() => timeout.abort(new NetworkError('the service did not respond before the deadline')))
    .catch(() => {});
  try {
    return await start(AbortSignal.any([signal, timeout.signal]));
  } finally {
    started.abort();
  }
}

const EMPTY = { isBrokenOff: false, outcomes: [], rows: [], unstarted: [] };

/** The outcomes and sessions received so far, for the report after an interruption. */
interface Observations {
  readonly outcomes: Map<string, GateOutcome>;
  /** All sessions, in the requested order. */
  readonly watched: Map<string, SessionState>;
}

const outcomesSoFar = ({ outcomes, watched }: Observations): readonly GateOutcome[] =>
  [...watched].map(
    ([id, { session }]) =>
      outcomes.get(id) ?? { id, outcome: { kind: 'left', session }, exitCode: EXIT.noVerdict },
  );

interface WaitOptions extends RunGateOptions {
  readonly ids: readonly string[];
  readonly known: KnownSessions;
  readonly deadline: number;
}

async function waitWithProgress(options: WaitOptions, seen: Observations): Promise<GateResult> {
  const { terminal, ids, known } = options;
  for (const id of distinctIds(ids)) seen.watched.set(id, { session: known.get(id), outcome: undefined });
  const ask = await options.openPoll();
  const progress: Progress = showProgress({ ...options, watched: seen.watched });
  try {
    return await waitForSessions({
      ...options,
      poll: ask,
      live: terminal.canDraw,
      onRunning(id, session) {
        seen.watched.set(id, { session, outcome: undefined });
        progress.running(id, session);
      },
      onFault: progress.fault,
      onRecovered: progress.recovered,
      onOutcome(received) {
        const outcome = withSession(received, known);
        seen.outcomes.set(outcome.id, outcome);
        seen.watched.set(outcome.id, { session: sessionOf(outcome), outcome });
        progress.ended(outcome);
      },
      onPollInTurn: progress.pollsInTurn,
    });
  } finally {
    await progress.stop();
  }
}

/** Returns how to resume if a session may still pass; otherwise the hint of a rejected request. */
async function hintOf(
  { resumeCommand }: RunGateOptions,
  outcomes: readonly GateOutcome[],
): Promise<string | undefined> {
  const open = outcomes.filter(({ outcome }) => ['deadline', 'unread', 'fault'].includes(outcome.kind));
  const ids = [...new Set(open.map(({ id }) => id))];
  if (ids.length > 0)
    return resumeCommand ? resumeText(ids, resumeCommand) : 'to allow more time, pass a longer --timeout';
  const hints = outcomes.flatMap(({ outcome }) =>
    outcome.kind === 'refused' ? (outcome.error.hint ?? []) : [],
  );
  return hints[0];
}
