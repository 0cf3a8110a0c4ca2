/** Puts results into the store of a service as a test wants them, without runs. */
import { randomUUID } from 'node:crypto';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { periodStart } from '../../../../src/service/store/engine/rollup-periods.ts';
import type { TestService } from '../../../support/service.ts';

export interface StoredResult {
  /** ISO 8601. */
  readonly at: string;
  readonly location?: string;
  /** Ms. */
  readonly time?: number | null;
  readonly outcome?: 'passed' | 'degraded' | 'failed' | 'error' | 'cancelled';
  readonly retries?: number;
  readonly isAttempt?: boolean;
  readonly details?: object;
}

/** Inserts final results of a check, and returns their IDs. */
export async function storeResults(
  { store, accountId }: TestService,
  check: { readonly id: string; readonly type: string },
  all: readonly StoredResult[],
): Promise<string[]> {
  const { results, sessions } = engineStore(store);
  const rows = all.map((result) => {
    const {
      at,
      location = 'eu-west-1',
      time = 1,
      outcome = 'passed',
      retries = 0,
      isAttempt = false,
    } = result;
    const id = randomUUID();
    const instant = Date.parse(at);
    const shared = {
      ...{ account_id: accountId, check_id: check.id, test_session_id: null },
      ...{ check_name: 'c', check_type: check.type, started_at: instant, stopped_at: instant },
    };
    const session = {
      ...{ ...shared, id, status: 'PASSED', run_source: 'SCHEDULER', scheduled_at: null, ends_by: null },
      ...{ locations: '[]', plan: null, batch_id: null, batch_place: null, cancelled_at: null },
    };
    const stored = {
      ...{
        ...shared,
        id,
        session_id: id,
        location,
        check_run_id: Math.floor(instant / 1000),
        sequence_id: id,
      },
      ...{ attempt: retries, result_type: isAttempt ? 'ATTEMPT' : 'FINAL', aborted: 0, created_at: instant },
      ...{ has_failures: Number(outcome === 'failed'), has_errors: Number(outcome === 'error') },
      ...{ is_degraded: Number(outcome === 'degraded'), is_cancelled: Number(outcome === 'cancelled') },
      ...{ over_max_response_time: 0, response_time_us: time === null ? null : time * 1000, errors: '[]' },
      ...{ details: JSON.stringify(result.details ?? {}), error_group_ids: '[]' },
    };
    return { session, stored };
  });
  await sessions.insert(rows.map(({ session }) => session));
  await results.insert(rows.map(({ stored }) => stored));
  return rows.map(({ stored }) => stored.id);
}

/** Rolls up the results of the hour that contains an instant. */
export async function rollUpHour(
  { store, accountId }: TestService,
  checkId: string,
  at: string,
  location = 'eu-west-1',
): Promise<void> {
  const from = periodStart('HOUR', Date.parse(at));
  await engineStore(store).atomically(({ rollUps }) =>
    rollUps.rollUp({ accountId, checkId, location, from }),
  );
}
