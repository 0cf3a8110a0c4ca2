/** Renders the parts that cards of check sessions and test sessions share. */

import { isObject } from '../../../../src/base/object.ts';
import { plural } from '../../../../src/base/plural.ts';
import { formatCommandLine } from '../../../../src/cli/framework/format-command-line.ts';
import type { Deps, Invocation } from '../../../../src/cli/framework/index.ts';
import { checkTypeLabel } from '../../../../src/contract/check-type-facts.ts';
import type { CheckSession } from '../../../../src/contract/resources/session.ts';
import { isStillRunning, type Row, rowsOf } from '../../../../src/gate/format/rows.ts';
import { locationsOf } from '../../../../src/gate/format/session.ts';
import { errorSources } from '../../../../src/gate/summary/error-sources.ts';
import { explain } from '../../../../src/gate/summary/explain.ts';
import { finalResultsOf } from '../../../../src/gate/wait/results.ts';
import {
  checkSessions,
  exitCodeOf,
  readSession,
  type SessionBody,
  type SessionKind,
  type SessionResult,
} from '../../../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../../../src/gate/wait/wait-for-sessions.ts';
import { listed, textOf } from '../../../../src/gate/words/text.ts';
import {
  type Card,
  commands,
  facts,
  links,
  type Section,
  table,
  text,
  tree,
} from '../../../../src/terminal/card/card.ts';
import type { Column } from '../../../../src/terminal/index.ts';

/** Time to load details, in ms. */
const LOAD_TIMEOUT_MS = 2_000;

/** The results of a session. */
export interface SessionDetails {
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  /** The number of attempts of each row, including retried ones. */
  readonly attempts: ReadonlyMap<Row, number>;
}

/** Reads the results of a session, and fetches their errors and durations if the service has them. */
export async function loadSessionDetails(
  deps: Deps,
  kind: SessionKind,
  id: string,
  session: SessionBody,
): Promise<SessionDetails> {
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
        until: clock.monotonic() + LOAD_TIMEOUT_MS,
        all: true,
      },
    );
    return { rows, isRunning: reading.kind !== 'ended', attempts: countAttempts(rows, session) };
  } finally {
    await spinner.stop();
  }
}

/** Counts attempts per location: a retry at another location counts there. */
function countAttempts(rows: readonly Row[], session: SessionBody): ReadonlyMap<Row, number> {
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
const LABELS: Readonly<Record<string, string>> = {
  FAILED: 'Failed',
  ERROR: 'Monitor error',
  TIMED_OUT: 'Timed out',
  CANCELLED: 'Cancelled',
  DEGRADED: 'Degraded',
};

const MAX_ERRORS = 10;
const MAX_LOCATIONS = 4;

/** Summarizes the verdict and the common error; for a running session, the progress. */
export function verdictSection({ rows, isRunning }: SessionDetails, session: SessionBody): Section {
  if (isRunning) return text(formatProgress(rows, session));
  const bad = rows.filter((row) => row.isBad && BAD.has(row.result));
  const [worst] = bad;
  if (!worst) return text('');
  const same = bad.filter((row) => row.result === worst.result);
  const checks = new Set(rows.map((row) => row.name));
  const locations = [...new Set(same.flatMap((row) => row.runLocation ?? []))];
  const where =
    checks.size > 1
      ? `: ${new Set(same.map((row) => row.name)).size} of ${checks.size} checks`
      : locations.length > 0
        ? ` at ${listed(locations, MAX_LOCATIONS)}`
        : '';
  const error = hasSeveralErrors(rows) ? undefined : findCommonError(rows);
  return text(`${LABELS[worst.result]}${where}${error === undefined ? '.' : `: ${error}`}`);
}

function formatProgress(rows: readonly Row[], session: SessionBody): string {
  const done = new Set(rows.flatMap((row) => (row.resultId === undefined ? [] : (row.runLocation ?? []))))
    .size;
  const all = locationsOf(session).length;
  const bad = rows.filter((row) => row.resultId !== undefined && BAD.has(row.result)).length;
  const how = bad > 0 ? `, ${plural(bad, 'failure')}` : '';
  return all > 0 ? `Still running: ${done} of ${plural(all, 'location')} done${how}.` : 'Still running.';
}

/** Returns the error that all failed results share. */
function findCommonError(rows: readonly Row[]): string | undefined {
  const errors = new Set(rows.filter((row) => row.isBad).map(({ error }) => error));
  const [only] = errors;
  return errors.size === 1 ? only : undefined;
}

/** Whether a result has several errors, such as the tests of a suite. */
const hasSeveralErrors = (rows: readonly Row[]): boolean =>
  rows.some((row) => row.isBad && row.errors !== undefined);

/** Lists the distinct errors of results with several errors. */
export function errorsTree({ rows }: SessionDetails): Section {
  const errors = [...new Set(rows.flatMap((row) => (row.isBad ? (row.errors ?? []) : [])))];
  const left = errors.length - MAX_ERRORS;
  const shown = left > 0 ? [...errors.slice(0, MAX_ERRORS), `and ${left} more`] : errors;
  return tree({ heading: 'Errors', branches: shown.map((error) => ({ text: error })) });
}

/** Returns one row for each result, without empty columns. `hasChecks`: whether rows belong to different checks. */
export function resultsTable({ rows, attempts }: SessionDetails, hasChecks: boolean): Section {
  const tellsErrors =
    !hasSeveralErrors(rows) &&
    findCommonError(rows) === undefined &&
    rows.some(({ error }) => error !== undefined);
  const columns: readonly (Column<Row> | false)[] = [
    hasChecks && { key: 'name', header: 'check', priority: 95, minWidth: 14, lines: 2 },
    rows.some(({ runLocation }) => runLocation !== undefined) && {
      key: 'runLocation',
      header: 'location',
      priority: 90,
      minWidth: 24,
    },
    { key: 'result', kind: 'status' },
    rows.some(({ responseTime }) => responseTime !== undefined) && {
      key: 'responseTime',
      header: 'took',
      kind: 'duration',
      priority: 60,
    },
    [...attempts.values()].some((count) => count > 1) && {
      key: 'attempts',
      kind: 'number',
      priority: 40,
      value: (row) => attempts.get(row),
    },
    rows.some(({ tests }) => tests !== undefined) && { key: 'tests', priority: 80, minWidth: 14, lines: 2 },
    tellsErrors && { key: 'error', priority: 75, minWidth: 18, lines: 4 },
    rows.some(({ link }) => link !== undefined) && { key: 'link', kind: 'id', priority: 10 },
  ];
  return table({
    columns: columns.filter((column) => column !== false),
    // A row for the whole session has nothing to add.
    rows: rows.filter((row) => row.resultId !== undefined || row.runLocation !== undefined),
  });
}

/** Limit of links to results below a table without room for them. */
const MAX_LINKS = 5;

/** Returns the link of the session and, if the table has no room, those of failed results. */
export function sessionLinks({ rows }: SessionDetails, url: string | undefined): Section {
  const bad = rows.filter((row) => BAD.has(row.result) && row.link !== undefined && row.link !== url);
  return links([
    { label: 'Link', url },
    ...bad.slice(0, MAX_LINKS).map((row) => ({
      label: [row.result.toLowerCase(), row.runLocation].filter(Boolean).join(' at '),
      url: row.link,
      unlessColumn: 'link',
    })),
  ]);
}

/** Returns the card. Fetches details that the session does not contain. */
export async function checkSessionCard(
  deps: Deps,
  { globals }: Pick<Invocation, 'globals'>,
  session: CheckSession,
): Promise<Card> {
  const id = session.checkSessionId;
  const details = await loadSessionDetails(deps, checkSessions, id, session);
  const line = (...words: readonly string[]): string => formatCommandLine({ globals }, ...words);
  const type = textOf(session.checkType);
  const isBad = !details.isRunning && details.rows.some((row) => row.isBad);
  return {
    title: {
      text: textOf(session.name) ?? 'Check session',
      state: session.status,
      tone: details.isRunning ? 'busy' : undefined,
      aside: type && checkTypeLabel(type),
    },
    sections: [
      verdictSection(details, session),
      facts([
        { label: 'Started', value: session.startedAt, kind: 'time' },
        { label: details.isRunning ? 'Running for' : 'Took', value: session.timeElapsed, kind: 'duration' },
        { label: 'Started by', value: session.runSource },
        { label: 'Check', value: session.checkId, kind: 'id' },
        { label: 'Session', value: id, kind: 'id' },
      ]),
      resultsTable(details, false),
      commands([
        ...(details.isRunning
          ? [
              { does: 'Wait for the verdict', line: line('sessions', 'wait', id) },
              { does: 'Cancel the session', line: line('sessions', 'cancel', id) },
            ]
          : []),
        ...(isBad
          ? [
              session.status === 'DEGRADED'
                ? { does: 'List its results', line: line('checks', 'results', session.checkId) }
                : { does: 'List its errors', line: line('error-groups', 'list', session.checkId) },
              { does: 'Run the check again', line: line('checks', 'run', session.checkId) },
            ]
          : []),
      ]),
      sessionLinks(details, textOf(session.checkSessionLink)),
    ],
  };
}
