/** What subscribers are told of maintenance over kill -9, before and after each decision: once each, as their mail server counts. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import { createMaintenanceScheduler } from '../../../src/service/maintenance/scheduler.ts';
import { notifyMaintenance } from '../../../src/service/notify/notify-maintenance.ts';
import { createDeliver } from '../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { startSender } from '../../../src/service/notify/outbox/sender.ts';
import { openStore, type Store } from '../../../src/service/store/index.ts';
import { createManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { killedProcesses } from '../../support/killed.ts';
import { type MailServer, startMailServer } from '../../support/mail/smtp-server.ts';
import { expandAll } from '../../support/notices.ts';
import { openPostgres, type Postgres } from '../../support/postgres.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const MADE = START - 2 * HOUR;
const NOTICES = [
  ['Scheduled maintenance starts in 1 hour', START - HOUR],
  ['Maintenance in progress', START],
  ['Maintenance completed', START + HOUR],
] as const;
const WINDOWS = ['disks', 'switches'];

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-maintenance.ts'));

async function openAt(at: number, url: string) {
  const clock = createManualClock(at);
  const location = url === '' ? { path: file } : { url };
  return { clock, store: await openStore(location, { clock, random: systemRandom }) };
}

/** A page that somebody reads, and two windows of one time, of which all is told. */
async function prepare(store: Store): Promise<void> {
  const { id: accountId } = await store.accounts.create('test');
  const service = await store.services.create(accountId, { name: 'Shop' });
  const cards = [{ id: 'one', services: [{ id: service.id }], createdAt: 0, updatedAt: null }];
  const page = await store.statusPages.create(accountId, { name: 'Ours', url: 'ours', cards });
  const asked = await store.subscribers.requestSubscription(page.id, 'EMAIL', 'ann@example.com');
  await store.subscribers.confirm(asked?.token ?? '');
  await store.settings.setPublicUrl('https://sonde.example');
  for (const name of WINDOWS) {
    await store.maintenanceWindows.create(accountId, {
      ...{ name, repeatUnit: null, startsAt: new Date(START).toISOString() },
      endsAt: new Date(START + HOUR).toISOString(),
      statusPageVisibility: {
        ...{ enabled: true, affectAllServices: true, reminderMinutesBefore: [60] },
        ...{ notifyOnStart: true, notifyOnEnd: true },
      },
    });
  }
}

/** `disks: Maintenance under way` of all that was written, in its order. */
async function written(store: Store): Promise<string[]> {
  await expandAll(store);
  const rows = await store.db.selectFrom('outbox').select('payload').orderBy('id').execute();
  return rows.map(({ payload }) => {
    const { subject = '' } = JSON.parse(payload ?? '{}') as { subject?: string };
    return subject.replace('[Ours] ', '');
  });
}

/** The keeper of a process that lives; of two that share a database, where it is one that can be shared. */
async function finish(at: number, url: string, count: number): Promise<void> {
  const services = await Promise.all((url === '' ? [''] : [url, url]).map((each) => openAt(at, each)));
  const keepers = services.map(({ clock, store }) =>
    createMaintenanceScheduler({
      ...{ store, clock, notify: notifyMaintenance },
      onError: (message, error) => expect.unreachable(`${message}: ${error}`),
    }),
  );
  for (const keeper of keepers) keeper.start();
  for (const { store } of services) {
    await eventually(async () => expect(await written(store)).toHaveLength(count));
  }
  for (const keeper of keepers) await keeper.stop();
  for (const { store } of services) await store.close();
}

async function toldOnce(mail: MailServer, url: string): Promise<void> {
  const fresh = await openAt(MADE, url);
  await prepare(fresh.store);
  await fresh.store.close();
  const expected: string[] = [];
  for (const [state, at] of NOTICES) {
    for (const [step, more] of [
      ['decided', 0],
      ['written', 1],
    ] as const) {
      await killedAfter(Number.POSITIVE_INFINITY, url, String(at), step);
      const { store } = await openAt(at, url);
      expect(await written(store)).toHaveLength(expected.length + more);
      await store.close();
    }
    expected.push(...WINDOWS.map((name) => `${name}: ${state}`));
    await finish(at, url, expected.length);
    await finish(at + 1, url, expected.length);
  }
  const { clock, store } = await openAt(START + 2 * HOUR, url);
  expect(await written(store)).toEqual(expected);
  const smtp = { host: '127.0.0.1', port: mail.port, secure: false, requireTls: false };
  const onError = (message: string, error: unknown) => expect.unreachable(`${message}: ${error}`);
  const sender = await startSender({
    ...{ store, clock, random: systemRandom, onError },
    deliver: createDeliver({ mail: { ...smtp, from: 'sonde@example.com' } }, clock),
  });
  await eventually(async () => {
    const rows = await store.db.selectFrom('outbox').select('state').execute();
    expect(rows.map((row) => row.state)).toEqual(expected.map(() => 'SENT'));
  });
  await sender.stop(1000);
  await store.close();
  const subjects = mail.mails.map(({ raw }) => /^Subject: \[Ours\] (.*)\r$/m.exec(raw)?.[1]);
  expect(subjects.toSorted()).toEqual(expected.toSorted());
}

describe('notices of maintenance', () => {
  let mail: MailServer;
  beforeAll(async () => {
    mail = await startMailServer();
  });
  afterAll(() => mail.close());

  it('are each told once, killed before and after their decision', () => toldOnce(mail, ''));
});

describe('notices of maintenance on Postgres', () => {
  let server: Postgres;
  let mail: MailServer;
  beforeAll(async () => {
    server = await openPostgres();
    mail = await startMailServer();
  });
  afterAll(async () => {
    await mail.close();
  });

  it('are each told once, killed before and after their decision', async () =>
    toldOnce(mail, await server.createDatabase()));
});
