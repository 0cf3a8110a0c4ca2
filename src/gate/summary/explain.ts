/** Adds error messages from the API to failed rows once the verdict is known, within a short time limit. */

import pLimit from 'p-limit';
import { createLinkedController, raceWithAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { toInstant } from '../../terminal/index.ts';
import type { Row } from '../format/rows.ts';
import { elapsedOf, sessionOf } from '../format/session.ts';
import { finalResultsOf } from '../wait/results.ts';
import type { SessionBody } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';
import { firstLine, textOf } from '../words/text.ts';
import {
  type ErrorGroupSummary,
  type ErrorSources,
  type ResultSummary,
  readErrorGroups,
  readResults,
  type Window,
} from './error-sources.ts';

export interface ExplainOptions {
  readonly outcomes: readonly GateOutcome[];
  /** Opens the requests. */
  readonly errorSources: () => Promise<ErrorSources>;
  readonly clock: Clock;
  /** Stops at once. */
  readonly signal: AbortSignal;
  /** End of all requests: ms on the monotonic clock. */
  readonly until: number;
  /** Whether to request the durations of passed results, too. */
  readonly all?: boolean;
}

/** Time limit for all requests together, in ms. */
const MAX_MS = 2_000;
/** Limits on the checks that are explained, in all and at a time. */
const MAX_CHECKS = 10;
const CONCURRENCY = 4;

/** The fields that an explanation adds to a row. */
type Explanation = Pick<Row, 'error' | 'responseTime'>;

/**
 * Returns the rows with the error and duration of those that failed (with `all`, the duration of the others, too), if the API
 * links them to the result of the row. Never rejects, and takes at most two seconds and never beyond `until`.
 */
export async function explain(
  rows: readonly Row[],
  { outcomes, errorSources: sources, clock, signal, until, all = false }: ExplainOptions,
): Promise<readonly Row[]> {
  const byCheck = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.checkId === undefined || !(isUnexplained(row) || (all && row.resultId !== undefined))) continue;
    const known = byCheck.get(row.checkId);
    if (known) known.push(row);
    else if (byCheck.size < MAX_CHECKS) byCheck.set(row.checkId, [row]);
  }
  const mostMs = Math.min(MAX_MS, until - clock.monotonic());
  if (byCheck.size === 0 || mostMs <= 0 || signal.aborted) return rows;

  const explanations = new Map<Row, Explanation>();
  const enough = createLinkedController(signal);
  clock.sleep(mostMs, enough.signal).then(
    () => enough.abort(),
    () => {},
  );
  const sessions = new Map(outcomes.map((outcome) => [outcome.id, sessionOf(outcome)]));
  const work = async () => {
    const api = await sources();
    const scope = { api, sessions, clock, explanations, signal: enough.signal };
    const limit = pLimit(CONCURRENCY);
    await Promise.all(
      [...byCheck].map(([checkId, its]) =>
        limit(async () => {
          if (!enough.signal.aborted) await explainCheck(checkId, its, scope);
        }),
      ),
    );
  };
  try {
    await raceWithAbort(work(), enough.signal);
  } catch {
    // Without an explanation the verdict is still valid.
  } finally {
    enough.unlink();
    enough.abort();
  }
  return rows.map((row) => (explanations.has(row) ? { ...row, ...explanations.get(row) } : row));
}

/** Whether the API may know more: the result is bad and has no message yet. */
const isUnexplained = ({ isBad, error, result, resultId }: Row): boolean =>
  isBad &&
  error === undefined &&
  (result === 'FAILED' || result === 'ERROR' || (result === 'DEGRADED' && resultId !== undefined));

interface CheckContext {
  readonly api: ErrorSources;
  readonly sessions: ReadonlyMap<string, SessionBody | undefined>;
  readonly clock: Clock;
  readonly explanations: Map<Row, Explanation>;
  readonly signal: AbortSignal;
}

/** Explains the rows of one check with its results, otherwise with its error groups. */
async function explainCheck(checkId: string, rows: readonly Row[], context: CheckContext): Promise<void> {
  const { api, sessions, explanations, signal } = context;
  const spans = new Map(rows.map(({ session }) => [session, spanOf(sessions.get(session), context.clock)]));
  const results = new Map<string, ResultSummary>();
  if (rows.some(({ resultId }) => resultId !== undefined)) {
    const answer = await orUndefined(api.results(checkId, windowOf([...spans.values()]), signal));
    for (const result of readResults(answer)) results.set(result.id, result);
  }
  const left = rows.filter((row) => {
    const { message, responseTime } = results.get(row.resultId ?? '') ?? {};
    const error = message === undefined ? undefined : firstLine(message);
    if (error !== undefined || responseTime !== undefined) explanations.set(row, { error, responseTime });
    return error === undefined && row.result !== 'DEGRADED' && isUnexplained(row);
  });
  if (left.length === 0) return;

  const groups = readErrorGroups(await orUndefined(api.errorGroups(checkId, signal))).filter(
    (group) => group.checkId === undefined || group.checkId === checkId,
  );
  // Computed once per session, which may have thousands of results.
  const linksOf = new Map(
    [...spans].map(([session, span]) => [session, sessionLinks(sessions.get(session), groups, span)]),
  );
  for (const row of left) {
    const { ofResults, ofSession, latest } =
      linksOf.get(row.session) ?? sessionLinks(undefined, groups, undefined);
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
    explanations.set(row, { error, responseTime: explanations.get(row)?.responseTime });
  }
}

/** The error groups to which a session is linked. */
interface SessionLinks {
  /** IDs of error groups by result ID. */
  readonly ofResults: ReadonlyMap<string | undefined, readonly string[]>;
  /** The first group that the session names. */
  readonly ofSession: ErrorGroupSummary | undefined;
  /** The group last seen while the session ran. */
  readonly latest: ErrorGroupSummary | undefined;
}

function sessionLinks(
  session: SessionBody | undefined,
  groups: readonly ErrorGroupSummary[],
  span: Span | undefined,
): SessionLinks {
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

async function orUndefined(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch {
    return undefined;
  }
}

/** When a session ran, in ms since the epoch on the clock of the service. */
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

/** Longest time range of the API, in seconds (specification, endpoint 20, rule 8). */
const LONGEST_WINDOW = 6 * 60 * 60;
/** Results may be stored slightly before and after the session, in seconds. */
const MARGIN = 60;

/** Returns the time range of all sessions; undefined if the time of one is unknown. */
function windowOf(spans: readonly (Span | undefined)[]): Window | undefined {
  const known = spans.filter((span) => span !== undefined);
  if (known.length < spans.length) return undefined;
  const to = Math.ceil(Math.max(...known.map((span) => span.to)) / 1000) + MARGIN;
  const from = Math.floor(Math.min(...known.map((span) => span.from)) / 1000) - MARGIN;
  return { from: Math.max(0, from, to - LONGEST_WINDOW), to };
}

/** Returns the error group last seen while the session ran. */
function latestWithin(
  groups: readonly ErrorGroupSummary[],
  { from, to }: Span,
): ErrorGroupSummary | undefined {
  const at = (group: ErrorGroupSummary) => toInstant(group.lastSeen) ?? Number.NaN;
  return groups.filter((group) => at(group) >= from && at(group) <= to).toSorted((a, b) => at(b) - at(a))[0];
}
