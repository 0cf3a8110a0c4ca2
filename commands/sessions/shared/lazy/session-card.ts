/** Sessions as cards: the verdict and what decided it first, then a row a location, and how to go on. */

import { isObject } from '../../../../src/base/object.ts';
import { plural } from '../../../../src/base/plural.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { isStillRunning, type Row, rowsOf } from '../../../../src/gate/format/rows.ts';
import { finalResultsOf, locationsOf } from '../../../../src/gate/format/session.ts';
import { errorSources } from '../../../../src/gate/summary/error-sources.ts';
import { explain } from '../../../../src/gate/summary/explain.ts';
import { listed } from '../../../../src/gate/text.ts';
import {
  exitCodeOf,
  readSession,
  type SessionBody,
  type SessionKind,
  type SessionResult,
} from '../../../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../../../src/gate/wait/wait-for-sessions.ts';
import { links, type Section, table, text, tree } from '../../../../src/terminal/card/card.ts';
import type { Column } from '../../../../src/terminal/index.ts';

/** All that is asked besides takes no longer, in ms. */
const PATIENCE = 2_000;

/** What a card tells of a session's results. */
export interface Told {
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  /** How many attempts each row is of: its own, and those that were retried. */
  readonly attempts: ReadonlyMap<Row, number>;
}

/** Reads a session's results, and asks the service why they failed and how long each took; what it doesn't tell is left out. */
export async function toldOf(deps: Deps, kind: SessionKind, id: string, session: SessionBody): Promise<Told> {
  const { client, clock, signal, terminal } = deps;
  const reading = readSession(kind, id, session);
  const outcome: GateOutcome =
    reading.kind === 'ended'
      ? { id, outcome: reading, exitCode: exitCodeOf(reading.verdict, true) }
      : { id, outcome: { kind: 'deadline', session }, exitCode: 1 };
  const spinner = terminal.spinner('Loading results');
  try {
    const rows = await explain(
      rowsOf([outcome]).map((row) => (isStillRunning(row) ? { ...row, error: undefined } : row)),
      {
        outcomes: [outcome],
        errorSources: async () => errorSources(await client()),
        clock,
        signal,
        until: clock.monotonic() + PATIENCE,
        all: true,
      },
    );
    return { rows, isRunning: reading.kind !== 'ended', attempts: attemptsOf(rows, session) };
  } finally {
    await spinner.stop();
  }
}

/** Of a retry that ran elsewhere the attempts before stand where they were. */
function attemptsOf(rows: readonly Row[], session: SessionBody): ReadonlyMap<Row, number> {
  const finals = new Set(finalResultsOf(session));
  const retried = (session.results ?? []).filter((result) => isObject(result) && !finals.has(result));
  const isOf = (row: Row) => (result: SessionResult) =>
    result.runLocation === row.runLocation && result.checkId === row.checkId;
  return new Map(
    rows
      .filter(({ resultId }) => resultId !== undefined)
      .map((row) => [row, 1 + retried.filter(isOf(row)).length]),
  );
}

const BAD = new Set(['FAILED', 'ERROR', 'TIMED_OUT', 'CANCELLED', 'DEGRADED']);
const WORDS: Readonly<Record<string, string>> = {
  FAILED: 'Failed',
  ERROR: 'Monitor error',
  TIMED_OUT: 'Timed out',
  CANCELLED: 'Cancelled',
  DEGRADED: 'Degraded',
};

/** So many errors are told; the page of the session has all. */
const MOST_ERRORS = 10;
/** How many of the places are named. */
const MOST_PLACES = 4;

/** What decided, in a sentence or two, and what went wrong where it was the same everywhere; of a running session how far it is. */
export function verdictText({ rows, isRunning }: Told, session: SessionBody): Section {
  if (isRunning) return text(runningText(rows, session));
  const bad = rows.filter((row) => row.isBad && BAD.has(row.result));
  const [worst] = bad;
  if (!worst) return text('');
  const same = bad.filter((row) => row.result === worst.result);
  const checks = new Set(rows.map((row) => row.name));
  const places = [...new Set(same.flatMap((row) => row.runLocation ?? []))];
  const where =
    checks.size > 1
      ? `: ${new Set(same.map((row) => row.name)).size} of ${checks.size} checks`
      : places.length > 0
        ? ` at ${listed(places, MOST_PLACES)}`
        : '';
  const error = isSeveral(rows) ? undefined : oneError(rows);
  return text(`${WORDS[worst.result]}${where}${error === undefined ? '.' : `: ${error}`}`);
}

function runningText(rows: readonly Row[], session: SessionBody): string {
  const done = new Set(rows.flatMap((row) => (row.resultId === undefined ? [] : (row.runLocation ?? []))))
    .size;
  const all = locationsOf(session).length;
  const bad = rows.filter((row) => row.resultId !== undefined && BAD.has(row.result)).length;
  const how = bad > 0 ? `, ${plural(bad, 'failure')}` : '';
  return all > 0 ? `Still running: ${done} of ${plural(all, 'location')} done${how}.` : 'Still running.';
}

/** The error of all results that went wrong, where it is the same. */
function oneError(rows: readonly Row[]): string | undefined {
  const errors = new Set(rows.filter((row) => row.isBad).map(({ error }) => error));
  const [only] = errors;
  return errors.size === 1 ? only : undefined;
}

/** Whether results tell more than one thing that went wrong: the tests of a suite. */
const isSeveral = (rows: readonly Row[]): boolean =>
  rows.some((row) => row.isBad && row.errors !== undefined);

/** All that went wrong, where results tell more than one thing; the same in several places once. */
export function errorsTree({ rows }: Told): Section {
  const errors = [...new Set(rows.flatMap((row) => (row.isBad ? (row.errors ?? []) : [])))];
  const left = errors.length - MOST_ERRORS;
  const told = left > 0 ? [...errors.slice(0, MOST_ERRORS), `and ${left} more`] : errors;
  return tree({ heading: 'Errors', branches: told.map((error) => ({ text: error })) });
}

/** A row a result; columns that no row has anything in are left out. `hasChecks`: whether rows are of different checks. */
export function resultsTable({ rows, attempts }: Told, hasChecks: boolean): Section {
  const tellsErrors =
    !isSeveral(rows) && oneError(rows) === undefined && rows.some(({ error }) => error !== undefined);
  const columns: readonly (Column<Row> | false)[] = [
    hasChecks && { key: 'name', header: 'check', priority: 95, minWidth: 14, lines: 2 },
    rows.some(({ runLocation }) => runLocation !== undefined) && {
      ...{ key: 'runLocation', header: 'location', priority: 90, minWidth: 24 },
    },
    { key: 'result', kind: 'status' },
    rows.some(({ responseTime }) => responseTime !== undefined) && {
      ...{ key: 'responseTime', header: 'took', kind: 'duration', priority: 60 },
    },
    [...attempts.values()].some((count) => count > 1) && {
      ...{ key: 'attempts', kind: 'number', priority: 40, value: (row) => attempts.get(row) },
    },
    rows.some(({ tests }) => tests !== undefined) && { key: 'tests', priority: 80, minWidth: 14, lines: 2 },
    tellsErrors && { key: 'error', priority: 75, minWidth: 18, lines: 4 },
    rows.some(({ link }) => link !== undefined) && { key: 'link', kind: 'id', priority: 10 },
  ];
  return table({
    columns: columns.filter((column) => column !== false),
    // Of a session as a whole all is said already.
    rows: rows.filter((row) => row.resultId !== undefined || row.runLocation !== undefined),
  });
}

/** So many links to results are told below a table that has no room for them. */
const MOST_LINKS = 5;

/** The session's own link, and where the table has no room for them those of the results that did not go well. */
export function sessionLinks({ rows }: Told, url: string | undefined): Section {
  const bad = rows.filter((row) => BAD.has(row.result) && row.link !== undefined && row.link !== url);
  return links([
    { label: 'Link', url },
    ...bad.slice(0, MOST_LINKS).map((row) => ({
      label: [row.result.toLowerCase(), row.runLocation].filter(Boolean).join(' at '),
      url: row.link,
      unlessColumn: 'link',
    })),
  ]);
}
