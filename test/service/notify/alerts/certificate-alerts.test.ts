/** Alerts before a certificate expires: once for each channel, threshold and certificate, over real receivers. */
import { describe, expect, it } from 'vitest';
import { sendCertificateAlerts } from '../../../../src/service/notify/alerts/certificate-alerts.ts';
import { renderEmail } from '../../../../src/service/notify/channels/email.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const ALERT = 'webhook ALERT_SSL';

const fingerprintOf = (byte: string) => Array(32).fill(byte).join(':');
/** A run that saw a certificate. */
const seen = (validTo: number, { byte = 'AB', host = 'shop.example.com' } = {}) => ({
  ...GOOD,
  details: { tls: { host, validTo: new Date(validTo).toISOString(), fingerprint: fingerprintOf(byte) } },
});

/** A scene whose webhook wants alerts about certificates 14 days before their expiry. */
async function expiryScene(fields: Parameters<typeof scene>[0] = {}, days = 14) {
  const clock = createManualClock(START);
  const at = await scene(fields, { clock });
  const { webhook } = at.channels;
  const setThreshold = (sslExpiryThreshold: number) =>
    at.store.alertChannels.replace(at.accountId, webhook.id, {
      ...webhook.body,
      sslExpiry: true,
      sslExpiryThreshold,
    });
  await setThreshold(days);
  const change = async (body: object) => {
    const { type } = at.check;
    const stored = await at.store.checks.get(at.accountId, at.check.id);
    await at.store.checks.replace(at.accountId, at.check.id, {
      type,
      body: { ...stored?.body, ...body },
    } as never);
  };
  return {
    at,
    clock,
    setThreshold,
    change,
    search: () => sendCertificateAlerts(at.store, (path) => `https://sonde.example${path}`),
  };
}

describe('a certificate within the threshold of a channel', () => {
  it('alerts the channels that want it, once, and a renewed one again', async () => {
    const { at, clock, search } = await expiryScene();
    await at.run(seen(START + 20 * DAY));
    await search();
    expect(await at.alerts()).toEqual([]);
    clock.step(6 * DAY);
    await Promise.all([search(), search()]);
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
    await at.run(seen(START + 100 * DAY, { byte: 'CD' }));
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
    clock.step(85 * DAY);
    await search();
    await search();
    expect(await at.alerts()).toEqual([ALERT, ALERT]);
  });

  it('alerts again for a smaller threshold, and never after the expiry', async () => {
    const { at, clock, setThreshold, search } = await expiryScene({}, 30);
    await at.run(seen(START + 20 * DAY));
    await search();
    await setThreshold(7);
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
    clock.step(14 * DAY);
    await search();
    expect(await at.alerts()).toEqual([ALERT, ALERT]);
    await at.run(seen(START + 14 * DAY + MINUTE, { byte: '01' }));
    clock.step(2 * MINUTE);
    await search();
    expect(await at.alerts()).toEqual([ALERT, ALERT]);
  });

  it('alerts in the background, also after the service was down', async () => {
    const { at, clock } = await expiryScene();
    await at.run(seen(START + 20 * DAY));
    const start = await at.stop();
    clock.step(10 * DAY);
    await start();
    await clock.advance(2 * MINUTE);
    await eventually(async () => expect(await at.alerts()).toEqual([ALERT]));
    await clock.advance(40 * MINUTE);
    expect(await at.alerts()).toEqual([ALERT]);
  });

  it('alerts again a day after a message that could not be sent, as long as none was', async () => {
    const { at, clock, search } = await expiryScene({}, 30);
    await at.run(seen(START + 10 * DAY));
    await search();
    const fail = () =>
      at.store.db.updateTable('outbox').set({ state: 'FAILED', ended_at: clock.now() }).execute();
    await fail();
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
    clock.step(DAY);
    await search();
    await search();
    expect(await at.alerts()).toEqual([ALERT, ALERT]);
    clock.step(2 * DAY);
    await search();
    expect(await at.alerts()).toEqual([ALERT, ALERT]);
  });

  it('alerts after a failed run too, which saw no certificate', async () => {
    const { at, search } = await expiryScene();
    await at.run(seen(START + 5 * DAY));
    await at.run(BAD);
    await search();
    expect((await at.alerts()).filter((alert) => alert.endsWith('SSL'))).toEqual([ALERT]);
  });
});

describe('a check that must not alert', () => {
  it('alerts once it is no longer muted, inactive, or in a maintenance window', async () => {
    const { at, clock, change, search } = await expiryScene({ tags: ['prod'] });
    await at.run(seen(START + 10 * DAY));
    for (const quiet of [{ muted: true }, { activated: false }]) {
      await change(quiet);
      await search();
    }
    await change({ muted: false, activated: true });
    await at.store.maintenanceWindows.create(at.accountId, {
      ...{ name: 'move', tags: ['prod'], repeatUnit: null, startsAt: new Date(START).toISOString() },
      endsAt: new Date(START + DAY).toISOString(),
    });
    await search();
    expect(await at.alerts()).toEqual([]);
    clock.step(DAY + MINUTE);
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
  });
});

describe('the message', () => {
  it('names the host, the days, and all checks that saw the certificate', async () => {
    const { at, search } = await expiryScene();
    const { webhook } = at.channels;
    const template =
      '{"title": "{{ALERT_TITLE}}", "days": {{SSL_DAYS_REMAINING}}, "host": "{{SSL_CHECK_DOMAIN}}"}';
    const config = { ...webhook.body.config, template };
    const wanted = { sslExpiry: true, sslExpiryThreshold: 14 };
    await at.store.alertChannels.replace(at.accountId, webhook.id, { ...webhook.body, ...wanted, config });
    const { email } = at.channels;
    await at.store.alertChannels.replace(at.accountId, email.id, { ...email.body, ...wanted });
    await at.run(seen(START + 12.5 * DAY));
    const { id } = await at.store.checks.create(at.accountId, {
      ...{ type: 'DNS' },
      body: { name: 'checkout', request: { query: 'example.org' }, heartbeat: {}, script: '' },
    } as never);
    await at.store.subscriptions.set(at.accountId, { checkId: id }, [
      { channelId: email.id, activated: true },
    ]);
    const [row] = await at.store.checkLocations.ofChecks([at.check.id]);
    const certificate = JSON.stringify(row?.certificate);
    await at.store.checkLocations.record(at.store.clock.now(), [
      {
        ...{ check_id: id, location: 'eu-west-1', account_id: at.accountId, status: 'passing', certificate },
        ...{ result_id: 'r', good_result_id: 'r', started_at: START, response_time_us: null, phases: null },
        ...{ passed: 1, degraded: 0, failed: 0, errors: 0 },
      },
    ]);
    await search();
    expect(await at.alerts()).toHaveLength(2);
    await eventually(() => expect(at.receiver.requests).toHaveLength(1));
    expect(JSON.parse(at.receiver.requests[0]?.body ?? '')).toEqual({
      ...{ title: 'Certificate of shop.example.com expires in 12 days', days: 12, host: 'shop.example.com' },
    });
    await eventually(() => expect(at.mail.mails).toHaveLength(1));
    expect(at.mail.mails[0]?.raw).toContain('Certificate of shop.example.com expires in 12 days');
    const facts = {
      hosts: ['shop.example.com'],
      expiresAt: START + 12.5 * DAY,
      fingerprint: fingerprintOf('AB'),
    };
    const { text } = renderEmail({
      ...{ kind: 'ALERT_SSL', at: START, since: START, run: null, link: null, groupName: null, tags: [] },
      ...{ check: at.check, certificate: { ...facts, checks: [at.check.name, 'checkout'] } },
    });
    expect(text).toContain('Expires:  2026-12-03 20:00:00 UTC');
    expect(text).toContain('Checks:   say "hi" <!channel>, checkout');
  });

  it('is one for a certificate of many hosts', async () => {
    const { at, search } = await expiryScene();
    const { webhook } = at.channels;
    for (let index = 0; index < 30; index += 1) {
      const body = { name: `check ${index}`, request: { query: 'example.org' }, heartbeat: {}, script: '' };
      const { id } = await at.store.checks.create(at.accountId, { type: 'DNS', body } as never);
      await at.store.subscriptions.set(at.accountId, { checkId: id }, [
        { channelId: webhook.id, activated: true },
      ]);
      const certificate = JSON.stringify({
        ...{ host: `s${String(index).padStart(2, '0')}.example.com`, expiresAt: START + 9 * DAY },
        fingerprint: fingerprintOf('AB'),
      });
      await at.store.checkLocations.record(START, [
        {
          ...{
            check_id: id,
            location: 'eu-west-1',
            account_id: at.accountId,
            status: 'passing',
            certificate,
          },
          ...{ result_id: 'r', good_result_id: 'r', started_at: START, response_time_us: null, phases: null },
          ...{ passed: 1, degraded: 0, failed: 0, errors: 0 },
        },
      ]);
    }
    await search();
    await search();
    expect(await at.alerts()).toEqual([ALERT]);
    await eventually(() => expect(at.receiver.requests).toHaveLength(1));
    expect(JSON.parse(at.receiver.requests[0]?.body ?? '')).toMatchObject({
      title: 'Certificate of s00.example.com and 29 other hosts expires in 9 days',
    });
  });
});
