/** Alerts on Postgres, where several services share the work: what is decided once is told once. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendCertificateAlerts } from '../../../../src/service/notify/alerts/certificate-alerts.ts';
import { enqueue } from '../../../../src/service/notify/facts/message.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { BAD, DEGRADED, GOOD } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('alerts on Postgres', () => {
  let server: Postgres | undefined;
  let databaseUrl = '';
  beforeAll(async () => {
    server = await openPostgres();
  });
  beforeEach(async () => {
    databaseUrl = (await server?.createDatabase()) ?? '';
  });

  it('escalate, degrade, recover and forget as on SQLite', async () => {
    const runs = own({ runBasedEscalation: { failedRunThreshold: 2 } });
    const at = await scene(runs, { databaseUrl });
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    await at.run(BAD);
    await at.run(DEGRADED);
    await at.run(GOOD);
    const told = await at.alerts();
    expect(told).toEqual([
      ...overAll('ALERT_FAILURE'),
      ...overAll('ALERT_FAILURE_DEGRADED'),
      ...overAll('ALERT_DEGRADED_RECOVERY'),
    ]);
    await at.mail.received(3);
    await eventually(() => expect(at.receiver.requests).toHaveLength(6));
    expect(await at.store.db.selectFrom('alert_states').selectAll().execute()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(told);
  });

  it('tell once what is due at both of two services at the same instant: an escalation, and each reminder', async () => {
    const clock = createManualClock();
    const timed = own({
      ...{ escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } },
      reminders: { amount: 2, interval: 2 },
    });
    const at = await scene(timed, { clock, databaseUrl });
    await at.run(BAD);
    await at.another();
    const instants = ['ALERT_FAILURE', 'ALERT_FAILURE_REMAIN', 'ALERT_FAILURE_REMAIN'];
    for (const [index] of instants.entries()) {
      await clock.advance((index === 0 ? 5 : 2) * MINUTE);
      const expected = instants.slice(0, index + 1).flatMap(overAll);
      await eventually(async () => {
        // Whoever came back from the server meanwhile to sleep no longer than this instant is woken.
        await clock.advance(0);
        expect(await at.alerts()).toEqual(expected);
      });
    }
    await eventually(async () => {
      await clock.advance(0);
      expect(at.receiver.requests).toHaveLength(6);
      expect(at.mail.mails).toHaveLength(3);
    });
    const keys = at.receiver.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(6);
  });

  it('tell once of a certificate that two services find at the same instant', async () => {
    const clock = createManualClock();
    const at = await scene({}, { clock, databaseUrl });
    const { webhook } = at.channels;
    await at.store.alertChannels.replace(at.accountId, webhook.id, { ...webhook.body, sslExpiry: true });
    const validTo = new Date(clock.now() + 20 * DAY).toISOString();
    await at.run({
      ...GOOD,
      details: { tls: { host: 'a.example', validTo, fingerprint: Array(32).fill('AB').join(':') } },
    });
    const other = await at.another();
    const link = (path: string) => `https://sonde.example${path}`;
    await Promise.all([at.store, other.store, at.store].map((store) => sendCertificateAlerts(store, link)));
    expect(await at.alerts()).toEqual(['webhook ALERT_SSL']);
    await eventually(async () => {
      await clock.advance(0);
      expect(at.receiver.requests).toHaveLength(1);
    });
  });

  it('leave by one of two services alone, however many wait', async () => {
    const at = await scene({}, { databaseUrl });
    const other = await at.another();
    const { url } = at.receiver;
    const keys = Array.from({ length: 120 }, (_, index) => `key-${index}`);
    for (const store of [at.store, other.store]) {
      const mine = keys.filter((_, index) => (index % 2 === 0) === (store === at.store));
      await store.transaction(async (tx) => {
        for (const key of mine) {
          const message = { kind: 'webhook' as const, url, body: '{}' };
          await enqueue(tx, { accountId: at.accountId, key, message });
        }
      });
    }
    const open = () => at.store.db.selectFrom('outbox').select('id').where('state', '!=', 'SENT').execute();
    await eventually(async () => expect(await open()).toEqual([]));
    const received = at.receiver.requests.map(({ headers }) => headers['idempotency-key']);
    expect(received.sort()).toEqual(keys.sort());
  });
});
