/** What a gate shows at its end: a row a location and session, what went wrong first; and the bodies for programs. */
import type { Column } from '../../terminal/index.ts';
import { firstLine } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionKind, SessionResult } from '../wait/verdict.ts';
import { finalResultsOf, locationsOf, resultWord, sessionOf, statusOf, textOf, tookOf } from './session.ts';
import { countsText, suiteOf, type ToldSuite } from './suite.ts';

export interface Row {
  readonly result: string;
  readonly name: string | undefined;
  readonly runLocation: string | undefined;
  readonly status: string;
  /** Milliseconds that the session took. */
  readonly timeElapsed: number | undefined;
  readonly session: string;
  readonly checkId: string | undefined;
  /** The result that the row is of; absent where the row stands for what has none. */
  readonly resultId: string | undefined;
  readonly link: string | undefined;
  /** Whether it keeps the gate from being green. A failed result of a session that passed does not. */
  readonly isBad: boolean;
  /** What went wrong, one line: what the API tells of the result, or why a session has no verdict. */
  readonly error: string | undefined;
  /** All that went wrong, each one line, where the result itself tells: of a suite one a test that failed. */
  readonly errors?: readonly string[] | undefined;
  /** How many tests came to what, of a suite. */
  readonly tests?: string | undefined;
  readonly suite?: ToldSuite | undefined;
  /** Milliseconds that the result itself took, where the API was asked and told. */
  readonly responseTime?: number | undefined;
}

const columns: readonly Column<Row>[] = [
  { key: 'result', kind: 'status', priority: 90 },
  { key: 'name', header: 'check', priority: 80, minWidth: 28 },
  { key: 'runLocation', header: 'location', priority: 70 },
  { key: 'tests', priority: 75, minWidth: 20 },
  { key: 'status', header: 'session status', kind: 'status', priority: 30, spare: true },
  { key: 'timeElapsed', header: 'elapsed', kind: 'duration', priority: 65 },
  { key: 'session', kind: 'id', isShort: true, priority: 60, spare: true },
  { key: 'link', priority: 10, spare: true },
  { key: 'error', priority: 20 },
];

/** Fields of a row that `--fields` may name besides the columns. */
export const FURTHER_FIELDS: readonly string[] = ['checkId', 'resultId', 'responseTime', 'tests'];

/** Results that a session that is not bad has as a matter of course. */
const GOOD = new Set(['PASSED', 'DEGRADED']);

/** The columns for programs: which they get must not hang on what happened. */
export const columnsForPrograms: readonly Column<Row>[] = columns.filter(({ key }) => key !== 'tests');

/**
 * The columns for a person, who is spared those that tell nothing: links that no row has, a status that no row's result
 * leaves in doubt; and the error where it is told elsewhere.
 */
export const columnsForPeople = (rows: readonly Row[], hasError: boolean): readonly Column<Row>[] =>
  columns.filter(({ key }) => {
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

/** What keeps the gate from being green, then what nobody waited for, then the rest; each the worst first. */
function rank(row: Row): number {
  const place = WORST_FIRST.indexOf(row.result);
  const within = place === -1 ? WORST_FIRST.length + (row.result === 'PASSED' ? 1 : 0) : place;
  return within + 100 * (row.isBad ? (isLeft(row) ? 1 : 0) : 2);
}

/** Why a session has no verdict. */
const NO_VERDICT = {
  deadline: 'still running at the deadline',
  left: 'not awaited',
} as const;

/** Whether the row only says that nobody waited for it any more. */
export const isLeft = ({ error, resultId }: Row): boolean =>
  error === NO_VERDICT.left && resultId === undefined;
/** Whether the row only says that nothing came before the deadline. */
export const isOpen = ({ error, resultId }: Row): boolean =>
  error === NO_VERDICT.deadline && resultId === undefined;

/**
 * The rows of all outcomes: a final result each, and one for each location (or the session itself) that is without one
 * though the session is not good. What keeps the gate from being green comes first.
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
  const places = new Map(order.map((location, index) => [location, index]));
  const place = (location: string | undefined) => places.get(location ?? '') ?? order.length;
  const results = finalResultsOf(session).map((result): Row => {
    const word = resultWord(result);
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
      isBad: isBad && isReason(word, outcome),
      error: errors[0],
    };
  });
  const rest = missing(outcome, order, results).map(
    (runLocation): Row => ({
      ...shared,
      result: runLocation === undefined ? status : owed(status),
      ...{ name: textOf(session?.name), checkId: textOf(session?.checkId), runLocation },
      ...{ resultId: undefined, link: sessionLink, isBad, error: noVerdict(outcome) },
    }),
  );
  return [...results, ...rest].toSorted((a, b) => place(a.runLocation) - place(b.runLocation));
}

/** What a result itself tells went wrong, each in one line. */
const errorsOf = ({ errors }: SessionResult): readonly string[] =>
  (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => firstLine(textOf(error) ?? '') ?? []);

/** A location without a result while its session runs: what others brought is not its own. */
const owed = (status: string): string => (/^PROGRESS_/.test(status) ? 'PROGRESS' : status);

/** Whether a result of a session that is not good has its part in that: a degraded one only where the session is no worse. */
function isReason(word: string, { outcome }: GateOutcome): boolean {
  if (word === 'DEGRADED') return outcome.kind === 'ended' && outcome.verdict === 'degraded';
  return word !== 'PASSED';
}

/** The locations that a row is owed to: those without a result; the session as a whole (undefined) where no row tells of it. */
function missing(
  { outcome, exitCode }: GateOutcome,
  locations: readonly string[],
  results: readonly Row[],
): readonly (string | undefined)[] {
  if (results.length === 0) return locations.length === 1 ? locations : [undefined];
  if (exitCode === 0) return [];
  const seen = new Set(results.map(({ runLocation }) => runLocation));
  const without = locations.filter((location) => !seen.has(location));
  // A deployment may call locations otherwise in results: then nobody knows which are without.
  if (without.length > 0 && without.length === locations.length - seen.size) return without;
  return outcome.kind === 'ended' && results.some((row) => row.isBad) ? [] : [undefined];
}

function noVerdict({ outcome }: GateOutcome): string | undefined {
  if ('error' in outcome) return firstLine(outcome.error.message);
  return outcome.kind === 'ended' ? undefined : NO_VERDICT[outcome.kind];
}

/** What `--json` prints of an outcome: the API's body as it came, or what is known instead. */
export function bodyOf(kind: SessionKind, outcome: GateOutcome): unknown {
  const session = sessionOf(outcome);
  if (session && (outcome.outcome.kind === 'ended' || outcome.outcome.kind === 'deadline')) return session;
  const error = 'error' in outcome.outcome ? outcome.outcome.error : undefined;
  return {
    ...(session ?? { [kind.idField]: outcome.id, status: null }),
    ...(error ? { error: { kind: error.kind, message: error.message } } : {}),
  };
}
