/** Handles the status of checks: the outcome of the last session and the extremes of the response time. */
import type { getCheckStatus, ResponseOf } from '../../../contract/index.ts';
import type { DetailPath, LastResult, ResponseTimeRange } from '../../store/engine/measurements.ts';
import type { CheckRecord } from '../../store/index.ts';
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { presentRows, Rows } from './list-responder.ts';
import { requireFound } from './problem.ts';
import { requireCheck } from './references.ts';

/** The fields of a check in its status. */
type ListedCheck = Pick<CheckRecord, 'id' | 'name' | 'status' | 'createdAt'>;
type Status = ResponseOf<typeof getCheckStatus>;

/** Where results have the days until a certificate expires: SSL, HTTP and browser checks. */
const SSL_DAYS: readonly DetailPath[] = [
  ['response', 'daysUntilExpiry'],
  ['tls', 'daysLeft'],
  ['sslCheck', 'daysLeft'],
];

function present(
  { id, name, status, createdAt }: ListedCheck,
  last: LastResult,
  range: ResponseTimeRange | undefined,
): Status {
  const days = last.values.find((value) => typeof value === 'number');
  return {
    name,
    checkId: id,
    hasFailures: status === 'failing',
    hasErrors: last.hasErrors,
    isDegraded: status === 'degraded',
    longestRun: range?.max ?? null,
    shortestRun: range?.min ?? null,
    lastRunLocation: last.location,
    lastCheckRunId: String(last.checkRunId),
    sslDaysRemaining: typeof days === 'number' ? days : null,
    created_at: toIso(createdAt),
    updated_at: toIso(last.createdAt),
  };
}

export function checkStatusHandlers({ store, measurements }: HandlerContext) {
  /** Returns the statuses of the checks that have a result. */
  async function presentAll(checks: readonly ListedCheck[]): Promise<Status[]> {
    const ids = checks.map(({ id }) => id);
    const last = new Map((await measurements.last(ids, SSL_DAYS)).map((result) => [result.checkId, result]));
    const ranges = await measurements.responseTimeRanges(ids);
    return checks.flatMap((check) => {
      const result = last.get(check.id);
      return result === undefined ? [] : [present(check, result, ranges.get(check.id))];
    });
  }

  return {
    async listCheckStatuses({ accountId }) {
      return new Rows(presentRows({ chunks: store.checks.walkHeads(accountId) }, presentAll));
    },
    async getCheckStatus({ accountId, params: { checkId } }) {
      const [status] = await presentAll([await requireCheck(store, accountId, checkId)]);
      return requireFound(status, `result of check ${checkId}`);
    },
  } satisfies Partial<Handlers>;
}
