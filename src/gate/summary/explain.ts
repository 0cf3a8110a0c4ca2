/** Asks the API why results failed once the verdict is known: for failing rows only, briefly, and never at its expense. */
import type { Clock } from '../../base/clock.ts';
import { toInstant } from '../../terminal/index.ts';
import type { Row } from '../format/rows.ts';
import { elapsedOf, finalResultsOf, sessionOf, textOf } from '../format/session.ts';
import { firstLine } from '../text.ts';
import type { GateOutcome } from '../wait/gate.ts';
import type { SessionBody } from '../wait/verdict.ts';
import {
  type ErrorSources,
  readErrorGroups,
  readResults,
  type ToldGroup,
  type ToldResult,
  type Window,
} from './error-sources.ts';

export interface ExplainOptions {
  readonly outcomes: readonly GateOutcome[];
  /** Makes the way of asking. */
  readonly sources: () => Promise<ErrorSources>;
  readonly clock: Clock;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** On the monotonic clock, in ms: nothing is asked any more then. */
  readonly until: number;
  /** Asks how long those took that went well, too. */
  readonly all?: boolean;
}

/** All of it takes no longer, in ms. */
const MOST_MS = 2_000;
/** So many checks are asked about at most, and so many at a time. */
const MOST_CHECKS = 10;
const AT_A_TIME = 4;

/** What can be told of a row. */
type Explanation = Pick<Row, 'error' | 'responseTime'>;

/**
 * The same rows, with the error and the duration of those that failed (with `all` the duration of the others, too), where
 * the API links them to the row's result. Never rejects, and never takes more than two seconds, nor longer than `until`: what is not known by then stays untold.
 */
export async function explain(
  rows: readonly Row[],
  { outcomes, sources, clock, signal, until, all = false }: ExplainOptions,
): Promise<readonly Row[]> {
  const byCheck = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.checkId === undefined || !(isUnexplained(row) || (all && row.resultId !== undefined))) continue;
    const known = byCheck.get(row.checkId);
    if (known) known.push(row);
    else if (byCheck.size < MOST_CHECKS) byCheck.set(row.checkId, [row]);
  }
  const mostMs = Math.min(MOST_MS, until - clock.monotonic());
  if (byCheck.size === 0 || mostMs <= 0 || signal.aborted) return rows;

  const told = new Map<Row, Explanation>();
  const enough = new AbortController();
  const stop = () => enough.abort();
  const stopped = new Promise<void>((resolve) =>
    enough.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  signal.addEventListener('abort', stop, { once: true });
  clock.sleep(mostMs, enough.signal).then(stop, () => {});
  const sessions = new Map(outcomes.map((outcome) => [outcome.id, sessionOf(outcome)]));
  const work = async () => {
    const api = await sources();
    const queue = byCheck.entries();
    const worker = async () => {
      for (const [checkId, its] of queue) {
        if (enough.signal.aborted) return;
        await explainCheck(checkId, its, { api, sessions, clock, told, signal: enough.signal });
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  };
  try {
    await Promise.race([work(), stopped]);
  } catch {
    // No explanation: the verdict stands without.
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
  return rows.map((row) => (told.has(row) ? { ...row, ...told.get(row) } : row));
}

/** Whether the API may know more: something ran, did not go well, and nothing is said about it yet. */
const isUnexplained = ({ isBad, error, result, resultId }: Row): boolean =>
  isBad &&
  error === undefined &&
  (result === 'FAILED' || result === 'ERROR' || (result === 'DEGRADED' && resultId !== undefined));

interface Asking {
  readonly api: ErrorSources;
  readonly sessions: ReadonlyMap<string, SessionBody | undefined>;
  readonly clock: Clock;
  readonly told: Map<Row, Explanation>;
  readonly signal: AbortSignal;
}

/** Explains the rows of one check: by their results, else by the error groups. */
async function explainCheck(checkId: string, rows: readonly Row[], asking: Asking): Promise<void> {
  const { api, sessions, told, signal } = asking;
  const spans = new Map(rows.map(({ session }) => [session, spanOf(sessions.get(session), asking.clock)]));
  const results = new Map<string, ToldResult>();
  if (rows.some(({ resultId }) => resultId !== undefined)) {
    const answer = await quietly(api.results(checkId, windowOf([...spans.values()]), signal));
    for (const result of readResults(answer)) results.set(result.id, result);
  }
  const left = rows.filter((row) => {
    const { message, responseTime } = results.get(row.resultId ?? '') ?? {};
    const error = message === undefined ? undefined : firstLine(message);
    if (error !== undefined || responseTime !== undefined) told.set(row, { error, responseTime });
    return error === undefined && row.result !== 'DEGRADED' && isUnexplained(row);
  });
  if (left.length === 0) return;

  const groups = readErrorGroups(await quietly(api.errorGroups(checkId, signal))).filter(
    (group) => group.checkId === undefined || group.checkId === checkId,
  );
  // Once a session: it may have thousands of results.
  const linksOf = new Map(
    [...spans].map(([session, span]) => [session, links(sessions.get(session), groups, span)]),
  );
  for (const row of left) {
    const { ofResults, ofSession, latest } = linksOf.get(row.session) ?? links(undefined, groups, undefined);
    const own = new Set([
      ...(ofResults.get(row.resultId) ?? []),
      ...(results.get(row.resultId ?? '')?.errorGroupIds ?? []),
    ]);
    const linked = own.size === 0 ? undefined : groups.find(({ id }) => own.has(id));
    const message = firstLine((linked ?? ofSession ?? latest)?.message ?? '');
    if (message === undefined) continue;
    const error = linked
      ? message
      : `${ofSession ? 'from the session' : 'latest error of the check'}: ${message}`;
    told.set(row, { error, responseTime: told.get(row)?.responseTime });
  }
}

/** What links a session to the errors of a check. */
interface Links {
  /** Ids of groups by the id of the result. */
  readonly ofResults: ReadonlyMap<string | undefined, readonly string[]>;
  /** The first group that the session itself names. */
  readonly ofSession: ToldGroup | undefined;
  /** The one that was last seen while it ran. */
  readonly latest: ToldGroup | undefined;
}

function links(
  session: SessionBody | undefined,
  groups: readonly ToldGroup[],
  span: Span | undefined,
): Links {
  const ofResults = new Map<string | undefined, readonly string[]>();
  for (const result of finalResultsOf(session)) {
    const id = textOf(result.checkResultId) ?? textOf(result.testSessionResultId);
    if (id !== undefined && !ofResults.has(id) && Array.isArray(result.errorGroupIds))
      ofResults.set(id, result.errorGroupIds);
  }
  const seen = new Set(Array.isArray(session?.errorGroupIds) ? session.errorGroupIds : []);
  return {
    ofResults,
    ofSession: groups.find(({ id }) => seen.has(id)),
    latest: span && latestWithin(groups, span),
  };
}

async function quietly(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch {
    return undefined;
  }
}

/** When a session ran, in ms since the epoch, by the clock of the service. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf(session: SessionBody | undefined, clock: Clock): Span | undefined {
  const from = toInstant(session?.startedAt);
  if (from === undefined) return undefined;
  const elapsed = elapsedOf(session);
  const to = toInstant(session?.stoppedAt) ?? (elapsed === undefined ? clock.now() : from + elapsed);
  return { from, to: Math.max(from, to) };
}

/** What the API allows, in seconds (specification, endpoint 20, rule 8). */
const LONGEST_WINDOW = 6 * 60 * 60;
/** Results may be stored a little before and after what the session tells, in seconds. */
const MARGIN = 60;

/** The window round the sessions; none where one of them does not tell when it ran. */
function windowOf(spans: readonly (Span | undefined)[]): Window | undefined {
  const known = spans.filter((span) => span !== undefined);
  if (known.length < spans.length) return undefined;
  const to = Math.ceil(Math.max(...known.map((span) => span.to)) / 1000) + MARGIN;
  const from = Math.floor(Math.min(...known.map((span) => span.from)) / 1000) - MARGIN;
  return { from: Math.max(0, from, to - LONGEST_WINDOW), to };
}

/** The error that was last seen while the session ran. */
function latestWithin(groups: readonly ToldGroup[], { from, to }: Span): ToldGroup | undefined {
  const at = (group: ToldGroup) => toInstant(group.lastSeen) ?? Number.NaN;
  return groups.filter((group) => at(group) >= from && at(group) <= to).toSorted((a, b) => at(b) - at(a))[0];
}
