/** Handles the pings and missed pings of heartbeat checks. Each is the result of a session. */
import type {
  getCheckResult,
  getHeartbeatAvailability,
  getHeartbeatEvent,
  ResponseOf,
} from '../../../contract/index.ts';
import { formatMessages } from '../../../contract/violations.ts';
import { availabilityOf } from '../../engine/results/metric-values.ts';
import { quickRange, type TimeRange } from '../../engine/results/time-range.ts';
import { PERIOD_MS } from '../../store/engine/rollup-periods.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { invalid, notFound, requireFound, violation } from './problem.ts';
import { requireCheck } from './references.ts';

type Availability = ResponseOf<typeof getHeartbeatAvailability>;
type Event = ResponseOf<typeof getHeartbeatEvent>['event'];
type Result = ResponseOf<typeof getCheckResult>;

/** The details of a heartbeat's result, as heartbeats/report.ts writes them. */
interface Details {
  readonly event: 'PING' | 'FAILED' | 'UNFINISHED' | 'MISSED';
  /** When the ping would have been missed; null for the first one. */
  readonly dueAt: string | null;
  readonly method?: string;
  readonly userAgent?: string | null;
}

const detailsOf = (result: Result): Details =>
  (result as { heartbeatCheckResult?: unknown }).heartbeatCheckResult as Details;

/** Returns whether a ping came in time, in the grace period, which ends at its due time, or after a missed one. */
function stateOf(
  { event, dueAt }: Details,
  at: number,
  before: Result | undefined,
  graceMs: number,
): Event['state'] {
  if (event !== 'PING') return 'FAILING';
  if (before !== undefined && ['MISSED', 'UNFINISHED'].includes(detailsOf(before).event)) return 'LATE';
  return dueAt !== null && at > Date.parse(dueAt) - graceMs ? 'GRACE' : 'RECEIVED';
}

function present(result: Result, before: Result | undefined, graceMs: number): Event {
  const details = detailsOf(result);
  const timestamp = result.startedAt ?? '';
  return {
    id: result.id,
    state: stateOf(details, Date.parse(timestamp), before, graceMs),
    timestamp,
    source: details.method ?? null,
    userAgent: details.userAgent ?? null,
  };
}

/** Parses Unix seconds or ISO 8601. Throws `Problem` 400 for other text. */
function parseInstant(text: string, name: 'startTime' | 'endTime'): number {
  const instant = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isFinite(instant)) return instant;
  throw invalid([violation('query', [name], 'instant', `${formatMessages['date-time']} or Unix seconds`)]);
}

interface RangeQuery {
  readonly startTime?: string;
  readonly endTime?: string;
}
function parseRange({ startTime, endTime }: RangeQuery, now: number): TimeRange {
  const to = endTime === undefined ? now + 1 : parseInstant(endTime, 'endTime');
  const from = startTime === undefined ? to - PERIOD_MS.DAY : parseInstant(startTime, 'startTime');
  if (from > to) throw invalid([violation('query', ['endTime'], 'range', 'must not be before startTime')]);
  return { from, to };
}

export function heartbeatEventHandlers({ store, engine, analytics, clock }: HandlerContext) {
  async function require(accountId: string, checkId: string): Promise<CheckRecord> {
    const check = await requireCheck(store, accountId, checkId);
    if (check.type !== 'HEARTBEAT') throw notFound(`heartbeat check ${checkId}`);
    return check;
  }
  const graceOf = async ({ id }: CheckRecord) =>
    requireFound(await store.heartbeats.byCheck(id), `heartbeat of check ${id}`).graceMs;

  async function totalOf({ accountId, id: checkId }: CheckRecord, range: TimeRange) {
    const total = await analytics.total({ accountId, checkId }, range);
    if (total === undefined) throw invalid([violation('query', ['startTime'], 'range', 'is too far back')]);
    return total;
  }
  async function availability(check: CheckRecord, range: TimeRange): Promise<Availability> {
    const { from, to, tally } = await totalOf(check, range);
    const before = await totalOf(check, { from: from - (to - from), to: from });
    const [current, previous] = [availabilityOf(tally), availabilityOf(before.tally)];
    return {
      successRatio: {
        ...(previous === null ? {} : { previousPeriod: previous }),
        ...(current === null ? {} : { currentPeriod: current }),
      },
      totalEntitiesCurrentPeriod: tally.passed + tally.failed,
    };
  }
  const statsOf = async (check: CheckRecord) => ({
    last24Hours: await availability(check, quickRange('last24Hours', clock.now())),
    last7Days: await availability(check, quickRange('last7Days', clock.now())),
  });

  return {
    async getHeartbeatAvailability({ accountId, params, query }) {
      const check = await require(accountId, params.checkId);
      return availability(check, parseRange(query, clock.now()));
    },
    async listHeartbeatEvents({ accountId, params: { checkId }, query }) {
      const check = await require(accountId, checkId);
      const { from, to } = parseRange(query, clock.now());
      const seconds = { from: from / 1000, to: to / 1000 };
      // The state of the oldest one depends on the one before it.
      const page = await engine.results.page({ accountId, checkId, limit: query.limit + 1, ...seconds });
      const graceMs = await graceOf(check);
      const events = page.entries.map((result, index) => present(result, page.entries[index + 1], graceMs));
      return [{ events: events.slice(0, query.limit), stats: await statsOf(check) }];
    },
    async getHeartbeatEvent({ accountId, params: { checkId, id } }) {
      const check = await require(accountId, checkId);
      const result = await engine.results.get(accountId, id);
      const own = requireFound(result?.checkId === checkId && result, `event ${id} of check ${checkId}`);
      const to = (Date.parse(own.startedAt ?? '') + 1) / 1000;
      const { entries } = await engine.results.page({ accountId, checkId, limit: 2, to });
      const before = entries[entries.findIndex((entry) => entry.id === id) + 1];
      return { event: present(own, before, await graceOf(check)), stats: await statsOf(check) };
    },
  } satisfies Partial<Handlers>;
}
