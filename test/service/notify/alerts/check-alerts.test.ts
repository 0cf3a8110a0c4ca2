/** The list of alerts over HTTP: each alert once, whatever number of channels it was sent to. */
import { expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

const START = Date.parse('2026-11-21T08:00:00Z');
const HOUR = 3_600_000;

it.each([
  ['SQLite', async () => undefined],
  ['Postgres', async () => (await openPostgres()).createDatabase()],
])('lists alerts once, newest first, by check, page and window, on %s', async (_, database) => {
  const clock = createManualClock(START);
  const databaseUrl = await database();
  const at = await scene({}, { clock, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
  const list = (query: object = {}) => call(at, contract.listCheckAlerts, { query });
  await at.run({ ...BAD, details: { response: { status: 503 } } });
  await eventually(async () => expect(await list()).toHaveLength(1));
  await clock.advance(HOUR);
  await at.run(GOOD);
  await eventually(async () => expect(await list()).toHaveLength(2));

  // To three channels each.
  const entries = await call(at, contract.listAlertNotifications, { query: {} });
  expect(entries).toHaveLength(6);
  const [recovery, failure] = await list();
  expect(recovery).toMatchObject({
    ...{ checkId: at.check.id, name: at.check.name, checkType: 'DNS', alertType: 'ALERT_RECOVERY' },
    created_at: entries[2]?.created_at,
  });
  const results = await call(at, contract.listCheckResultsDeprecated, { params: { checkId: at.check.id } });
  const runOf = (index: number) => ({
    checkResultId: results[index]?.id,
    startedAt: results[index]?.startedAt,
  });
  expect(recovery).toMatchObject({ ...runOf(0), responseTime: 12.34, error: null, statusCode: null });
  expect(failure).toMatchObject({
    ...{ alertType: 'ALERT_FAILURE', created_at: entries[5]?.created_at },
    ...{ ...runOf(1), runLocation: results[1]?.runLocation, error: BAD.errors[0], statusCode: '503' },
  });
  const { checkResultId, checkSessionId } = failure ?? {};
  expect(entries[5]).toMatchObject({ checkAlertId: failure?.id, checkResultId, checkSessionId });
  const keys = entries.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys.filter((key) => key.startsWith(`alert-${failure?.id}-`))).toHaveLength(3);

  expect(await list({ limit: 1, page: 2 })).toEqual([failure]);
  const from = Math.floor(Date.parse(failure?.created_at ?? '') / 1000);
  expect(await list({ from, to: from + 1 })).toEqual([failure]);
  const params = { checkId: at.check.id };
  expect(await call(at, contract.listAlertsOfCheck, { params, query: { limit: 1 } })).toEqual([recovery]);
  const wide = { from: START / 1000, to: START / 1000 + 7 * 3600 };
  expect((await ask(at, contract.listCheckAlerts, { query: wide })).status).toBe(400);
  await clock.advance(6 * HOUR);
  expect(await list()).toEqual([]);
});
