/**
 * Accounts for a store that nobody serves any more, by rules of its own: ticks, sessions, alerts as a model has them,
 * incidents, receptions, artifacts.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { isTerminal, type SessionStatus } from '../../../src/service/engine/sessions/states.ts';
import { createMessageId } from '../../../src/service/notify/outbox/deliver/email.ts';
import { openStore, type Store } from '../../../src/service/store/index.ts';
import { alertsOf, type Ended } from './model.ts';
import { MAIL_FROM } from './process.ts';
import type { Reception } from './receiver.ts';
import { BAD_ADDRESS } from './target.ts';
import { ticksWrong } from './ticks.ts';
import type { World } from './world.ts';

/** A time (ms since the epoch) in which what was sent may not have been recorded: its process died, or its disk was full. */
export interface Disturbance {
  readonly from: number;
  readonly to: number;
}

export interface Facts {
  readonly data: string;
  readonly world: World;
  readonly taken: readonly Reception[];
  readonly disturbances: readonly Disturbance[];
  readonly gates: readonly { readonly sessionId: string; readonly isPassed: boolean }[];
  /** The service's clock when it ended. */
  readonly now: number;
}

export interface Account {
  readonly ticks: { readonly due: number; readonly missed: number };
  readonly sessions: Readonly<Record<string, number>>;
  readonly alerts: {
    readonly expected: number;
    readonly written: number;
    readonly taken: number;
    readonly again: number;
    /** Turned away by their receiver, and to be tried again. */
    readonly waiting: number;
  };
  readonly incidents: { readonly expected: number; readonly opened: number; readonly open: number };
  readonly artifacts: number;
  readonly gates: number;
  readonly wrong: readonly string[];
}

/** How a bad answer stands in the details of a result. */
const FOUND_BAD = `"data":"${BAD_ADDRESS}"`;
/** What was sent is recorded within so long, where nothing comes in between. */
const RECORDED_MS = 3000;
/** A session that should have ended is given so long. */
const LATE_MS = 5000;

export async function judge(facts: Facts): Promise<Account> {
  const file = join(facts.data, 'service.db');
  const store = await openStore({ path: file }, { clock: systemClock, random: systemRandom });
  try {
    const ticks = await ticksWrong(store, facts.world);
    const sessions = await sessionsWrong(store, facts);
    const alerts = await alertsWrong(store, facts);
    const incidents = await incidentsWrong(store, alerts.failures, alerts.recoveries);
    const artifacts = await artifactsWrong(store, facts);
    return {
      ticks: { due: ticks.due, missed: ticks.missed },
      ...{ sessions: sessions.counts, alerts: alerts.counts, gates: facts.gates.length },
      ...{ incidents: incidents.counts, artifacts: artifacts.count },
      wrong: [ticks, sessions, alerts, incidents, artifacts].flatMap(({ wrong }) => wrong),
    };
  } finally {
    await store.close();
  }
}

async function sessionsWrong(store: Store, { now, gates }: Facts) {
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  const rows = await store.db
    .selectFrom('check_sessions')
    .select(['id', 'status', 'ends_by', 'stopped_at'])
    .execute();
  const status = new Map(rows.map((row) => [row.id, row.status]));
  for (const row of rows) {
    counts[row.status] = (counts[row.status] ?? 0) + 1;
    if (row.stopped_at === null && (row.ends_by === null || row.ends_by < now - LATE_MS)) {
      wrong.push(`session ${row.id} is ${row.status}, though its deadline has passed`);
    }
  }
  const finals = await store.db
    .selectFrom('results')
    .select(['session_id', 'has_errors', 'has_failures', 'details', 'location'])
    .where('result_type', '=', 'FINAL')
    .execute();
  const judged = new Map<string, string[]>();
  for (const { session_id: id, location, ...result } of finals) {
    const places = judged.get(id) ?? [];
    if (places.includes(location)) wrong.push(`session ${id} has two final results in ${location}`);
    judged.set(id, [...places, location]);
    const isBad = result.has_failures === 1;
    if (result.details.includes(FOUND_BAD) && result.has_errors === 0 && !isBad) {
      wrong.push(`session ${id} passed, though what it found was bad`);
    }
  }
  for (const row of rows) {
    if (row.stopped_at !== null && !judged.has(row.id)) wrong.push(`session ${row.id} has no result`);
  }
  const runs = await store.db.selectFrom('runs').select(['session_id']).execute();
  const running = new Set(runs.map((run) => run.session_id));
  for (const row of rows) {
    if (row.stopped_at !== null || running.has(row.id)) continue;
    wrong.push(`session ${row.id} is ${row.status}, though nothing of it is left to run`);
  }
  for (const { session_id: id } of runs) {
    const at = status.get(id);
    if (at === undefined || isTerminal(at as SessionStatus)) {
      wrong.push(`a run of session ${id} is left, which is ${at ?? 'gone'}`);
    }
  }
  for (const { sessionId, isPassed } of gates) {
    const found = status.get(sessionId);
    if ((found === 'PASSED') !== isPassed) {
      wrong.push(
        `a gate ${isPassed ? 'passed' : 'did not pass'} session ${sessionId}, which is ${found ?? 'gone'}`,
      );
    }
  }
  return { counts, wrong };
}

/** Returns a function for the kinds of the alerts of a check over a channel, in order: sent alone, in a bundle, or still waiting for one. */
async function loadAlertKinds(store: Store): Promise<(checkId: string, channelId: number) => string[]> {
  const { rows } = await sql<{ check_id: string; channel_id: number; kind: string }>`
    SELECT check_id, channel_id, alert_type AS kind, 0 AS isPending, id FROM outbox
      WHERE alert_type IS NOT NULL AND check_id IS NOT NULL
    UNION ALL SELECT b.check_id, o.channel_id, b.alert_type, 0, o.id FROM bundled_alerts b
      JOIN outbox o ON o.id = b.message_id
    UNION ALL SELECT check_id, channel_id, alert ->> '$.facts.kind', 1, id FROM pending_alerts
    ORDER BY isPending, id`.execute(store.db);
  return (checkId, channelId) =>
    rows.filter((row) => row.check_id === checkId && row.channel_id === channelId).map(({ kind }) => kind);
}

async function alertsWrong(store: Store, { world, taken, disturbances, now }: Facts) {
  const wrong: string[] = [];
  let [expected, failures, recoveries] = [0, 0, 0];
  const written = await store.db
    .selectFrom('outbox')
    .selectAll()
    .where('alert_type', 'is not', null)
    .orderBy('id')
    .execute();
  const kindsOf = await loadAlertKinds(store);
  for (const check of world.steady) {
    const { rows } = await sql<Ended>`
      SELECT s.started_at AS startedAt, s.stopped_at AS stoppedAt, s.id AS id, s.status AS status,
        SUM(r.has_failures) AS failed, SUM(r.has_errors) AS errors, SUM(r.is_cancelled) AS cancelled
      FROM check_sessions s JOIN results r ON r.session_id = s.id AND r.result_type = 'FINAL'
      WHERE s.check_id = ${check.id} AND s.stopped_at IS NOT NULL AND s.test_session_id IS NULL
      GROUP BY s.id ORDER BY MAX(r.rowid)`.execute(store.db);
    const model = check.isSilenced ? [] : alertsOf(rows, check.threshold);
    if (check.opensIncidents) {
      failures += model.filter((kind) => kind === 'ALERT_FAILURE').length;
      recoveries += model.filter((kind) => kind === 'ALERT_RECOVERY').length;
    }
    for (const channel of world.channels) {
      expected += model.length;
      const kinds = kindsOf(check.id, channel);
      const plain = kinds.filter((kind) => kind !== 'ALERT_FAILURE_REMAIN');
      if (plain.join() !== model.join()) {
        const at = plain.findIndex((kind, place) => kind !== model[place]);
        const [all, due] = [plain.length, model.length];
        wrong.push(
          `alerts of ${check.name} over channel ${channel}: ${all} were written, ${due} are due; they differ at ${at < 0 ? all : at}`,
        );
      }
      wrong.push(...remindersWrong(check.name, kinds, check.reminders));
    }
  }
  const times = new Map<string, number[]>();
  for (const { key, at } of taken) times.set(key, [...(times.get(key) ?? []), at]);
  let [again, waiting] = [0, 0];
  for (const row of written) {
    const key = row.kind === 'email' ? createMessageId(row.idempotency_key, MAIL_FROM) : row.idempotency_key;
    const told = times.get(key) ?? [];
    times.delete(key);
    // Written just before the end, or turned away and to be tried again at its time: the next start would send it.
    const isToCome = row.created_at > now - LATE_MS || (row.attempts > 0 && row.not_before > now);
    if (row.state === 'QUEUED' && isToCome) {
      waiting += 1;
      continue;
    }
    if (row.state !== 'SENT') wrong.push(`alert ${row.idempotency_key} is ${row.state}: ${row.last_error}`);
    else if (told.length === 0)
      wrong.push(`alert ${row.idempotency_key} is recorded as sent, and nobody got it`);
    for (const at of told.slice(0, -1)) {
      const isExcused = disturbances.some(({ from, to }) => at <= to && at >= from - RECORDED_MS);
      if (isExcused) again += 1;
      else
        wrong.push(
          `alert ${row.idempotency_key} (${row.kind}) came again, though it had been taken at ${new Date(at).toISOString()}`,
        );
    }
  }
  for (const key of times.keys()) wrong.push(`an alert was received under ${key}, which is not in the store`);
  const counts = { expected, written: written.length, taken: taken.length, again, waiting };
  return { counts, failures, recoveries, wrong };
}

/** Reminders come while a failure lasts, so many at most. */
function remindersWrong(name: string, kinds: readonly string[], most: number): string[] {
  let left = 0;
  for (const kind of kinds) {
    if (kind === 'ALERT_FAILURE_REMAIN') left -= 1;
    else left = kind === 'ALERT_FAILURE' ? most : 0;
    if (left < 0) return [`${name} was reminded of more often than it should`];
  }
  return [];
}

async function incidentsWrong(store: Store, failures: number, recoveries: number) {
  const rows = await store.db.selectFrom('incidents').select(['id', 'resolved_at']).execute();
  const open = rows.filter(({ resolved_at }) => resolved_at === null).length;
  const wrong: string[] = [];
  if (rows.length !== failures)
    wrong.push(`${rows.length} incidents were opened, ${failures} failures open one`);
  if (open !== failures - recoveries)
    wrong.push(`${open} incidents are open, ${failures - recoveries} should be`);
  return { counts: { expected: failures, opened: rows.length, open }, wrong };
}

async function artifactsWrong(store: Store, { data }: Facts) {
  const rows = await store.db.selectFrom('artifacts').select(['id', 'name']).execute();
  const wrong = rows
    .filter(({ id }) => !existsSync(join(data, 'artifacts', id.slice(0, 2), id)))
    .map(({ id, name }) => `the file of artifact ${name} (${id}) is gone`);
  return { count: rows.length, wrong };
}
