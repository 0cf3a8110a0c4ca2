/** What a gate shows at its end: a row a location and session, what went wrong first; and the bodies for programs. */
import type { CheckSessionResult } from '../contract/resources/session.ts';
import { type Column, sanitizeLine } from '../terminal/index.ts';
import type { GateOutcome } from './gate.ts';
import type { SessionBody, SessionKind } from './verdict.ts';

export interface Row {
  readonly result: string;
  readonly name: string | undefined;
  readonly runLocation: string | undefined;
  readonly status: string;
  readonly timeElapsed: number | undefined;
  readonly session: string;
  readonly checkId: string | undefined;
  /** The result that the row is of; absent where the row stands for a session without results. */
  readonly resultId: string | undefined;
  readonly link: string | undefined;
  /** Whether it keeps the gate from being green. A failed result of a session that passed does not. */
  readonly isBad: boolean;
  /** What went wrong, one line: of a session without a verdict why there is none. */
  readonly error: string | undefined;
}

const columns: readonly Column<Row>[] = [
  { key: 'result', kind: 'status', priority: 90 },
  { key: 'name', header: 'check', priority: 80 },
  { key: 'runLocation', header: 'location', priority: 70 },
  { key: 'status', header: 'session status', kind: 'status', priority: 30 },
  { key: 'timeElapsed', header: 'elapsed', kind: 'duration', priority: 40 },
  { key: 'session', kind: 'id', priority: 60 },
  { key: 'link', priority: 10 },
  { key: 'error', priority: 20 },
];

/** The columns of these rows. A person is spared empty ones: deployments without pages have no links. */
export const columnsOf = (rows: readonly Row[], isForPerson: boolean): readonly Column<Row>[] =>
  columns.filter(
    ({ key }) =>
      !isForPerson || (key !== 'link' && key !== 'error') || rows.some((row) => row[key] !== undefined),
  );

/** The session of an outcome, where any answer told of it. */
export const sessionOf = ({ outcome }: GateOutcome): SessionBody | undefined => outcome.session;

/** How the session stands, in the API's word where there is one. */
export function statusOf(outcome: GateOutcome): string {
  if (outcome.outcome.kind === 'refused')
    return outcome.outcome.error.status === 404 ? 'NOT_FOUND' : 'REFUSED';
  return sessionOf(outcome)?.status ?? 'UNKNOWN';
}

/** The results that count, attempts left out. Only the status of a session is sure to be of its type. */
export function finalResultsOf(session: SessionBody | undefined): readonly CheckSessionResult[] {
  return (Array.isArray(session?.results) ? session.results : []).filter(
    (result) => result !== null && typeof result === 'object' && result.resultType !== 'ATTEMPT',
  );
}

function resultWord(result: CheckSessionResult): string {
  if (result.isCancelled || result.aborted) return 'CANCELLED';
  if (result.hasErrors) return 'ERROR';
  if (result.hasFailures) return 'FAILED';
  return result.isDegraded ? 'DEGRADED' : 'PASSED';
}

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
const rank = (row: Row): number => {
  const place = WORST_FIRST.indexOf(row.result);
  return place === -1 ? WORST_FIRST.length + (row.result === 'PASSED' ? 1 : 0) : place;
};

/** The rows of all outcomes: a final result each, or the session itself where it has none. What failed comes first. */
export function rowsOf(outcomes: readonly GateOutcome[]): readonly Row[] {
  const rows = outcomes.flatMap((outcome): Row[] => {
    const session = sessionOf(outcome);
    const shared = {
      status: statusOf(outcome),
      session: outcome.id,
      timeElapsed: session?.timeElapsed,
      error: 'error' in outcome.outcome ? sanitizeLine(outcome.outcome.error.message) : undefined,
    };
    const isBad = outcome.exitCode !== 0;
    const results = finalResultsOf(session);
    if (results.length === 0) {
      const link = session?.checkSessionLink;
      const { name, checkId } = session ?? {};
      return [
        {
          ...shared,
          ...{
            result: shared.status,
            name,
            checkId,
            runLocation: undefined,
            resultId: undefined,
            link,
            isBad,
          },
        },
      ];
    }
    const order = Array.isArray(session?.runLocations) ? session.runLocations : [];
    const inOrder = results.toSorted(
      (a, b) => order.indexOf(a.runLocation ?? '') - order.indexOf(b.runLocation ?? ''),
    );
    return inOrder.map((result) => ({
      ...shared,
      result: resultWord(result),
      name: result.name ?? session?.name,
      runLocation: result.runLocation,
      checkId: result.checkId ?? session?.checkId,
      resultId: result.checkResultId,
      link: result.checkResultLink ?? session?.checkSessionLink,
      isBad: isBad && resultWord(result) !== 'PASSED',
    }));
  });
  return rows.toSorted((a, b) => rank(a) - rank(b));
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
