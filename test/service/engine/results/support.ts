/** A store with results in it that were never run: written as the engine writes them, at any instant. */
import { randomUUID } from 'node:crypto';
import { systemRandom } from '../../../../src/base/random.ts';
import { type EngineStore, engineStore } from '../../../../src/service/store/engine/index.ts';
import { openStore, type Store, type StoreLocation } from '../../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** What a result says; left out: a good final one of a session that has ended. */
export interface Written {
  readonly at: number;
  readonly storedAt?: number;
  readonly location?: string;
  readonly kind?: 'passed' | 'degraded' | 'failed' | 'errors' | 'cancelled';
  readonly micros?: number | null;
  readonly type?: 'FINAL' | 'ATTEMPT';
  readonly test?: string;
  readonly session?: string;
  readonly open?: boolean;
}

export interface ResultsWorld {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly engine: EngineStore;
  readonly accountId: string;
  readonly checkId: string;
  /** Writes a result with its session; gives the ids of both. */
  write(result: Written): Promise<{ readonly id: string; readonly sessionId: string }>;
  close(): Promise<void>;
}

export async function resultsWorld(location: StoreLocation, start?: number): Promise<ResultsWorld> {
  const clock = createManualClock(start);
  const store = await openStore(location, { clock, random: systemRandom });
  const engine = engineStore(store);
  const account = (await store.accounts.list())[0] ?? (await store.accounts.create('test'));
  const accountId = account.id;
  const known = (await store.checks.list(accountId))[0];
  const body = { name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '' };
  const { id: checkId } = known ?? (await store.checks.create(accountId, { type: 'DNS', body }));

  async function session({ at, test, session: id = randomUUID(), open = false }: Written): Promise<string> {
    if ((await engine.sessions.byIds([id])).length > 0) return id;
    await engine.sessions.insert([
      {
        ...{ id, account_id: accountId, check_id: checkId, test_session_id: test ?? null },
        ...{ check_name: 'a check', check_type: 'DNS', status: open ? 'PROGRESS' : 'PASSED' },
        ...{ run_source: 'SCHEDULER', scheduled_at: null, started_at: at, stopped_at: open ? null : at },
        ...{ ends_by: open ? at + HOUR : null, locations: '[]', plan: null, batch_id: null },
        ...{ batch_place: null, cancelled_at: null },
      },
    ]);
    return id;
  }

  return {
    ...{ clock, store, engine, accountId, checkId },
    async write(result) {
      const { at, kind = 'passed', micros = 1000, type = 'FINAL', storedAt = at } = result;
      const id = randomUUID();
      const sessionId = await session(result);
      await engine.results.insert([
        {
          ...{ id, account_id: accountId, check_id: checkId, session_id: sessionId },
          ...{ test_session_id: result.test ?? null, check_name: 'a check', check_type: 'DNS' },
          ...{ location: result.location ?? 'eu-west-1', check_run_id: 1, sequence_id: id, attempt: 0 },
          ...{ result_type: type, has_failures: Number(kind === 'failed'), aborted: 0 },
          ...{ has_errors: Number(kind === 'errors'), is_degraded: Number(kind === 'degraded') },
          ...{ over_max_response_time: 0, is_cancelled: Number(kind === 'cancelled') },
          ...{ started_at: at, stopped_at: at, created_at: storedAt, response_time_us: micros },
          ...{ errors: '[]', details: '{}', error_group_ids: '[]' },
        },
      ]);
      return { id, sessionId };
    },
    close: () => store.close(),
  };
}
