/** Builds the rows of a gate's summary: one per session and location, failures first; and the bodies for JSON. */

import type { Column } from '../../terminal/index.ts';
import { finalResultsOf, resultStatus } from '../wait/results.ts';
import type { SessionKind, SessionResult } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { firstLine, textOf } from '../words/text.ts';
import { NO_VERDICT } from './reason.ts';
import { degradationOf, durationOf, locationsOf, sessionOf, statusOf, tookOf } from './session.ts';
import { countsText, type SuiteSummary, suiteOf } from './suite.ts';

export interface Row {
  readonly result: string;
  readonly name: string | undefined;
  readonly runLocation: string | undefined;
  readonly status: string;
  /** Duration of the session, in ms. */
  readonly timeElapsed: number | undefined;
  readonly session: string;
  readonly checkId: string | undefined;
  /** ID of the result; undefined if the row stands for a missing result. */
  readonly resultId: string | undefined;
  readonly link: string | undefined;
  /** Whether it makes the gate fail. A failed result of a passed session does not. */
  readonly isBad: boolean;
  /** The error in one line: of the result, or why the session has no verdict. */
  readonly error: string | undefined;
  /** All errors in the result, one line each; of a suite, one per failed test. */
  readonly errors?: readonly string[] | undefined;
  /** Test counts of a suite. */
  readonly tests?: string | undefined;
  readonly suite?: SuiteSummary | undefined;
  /** Duration of the result in ms, if the API was asked for it. */
  readonly responseTime?: number | undefined;
}

const columns: readonly Column<Row>[] = [
  { key: 'result', kind: 'status', priority: 90 },
  { key: 'name', header: 'check', priority: 80, minWidth: 28 },
  { key: 'runLocation', header: 'location', priority: 70 },
  { key: 'tests', priority: 75, minWidth: 20 },
  { key: 'status', header: 'session status', kind: 'status', priority: 30, isRedundant: true },
  { key: 'timeElapsed', header: 'elapsed', kind: 'duration', priority: 65 },
  { key: 'session', kind: 'id', isShort: true, priority: 60, isRedundant: true },
  { key: 'link', priority: 10, isRedundant: true },
  { key: 'error', priority: 20 },
];

/** Fields that `--fields` accepts besides the columns. */
export const FURTHER_FIELDS: readonly string[] = ['checkId', 'resultId', 'responseTime', 'tests'];

/** Results that are normal for a good session. */
const GOOD = new Set(['PASSED', 'DEGRADED']);

/** The columns for programs. They must not depend on the results. */
export const columnsForPrograms: readonly Column<Row>[] = columns.filter(({ key }) => key !== 'tests');

/**
 * Returns the columns for a person: without IDs that no command reads and links that no row has, without the status if the results already imply it, and
 * without the error if it is printed elsewhere.
 */
export const columnsForPeople = (
  rows: readonly Row[],
  hasError: boolean,
  { isLocal }: Pick<SessionKind, 'isLocal'>,
): readonly Column<Row>[] =>
  columns.filter(({ key }) => {
    if (key === 'session') return !isLocal;
    if (key === 'status') return rows.some((row) => !row.isBad && !GOOD.has(row.result));
    if (key === 'tests') return rows.some(({ tests }) => tests !== undefined);
    if (key === 'link') return rows.some(({ link }) => link !== undefined);
    return key !== 'error' || (hasError && rows.some(({ error }) => error !== undefined));
  });

const WORST_FIRST = [
  'FAILED',
  'ERROR',
  'TIMED_OUT',
  'NOT_FOUND',
  'REFUSED',
  'UNKNOWN',
  'CANCELLED',
  'DEGRADED',
];

/** Orders bad rows first, then sessions that were not awaited, then the rest; within each, the worst first. */
function rank(row: Row): number {
  const index = WORST_FIRST.indexOf(row.result);
  const within = index === -1 ? WORST_FIRST.length + (row.result === 'PASSED' ? 1 : 0) : index;
  return within + 100 * (row.isBad ? (isNotAwaited(row) ? 1 : 0) : 2);
}

/** Whether the row only states that the session was not awaited. */
export const isNotAwaited = ({ error, resultId }: Row): boolean =>
  error === NO_VERDICT.left && resultId === undefined;
/** Whether the row only states that no end of the session was seen until the deadline. */
export const isStillRunning = ({ error, resultId }: Row): boolean =>
  (error === NO_VERDICT.deadline || error === NO_VERDICT.unread) && resultId === undefined;

/**
 * Returns the rows of all outcomes: one per final result, and one per location (or session) without a result if the session is
 * not good. Bad rows come first.
 */
export function rowsOf(outcomes: readonly GateOutcome[]): readonly Row[] {
  const distinct = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  return [...distinct.values()].flatMap(rowsOfOne).toSorted((a, b) => rank(a) - rank(b));
}

function rowsOfOne(outcome: GateOutcome): readonly Row[] {
  const session = sessionOf(outcome);
  const status = statusOf(outcome);
  const isBad = outcome.exitCode !== 0;
  const sessionLink = textOf(session?.checkSessionLink) ?? textOf(session?.testSessionLink);
  const shared = {
    status,
    session: outcome.id,
    timeElapsed: tookOf(outcome),
  };
  const order = locationsOf(session);
  const positions = new Map(order.map((location, index) => [location, index]));
  const positionOf = (location: string | undefined) => positions.get(location ?? '') ?? order.length;
  const results = finalResultsOf(session).map((result): Row => {
    const word = resultStatus(result);
    const errors = word === 'PASSED' ? [] : errorsOf(result);
    const suite = suiteOf(result);
    return {
      ...shared,
      ...(errors.length > 1 ? { errors } : {}),
      ...(suite === undefined ? {} : { suite, tests: countsText(suite.counts) }),
      result: word,
      name: textOf(result.name) ?? textOf(session?.name),
      runLocation: textOf(result.runLocation),
      checkId: textOf(result.checkId) ?? textOf(session?.checkId),
      resultId: textOf(result.checkResultId) ?? textOf(result.testSessionResultId),
      link: textOf(result.checkResultLink) ?? textOf(result.testSessionResultLink) ?? sessionLink,
      isBad: isBad && explainsVerdict(word, outcome),
      error: errors[0] ?? (word === 'DEGRADED' ? firstLine(degradationOf(result) ?? '') : undefined),
      responseTime: durationOf(result.responseTime),
    };
  });
  const rest = locationsWithoutRow(outcome, order, results).map(
    (runLocation): Row => ({
      ...shared,
      result: runLocation === undefined ? status : statusWithoutResult(status),
      name: textOf(session?.name),
      checkId: textOf(session?.checkId),
      runLocation,
      resultId: undefined,
      link: sessionLink,
      isBad,
      error: errorOf(outcome),
    }),
  );
  return [...results, ...rest].toSorted((a, b) => positionOf(a.runLocation) - positionOf(b.runLocation));
}

/** Returns the errors in a result, one line each. */
const errorsOf = ({ errors }: SessionResult): readonly string[] =>
  (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => firstLine(textOf(error) ?? '') ?? []);

/** Returns the status of a location without a result: a running session counts as PROGRESS there. */
const statusWithoutResult = (status: string): string => (/^PROGRESS_/.test(status) ? 'PROGRESS' : status);

/** Whether a result explains the verdict of a bad session; a degraded result only explains a degraded session. */
function explainsVerdict(word: string, { outcome }: GateOutcome): boolean {
  if (word === 'DEGRADED') return outcome.kind === 'ended' && outcome.verdict === 'degraded';
  return word !== 'PASSED';
}

/** Returns the locations that need a row: those without a result; undefined for the session itself if no row explains it. */
function locationsWithoutRow(
  { outcome, exitCode }: GateOutcome,
  locations: readonly string[],
  results: readonly Row[],
): readonly (string | undefined)[] {
  if (results.length === 0) return locations.length === 1 ? locations : [undefined];
  if (exitCode === 0) return [];
  const seen = new Set(results.map(({ runLocation }) => runLocation));
  const without = locations.filter((location) => !seen.has(location));
  // A deployment may name locations differently in results; then the missing ones are unknown.
  if (without.length > 0 && without.length === locations.length - seen.size) return without;
  return outcome.kind === 'ended' && results.some((row) => row.isBad) ? [] : [undefined];
}

function errorOf({ outcome }: GateOutcome): string | undefined {
  if ('error' in outcome) return firstLine(outcome.error.message);
  return outcome.kind === 'ended' ? undefined : NO_VERDICT[outcome.kind];
}

/** Returns the JSON of an outcome: the body of the API as received, or the known parts. */
export function bodyOf(kind: SessionKind, outcome: GateOutcome): unknown {
  const session = sessionOf(outcome);
  if (session && ['ended', 'deadline', 'unread'].includes(outcome.outcome.kind)) return session;
  const error = 'error' in outcome.outcome ? outcome.outcome.error : undefined;
  return {
    ...(session ?? { [kind.idField]: outcome.id, status: null }),
    ...(error ? { error: { kind: error.kind, message: error.message } } : {}),
  };
}
