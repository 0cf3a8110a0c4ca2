/** Holds a release until its sessions have ended: waits, shows, and ends with the verdict's exit code. */
import type { Clock } from '../base/clock.ts';
import { combinedExitCode, OutputError, VerdictError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { type OutputOptions, render, type Terminal } from '../terminal/index.ts';
import { type GateResult, runGate } from './gate.ts';
import { bodyOf, columnsOf, rowsOf, sessionOf } from './rows.ts';
import type { SessionBody, SessionKind } from './verdict.ts';
import type { Ask } from './wait.ts';
import { inTurnLine, outcomeLine, runningLine, summary, unstartedText } from './words.ts';

export { askCheckSessions, askTestSessions } from './ask.ts';
export { checkSessions, testSessions } from './verdict.ts';
export { unstartedText } from './words.ts';

export interface HoldOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly kind: SessionKind;
  /** Makes the way of asking; `live` where somebody watches. */
  readonly ask: (live: boolean) => Ask;
  readonly ids: readonly string[];
  /** Whether `--json` prints an array: several ids, or ids from stdin. */
  readonly many: boolean;
  readonly output: OutputOptions;
  readonly timeoutMs: number;
  readonly failOnDegraded: boolean;
  readonly failFast: boolean;
  readonly justStarted: boolean;
  /** Checks that were to run and have no session: without one nobody can see them end well. */
  readonly unstarted?: readonly string[];
  /** The command line that takes up waiting again. */
  readonly again: (ids: readonly string[]) => string;
}

/** A check that was named and did not run counts as one that is not there. */
const NOT_FOUND = 5;
/** A CI job that says nothing is killed: a line at least so often, in ms. */
const HEARTBEAT_MS = 60_000;
/** How often the elapsed times of a live view move, in ms. */
const TICK_MS = 1_000;

/**
 * Waits for all sessions and prints them. Throws VerdictError unless every one was seen to end well; the sessions are on
 * stdout all the same. Rejects with the signal's reason when interrupted, after saying what still runs.
 */
export async function holdGate(options: HoldOptions): Promise<void> {
  const { terminal, clock, kind, ids } = options;
  const started = clock.monotonic();
  const elapsed = () => clock.monotonic() - started;
  const live = terminal.stderrIsTTY && !terminal.quiet;
  const running = new Map<string, SessionBody | undefined>(ids.map((id) => [id, undefined]));
  const progress = showProgress(options, live, running, elapsed);
  let result: GateResult;
  try {
    result = await runGate({
      ...options,
      ask: options.ask(live),
      onRunning(id, session) {
        const before = running.get(id)?.status;
        running.set(id, session);
        progress.changed(before === session.status ? undefined : runningLine(id, session, elapsed()));
      },
      onFault(_id, error) {
        progress.said(`${error.message}; still waiting`);
      },
      onOutcome(outcome) {
        running.delete(outcome.id);
        progress.changed(outcomeLine(outcome));
      },
      onInTurn: (everyMs) => progress.said(inTurnLine(everyMs)),
    });
  } catch (error) {
    await progress.stop();
    const left = [...running.keys()];
    if (options.signal.aborted && left.length > 0) {
      await terminal.err(
        `Still running: ${left.join(', ')}\nTake up waiting again with: ${options.again(left)}\n`,
      );
    }
    throw error;
  }
  await progress.stop();
  const unwritten = await printResult(options, result).catch((error: unknown) => {
    if (error instanceof OutputError) return error;
    throw error;
  });
  const { unstarted = [] } = options;
  const exitCode = combinedExitCode([result.exitCode, ...unstarted.map(() => NOT_FOUND)]);
  const told = summary(kind, result, elapsed());
  const sentence = unstarted.length === 0 ? told : `${told}; ${unstartedText(unstarted)}`;
  if (exitCode !== 0) {
    // A bad verdict outranks that it could not be printed.
    if (unwritten) await terminal.warn(unwritten.message);
    throw new VerdictError(sentence, exitCode, { hint: whyHint(result) });
  }
  if (unwritten) throw unwritten;
  const styles = await terminal.styles('stderr');
  if (!terminal.quiet) await terminal.err(`${styles.green(`✓ ${sentence}`)}\n`);
}

async function printResult(
  { terminal, output, kind, many }: HoldOptions,
  { outcomes }: GateResult,
): Promise<void> {
  const { format } = output;
  if (format === 'json' || format === 'jsonl' || format === 'yaml') {
    const data = outcomes.map((outcome) => bodyOf(kind, outcome));
    return render(terminal, { kind: many ? 'list' : 'items', data, output });
  }
  const rows = rowsOf(outcomes);
  // Which columns a program gets must not hang on what happened.
  const columns = columnsOf(rows, terminal.stdoutIsTTY);
  return render(terminal, { kind: 'list', data: rows, columns, output });
}

/** How to read why checks failed; nothing where none did, or where the deployment did not say which. */
function whyHint({ outcomes }: GateResult): string | undefined {
  const failed = outcomes.filter(({ outcome }) => outcome.kind === 'ended' && outcome.verdict === 'failed');
  const checks = [...new Set(failed.flatMap((outcome) => sessionOf(outcome)?.checkId ?? []))];
  const lines = checks.slice(0, 3).map((checkId) => `sonde error-groups list ${checkId}`);
  return lines.length > 0 ? `Why: ${lines.join('\n     ')}` : undefined;
}

interface Progress {
  /** Something changed; the line is said where nobody watches a live view. */
  changed(line: string | undefined): void;
  /** A sentence for either kind of reader. The same one is not said twice in a row. */
  said(line: string): void;
  stop(): Promise<void>;
}

/** In a terminal a line a session that moves; elsewhere a line on each change and one a minute. */
function showProgress(
  { terminal, clock, ids }: HoldOptions,
  live: boolean,
  running: ReadonlyMap<string, SessionBody | undefined>,
  elapsed: () => number,
): Progress {
  const most = 10;
  const view = () => {
    const lines = [...running].slice(0, most).map(([id, session]) => runningLine(id, session, elapsed()));
    const rest = running.size - lines.length;
    return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
  };
  const spinner = live ? terminal.spinner(view()) : undefined;
  const over = new AbortController();
  let last = '';
  const said = (line: string) => {
    if (line === last) return;
    last = line;
    void terminal.note(line);
  };
  const beat = async () => {
    for (;;) {
      await clock.sleep(live ? TICK_MS : HEARTBEAT_MS, over.signal);
      if (spinner) spinner.update(view());
      else if (running.size > 0)
        said(`Waiting for ${running.size} of ${ids.length}, ${view().replaceAll('\n', '; ')}`);
    }
  };
  beat().catch(() => {});
  return {
    changed(line) {
      if (spinner) spinner.update(view());
      else if (line) said(line);
    },
    said,
    async stop() {
      over.abort();
      await spinner?.stop();
    },
  };
}
