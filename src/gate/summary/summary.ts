/** Prints a gate's end: its sessions on stdout, what went wrong first, and on stderr why. */

import type { Clock } from '../../base/clock.ts';
import { OutputError } from '../../base/errors.ts';
import { raceWithAbort } from '../../base/race-with-abort.ts';
import { type OutputOptions, render, type Terminal } from '../../terminal/index.ts';
import {
  bodyOf,
  columnsForPeople,
  columnsForPrograms,
  FURTHER_FIELDS,
  isLeft,
  isOpen,
  type Row,
  rowsOf,
} from '../format/rows.ts';
import { counted } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionKind } from '../wait/verdict.ts';
import type { ErrorSources } from './error-sources.ts';
import { explain } from './explain.ts';
import { whyLines } from './why.ts';

export interface EndOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** On the monotonic clock, in ms: till then the service may be asked why. */
  readonly until: number;
  readonly kind: SessionKind;
  readonly output: OutputOptions;
  /** Whether reports will be made of the rows. */
  readonly isReported: boolean;
  /** Makes the way of asking why results failed; without one nobody is asked. */
  readonly sources?: (() => Promise<ErrorSources>) | undefined;
  /** The command line that lists the errors of a check. */
  readonly more: (checkId: string) => string;
}

/** What was printed. */
export interface Printed {
  /** The rows, with what the API told of them. */
  readonly rows: readonly Row[];
  /** What kept the result from being printed: told at the end, for the verdict comes first. */
  readonly fault: OutputError | undefined;
}

/** Rows of a table that a person looks through; of what went well no more are shown. */
const MOST_ROWS = 20;
/** For so few more nothing is left out. */
const SPARE_ROWS = 5;

/**
 * Prints the outcomes; `many`: as an array where that is asked for. Rejects with the signal's reason as soon as it is
 * aborted, also where nobody reads what is printed.
 */
export async function printEnd(
  options: EndOptions,
  outcomes: readonly GateOutcome[],
  many: boolean,
): Promise<Printed> {
  const { terminal, output, kind, signal } = options;
  const told = rowsOf(outcomes);
  const asked = async (): Promise<readonly Row[]> => {
    const rows = await explained(options, outcomes, told);
    signal.throwIfAborted();
    return rows;
  };
  // A reader that never reads must not hold an interrupted gate.
  const printed = (printing: Promise<void>) => outputFault(raceWithAbort(printing, signal));

  const { format } = output;
  if (format === 'json' || format === 'jsonl' || format === 'yaml') {
    const data = outcomes.map((outcome) => bodyOf(kind, outcome));
    const fault = await printed(render(terminal, { kind: many ? 'list' : 'items', data, output }));
    return { rows: options.isReported ? await asked() : told, fault };
  }
  // Where stderr says why on the same screen, the table need not; nor wait for it.
  if (terminal.stdoutIsTTY && terminal.stderrIsTTY && (format ?? 'table') === 'table') {
    const fault = await printed(printTable(options, told));
    const rows = await asked();
    await printWhy(options, rows, outcomes);
    return { rows, fault };
  }
  const rows = await asked();
  const columns =
    terminal.stdoutIsTTY && (format ?? 'table') === 'table'
      ? columnsForPeople(rows, true)
      : columnsForPrograms;
  const fault = await printed(
    render(terminal, {
      ...{ kind: 'list', data: rows, columns, output, knownFields: FURTHER_FIELDS },
      whole: wholeOf(kind),
    }),
  );
  await printWhy(options, rows, outcomes);
  return { rows, fault };
}

async function explained(
  { terminal, sources, clock, signal, until }: EndOptions,
  outcomes: readonly GateOutcome[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (!sources) return rows;
  const spinner = terminal.spinner('Loading the errors');
  try {
    return await explain(rows, { outcomes, sources, clock, signal, until });
  } finally {
    await spinner.stop();
  }
}

/** What shows all of a session: the command that started it would start another. */
const wholeOf = ({ noun }: SessionKind): string =>
  `"sonde ${noun === 'check session' ? 'sessions' : 'test-sessions'} get <id>"`;

/** The table for a person: what is bad in full, the rest where it is not much. */
async function printTable({ terminal, output, kind }: EndOptions, rows: readonly Row[]): Promise<void> {
  const needed = rows.filter((row) => row.isBad && !isLeft(row) && !isOpen(row)).length;
  const most = Math.max(needed, MOST_ROWS);
  const shown = terminal.quiet || rows.length <= most + SPARE_ROWS ? rows : rows.slice(0, most);
  const columns = columnsForPeople(shown, false);
  await render(terminal, {
    ...{ kind: 'list', data: shown, columns, output, knownFields: FURTHER_FIELDS },
    whole: wholeOf(kind),
  });
  const left = rows
    .slice(shown.length)
    .map((row) =>
      row.error !== undefined && (isLeft(row) || isOpen(row)) ? row.error : row.result.toLowerCase(),
    );
  if (left.length === 0) return;
  await terminal.note(
    `Rows not shown: ${counted(left).join(', ')}. For all rows of a session, run ${wholeOf(kind)}.`,
  );
}

/** Why, on stderr, where people read: also with `--quiet`, for it belongs to the error. */
async function printWhy(
  { terminal, more }: EndOptions,
  rows: readonly Row[],
  outcomes: readonly GateOutcome[],
): Promise<void> {
  const styles = await terminal.styles('stderr');
  const columns = terminal.stderrIsTTY ? terminal.width - 2 : Number.POSITIVE_INFINITY;
  const isOne = new Set(outcomes.map(({ id }) => id)).size === 1;
  const untold = isOne ? rows.filter((row) => !isInTheSentence(row, outcomes[0])) : rows;
  const lines = whyLines(untold, { styles, more, wrap: await wrapper(columns), plain: terminal.plain });
  if (lines.length > 0) await terminal.err(`${lines.join('\n')}\n`);
}

/** Of a single session the sentence at the end tells why nobody knows its verdict. */
const isInTheSentence = ({ resultId, runLocation, error }: Row, only: GateOutcome | undefined): boolean =>
  resultId === undefined &&
  error !== undefined &&
  only !== undefined &&
  ('error' in only.outcome || (only.outcome.kind === 'deadline' && runLocation === undefined));

async function wrapper(columns: number): Promise<(line: string) => readonly string[]> {
  if (columns === Number.POSITIVE_INFINITY) return (line) => [line];
  const { wrapWords } = await import('../../terminal/lazy/wrap.ts');
  return (line) => wrapWords(line, Math.max(20, columns));
}

/** Gives what could not be written. */
async function outputFault(printing: Promise<void>): Promise<OutputError | undefined> {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError) return error;
    throw error;
  }
}
