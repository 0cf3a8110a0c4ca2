/** Prints the summary of a gate: its sessions on stdout, failures first, and the reasons on stderr. */

import { raceWithAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { OutputError } from '../../base/errors.ts';
import { type OutputOptions, render, type Terminal } from '../../terminal/index.ts';
import { nameOf } from '../format/lines.ts';
import {
  bodyOf,
  columnsForPeople,
  columnsForPrograms,
  FURTHER_FIELDS,
  isNotAwaited,
  isStillRunning,
  type Row,
  rowsOf,
} from '../format/rows.ts';
import { seenSoFar } from '../format/sentence.ts';
import { sessionOf } from '../format/session.ts';
import type { SessionKind } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { counted, listed } from '../words/text.ts';
import type { ErrorSources } from './error-sources.ts';
import { explain } from './explain.ts';
import { whyLines } from './why.ts';

export interface SummaryOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** End of the requests for explanations: ms on the monotonic clock. */
  readonly until: number;
  readonly kind: SessionKind;
  readonly output: OutputOptions;
  /** Whether reports are written from the rows. */
  readonly isReported: boolean;
  /** Opens the requests that explain failed results; without it, failures are not explained. */
  readonly errorSources?: (() => Promise<ErrorSources>) | undefined;
  /** Returns the command line that lists the errors of a check; if absent, there is none. */
  readonly errorsCommand?: ((checkId: string) => string) | undefined;
}

export interface PrintedSummary {
  /** The rows, with explanations from the API. */
  readonly rows: readonly Row[];
  /** The error that prevented printing. It is reported after the verdict. */
  readonly outputError: OutputError | undefined;
}

/** Maximum number of rows of a table; passed rows beyond it are not shown. */
const MOST_ROWS = 20;
/** Rows beyond the maximum that are still shown. */
const SPARE_ROWS = 5;

/**
 * Prints the outcomes; `many`: prints JSON as an array. An abort rejects at once with the signal's reason, even if nobody
 * reads the output.
 */
export async function printSummary(
  options: SummaryOptions,
  outcomes: readonly GateOutcome[],
  many: boolean,
): Promise<PrintedSummary> {
  const { terminal, output, kind, signal } = options;
  const initial = rowsOf(outcomes);
  const loadRows = async (): Promise<readonly Row[]> => {
    const rows = await explainRows(options, outcomes, initial);
    signal.throwIfAborted();
    return rows;
  };
  // A reader that does not read must not block an interrupted gate.
  const printed = (printing: Promise<void>) => outputErrorOf(raceWithAbort(printing, signal));

  const { format } = output;
  if (format === 'json' || format === 'jsonl' || format === 'yaml') {
    const data = outcomes.map((outcome) => bodyOf(kind, outcome));
    const fault = await printed(render(terminal, { kind: many ? 'list' : 'items', data, output }));
    return { rows: options.isReported ? await loadRows() : initial, outputError: fault };
  }
  // On one screen, stderr shows the reasons after the table, so the table neither shows nor awaits them.
  if (terminal.stdoutIsTTY && terminal.stderrIsTTY && (format ?? 'table') === 'table') {
    const fault = await printed(printTable(options, initial));
    const rows = await loadRows();
    await printWhy(options, rows, outcomes);
    return { rows, outputError: fault };
  }
  const rows = await loadRows();
  const columns =
    terminal.stdoutIsTTY && (format ?? 'table') === 'table'
      ? columnsForPeople(rows, true, kind)
      : columnsForPrograms;
  const fault = await printed(
    render(terminal, {
      kind: 'list',
      data: rows,
      columns,
      output,
      knownFields: FURTHER_FIELDS,
      fullOutput: getCommand(kind),
    }),
  );
  await printWhy(options, rows, outcomes);
  return { rows, outputError: fault };
}

async function explainRows(
  { terminal, errorSources: sources, clock, signal, until }: SummaryOptions,
  outcomes: readonly GateOutcome[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (!sources) return rows;
  const spinner = terminal.spinner('Loading the errors');
  try {
    return await explain(rows, { outcomes, errorSources: sources, clock, signal, until });
  } finally {
    await spinner.stop();
  }
}

/** The command that shows a session completely; the command that started it would start another one. */
const getCommand = ({ noun, isLocal }: SessionKind): string =>
  isLocal ? '-o tsv' : `"sonde ${noun === 'check session' ? 'sessions' : 'test-sessions'} get <id>"`;

/** Prints the table for a person: all failures, and a limited number of other rows. */
async function printTable({ terminal, output, kind }: SummaryOptions, rows: readonly Row[]): Promise<void> {
  const needed = rows.filter((row) => row.isBad && !isNotAwaited(row) && !isStillRunning(row)).length;
  const most = Math.max(needed, MOST_ROWS);
  const shown = terminal.quiet || rows.length <= most + SPARE_ROWS ? rows : rows.slice(0, most);
  const columns = columnsForPeople(shown, false, kind);
  await render(terminal, {
    kind: 'list',
    data: shown,
    columns,
    output,
    knownFields: FURTHER_FIELDS,
    fullOutput: getCommand(kind),
  });
  const left = rows
    .slice(shown.length)
    .map((row) =>
      row.error !== undefined && (isNotAwaited(row) || isStillRunning(row))
        ? row.error
        : row.result.toLowerCase(),
    );
  if (left.length === 0) return;
  await terminal.note(
    `Rows not shown: ${counted(left).join(', ')}. For all rows${kind.isLocal ? ', pass' : ' of a session, run'} ${getCommand(kind)}.`,
  );
}

/** Prints the reasons on stderr, also with `--quiet`: they belong to the error. */
async function printWhy(
  { terminal, errorsCommand: more }: SummaryOptions,
  rows: readonly Row[],
  outcomes: readonly GateOutcome[],
): Promise<void> {
  const styles = await terminal.styles('stderr');
  const columns = terminal.stderrIsTTY ? terminal.width - 2 : Number.POSITIVE_INFINITY;
  const isOne = new Set(outcomes.map(({ id }) => id)).size === 1;
  const unexplained = isOne ? rows.filter((row) => !isInTheSentence(row, outcomes[0])) : rows;
  const lines = whyLines(unexplained, {
    styles,
    errorsCommand: more,
    wrap: await wrapper(columns),
    plain: terminal.plain,
  });
  if (lines.length > 0) await terminal.err(`${lines.join('\n')}\n`);
}

/** Whether the final sentence already explains the unknown verdict of a single session. */
const isInTheSentence = ({ resultId, runLocation, error }: Row, only: GateOutcome | undefined): boolean =>
  resultId === undefined &&
  error !== undefined &&
  only !== undefined &&
  ('error' in only.outcome || (only.outcome.kind !== 'ended' && runLocation === undefined));

async function wrapper(columns: number): Promise<(line: string) => readonly string[]> {
  if (columns === Number.POSITIVE_INFINITY) return (line) => [line];
  const { wrapWords } = await import('../../terminal/lazy/wrap.ts');
  return (line) => wrapWords(line, Math.max(20, columns));
}

/** Returns the error if the output could not be written. */
async function outputErrorOf(printing: Promise<void>): Promise<OutputError | undefined> {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError) return error;
    throw error;
  }
}

/** Up to this many sessions are named; of more, only a few. The command line has all IDs. */
const MOST_NAMES = 5;
const FEW_NAMES = 3;

/** Returns the command line that waits for these sessions with the same options. */
export type ResumeCommand = (ids: readonly string[]) => string | Promise<string>;

/** Cancels a session; returns false if that is not certain. */
type Stop = (id: string) => Promise<boolean>;

/** Returns the lines, or '' if nothing is known. Outcomes of kind `left` still run; `stop` cancels them. */
export async function interruptionText(
  outcomes: readonly GateOutcome[],
  resumeCommand: ResumeCommand | undefined,
  stop: Stop = async () => false,
): Promise<string> {
  const seen = seenSoFar(outcomes);
  const running = outcomes.filter(({ outcome }) => outcome.kind === 'left');
  const isStopped = await Promise.all(running.map(({ id }) => stop(id)));
  const left = running.filter((_, place) => !isStopped[place]);
  const stopped = running.filter((_, place) => isStopped[place]);
  const ids = left.map(({ id }) => id);
  const lines = [
    ...(seen === undefined ? [] : [`Results so far: ${seen}`]),
    ...(stopped.length === 0 ? [] : [`Cancelled: ${namesOf(stopped)}`]),
    ...(left.length === 0 ? [] : [`Still running: ${namesOf(left)}`]),
    ...(left.length === 0 || !resumeCommand ? [] : [await resumeText(ids, resumeCommand)]),
  ];
  return lines.join('\n');
}

function namesOf(outcomes: readonly GateOutcome[]): string {
  const names = outcomes.map((outcome) => nameOf(outcome.id, sessionOf(outcome)));
  return names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.length} sessions, including ${listed(names, FEW_NAMES)}`;
}

/** Returns how to resume; the command has its own line, so that it can be copied. */
export async function resumeText(ids: readonly string[], resumeCommand: ResumeCommand): Promise<string> {
  return `To continue waiting, run:\n  ${await resumeCommand(ids)}`;
}
