/** A window on the real service, from opening to after its end: checks, runs by hand, the page, subscribers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { getPageMaintenance } from '../../../src/service/maintenance/effects.ts';
import { loadWindows } from '../../../src/service/maintenance/windows.ts';
import { call } from '../../support/call.ts';
import { createManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { type MailServer, startMailServer } from '../../support/mail/smtp-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { createTarget } from '../engine/harness.ts';

const START = Date.parse('2026-03-29T00:30:00Z');
const MINUTE = 60_000;
const clock = createManualClock(START);
const target = createTarget();
let service: TestService;
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
  service = await startTestService({
    clock,
    engine: { runners: { DNS: target.runner } },
    delivery: {
      mail: {
        host: '127.0.0.1',
        port: mail.port,
        secure: false,
        requireTls: false,
        from: 'sonde@example.com',
      },
    },
  });
  await service.store.settings.setPublicUrl('https://sonde.example');
});
afterAll(async () => {
  await service.close();
  await mail.close();
});

/** Minutes after the start at which the check ran. */
const ranAt = (name: string) =>
  target.attempts.filter((attempt) => attempt.name === name).map(({ at }) => (at - START) / MINUTE);

/** What reached the subscriber, its lines as they were written. */
const letters = () => mail.mails.map(({ raw }) => raw.replaceAll(/=\r?\n/g, ''));

it('pauses checks, shows and tells it, and lets them run again on their grid without a burst', async () => {
  const check = async (name: string, tags: string[]) => {
    const body = { name, tags, request: { query: 'example.com' }, heartbeat: {}, script: '' };
    const made = await call(service, contract.createDnsCheck, {
      body: { ...body, frequency: 5, frequencyOffset: 10, locations: ['eu-west-1'], retryStrategy: null },
    });
    return String(made.id);
  };
  const shop = await check('shop', ['shop']);
  await check('other', []);
  const serviceId = String((await call(service, contract.createService, { body: { name: 'Shop' } })).id);
  const page = await call(service, contract.createStatusPage, {
    body: { name: 'Ours', url: 'ours', cards: [{ name: 'All', services: [{ id: serviceId }] }] },
  });
  const asked = await service.store.subscribers.requestSubscription(
    String(page.id),
    'EMAIL',
    'ann@example.com',
  );
  await service.store.subscribers.confirm(asked?.token ?? '');
  // 02:00 to 02:30 in Berlin, in the hour that this night does not have: 03:00 to 03:30.
  const window = await call(service, contract.createMaintenanceWindow, {
    body: {
      ...{ name: 'Database', description: 'A new disk.', tags: ['shop'], timezone: 'Europe/Berlin' },
      ...{ startsAt: '2026-03-28T02:00:00+01:00', endsAt: '2026-03-28T02:30:00+01:00', repeatUnit: 'DAY' },
      statusPageVisibility: {
        ...{
          enabled: true,
          serviceIds: [serviceId],
          notifyOnStart: true,
          notifyOnEnd: true,
          severity: 'MINOR',
        },
      },
    },
  });
  const shown = async () => {
    const seen = { id: String(page.id), serviceIds: [serviceId] };
    const { underWay, next, services } = getPageMaintenance(
      await loadWindows(service.store, service.accountId),
      seen,
      clock.now(),
    );
    const startsAt = (one: { startsAt: number }) => new Date(one.startsAt).toISOString();
    return { underWay: underWay.map(startsAt), next: next.map(startsAt), services: [...services] };
  };
  expect(await shown()).toEqual({ underWay: [], next: ['2026-03-29T01:00:00.000Z'], services: [] });

  await clock.advance(32 * MINUTE);
  await eventually(() => expect(ranAt('other')).toEqual([1, 6, 11, 16, 21, 26, 31]));
  expect(ranAt('shop')).toEqual([1, 6, 11, 16, 21, 26]);
  const open = await call(service, contract.getMaintenanceWindow, { params: { id: window.id } });
  expect(open.openSince).toBe('2026-03-29T01:00:00.000Z');
  expect(await shown()).toEqual({
    ...{ underWay: ['2026-03-29T01:00:00.000Z'], next: [], services: [serviceId] },
  });
  const byHand = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [shop] } },
  });
  expect(byHand.sessions).toHaveLength(1);
  await eventually(() => expect(ranAt('shop')).toEqual([1, 6, 11, 16, 21, 26, 32]));

  await clock.advance(40 * MINUTE);
  await eventually(() => expect(ranAt('shop')).toEqual([1, 6, 11, 16, 21, 26, 32, 61, 66, 71]));
  expect(await shown()).toEqual({ underWay: [], next: ['2026-03-30T00:00:00.000Z'], services: [] });
  await eventually(() => expect(letters()).toHaveLength(2));
  expect(mail.mails.map(({ to }) => to)).toEqual([['ann@example.com'], ['ann@example.com']]);
  const [started, ended] = letters();
  expect(started).toContain('Subject: [Ours] Database: Maintenance in progress');
  expect(started).toContain('A new disk.');
  expect(started).toContain('Scheduled: 29 March 2026, 03:00 to 03:30 (Europe/Berlin)');
  expect(started).toContain('Affects: Shop');
  expect(ended).toContain('Subject: [Ours] Database: Maintenance completed');
  expect(ended).toContain('Maintenance window: 29 March 2026, 03:00 to 03:30 (Europe/Berlin)');
});
