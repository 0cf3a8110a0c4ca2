/** Incidents that checks open and resolve, and who is told of them: over a real store, in one transaction each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { openIncident, resolveIncident } from '../../../../src/service/notify/incidents.ts';
import { notifySubscribers } from '../../../../src/service/notify/subscribers/notify-subscribers.ts';
import { openStore, type Store, type TypedCheckBody } from '../../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';
import { expandAll } from '../../../support/notices.ts';

let folder: string;
let store: Store;
let clock: ManualClock;
let accountId: string;
let checkId: string;
let serviceId: string;
let pageId: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sonde-incidents-'));
  clock = createManualClock();
  store = await openStore({ path: path.join(folder, 'sonde.db') }, { clock, random: systemRandom });
  accountId = (await store.accounts.create('test')).id;
  serviceId = (await store.services.create(accountId, { name: 'Shop' })).id;
  const check = { name: 'shop', request: { query: 'a.example' }, heartbeat: {}, script: '' };
  checkId = (await store.checks.create(accountId, { type: 'DNS', body: check } as TypedCheckBody)).id;
  const cards = [{ id: 'one', services: [{ id: serviceId }], createdAt: 0, updatedAt: null }];
  pageId = (await store.statusPages.create(accountId, { name: 'Ours', url: 'ours', cards })).id;
  await store.settings.setPublicUrl('https://sonde.example');
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function subscribe(address: string, kind: 'EMAIL' | 'WEBHOOK' = 'EMAIL'): Promise<string> {
  const asked = await store.subscribers.requestSubscription(pageId, kind, address);
  const done = await store.subscribers.confirm(asked?.token ?? '');
  return done?.id ?? '';
}
const open = (trigger = {}) =>
  store.transaction((tx) =>
    openIncident(tx, { accountId, checkId, trigger: { serviceId, ...trigger }, at: clock.now() }),
  );
const resolve = () => store.transaction((tx) => resolveIncident(tx, { accountId, checkId, at: clock.now() }));
const written = async (): Promise<Record<string, unknown>[]> => {
  await expandAll(store);
  const rows = await store.db.selectFrom('outbox').select(['recipient', 'payload']).orderBy('id').execute();
  return rows.map((row) => ({ to: row.recipient, ...(JSON.parse(row.payload ?? '{}') as object) }));
};

test('a check has one incident open, however often its failure is told, and its recovery resolves it', async () => {
  const first = await open({ name: 'Shop is down', severity: 'CRITICAL', description: 'We look.' });
  expect(await open({ name: 'another' })).toBe(first);
  await clock.advance(60_000);
  expect(await resolve()).toBe(first);
  expect(await resolve()).toBeUndefined();
  const [incident, ...others] = await store.incidents.list(accountId);
  expect(others).toEqual([]);
  expect(incident?.body).toMatchObject({
    name: 'Shop is down',
    severity: 'CRITICAL',
    lastUpdateStatus: 'RESOLVED',
    services: [{ id: serviceId }],
    incidentUpdates: [{ status: 'RESOLVED' }, { status: 'INVESTIGATING', description: 'We look.' }],
  });
  expect(await open()).not.toBe(first);
});

test('an incident that a person resolved is not resolved again, and the next failure opens another', async () => {
  const first = (await open()) ?? '';
  await store.incidents.change(accountId, first, (body) => ({ ...body, lastUpdateStatus: 'RESOLVED' }));
  const second = await open();
  expect(second).not.toBe(first);
  expect(await resolve()).toBe(second);
  const third = (await open()) ?? '';
  await store.incidents.delete(accountId, third);
  expect(await resolve()).toBeUndefined();
});

test('no incident is opened on a service that is not the account’s', async () => {
  const other = await store.accounts.create('other');
  const theirs = await store.services.create(other.id, { name: 'Theirs' });
  for (const foreign of [theirs.id, 'none', '']) expect(await open({ serviceId: foreign })).toBeUndefined();
  expect(await store.incidents.list(accountId)).toEqual([]);
});

test('a transaction that is given up leaves neither an incident nor a message', async () => {
  await subscribe('ada@example.com');
  const given = store.transaction(async (tx) => {
    await openIncident(tx, {
      ...{ accountId, checkId, at: clock.now() },
      trigger: { serviceId, notifySubscribers: true },
    });
    throw new Error('given up');
  });
  await expect(given).rejects.toThrow('given up');
  expect(await store.incidents.list(accountId)).toEqual([]);
  expect(await written()).toEqual([]);
});

test('who confirmed is told of the beginning and the end, with a way to unsubscribe', async () => {
  const id = await subscribe('ada@example.com');
  await subscribe('https://hooks.example/sonde', 'WEBHOOK');
  await store.subscribers.requestSubscription(pageId, 'EMAIL', 'unconfirmed@example.com');
  await open({ name: 'Shop\r\nBcc: all@example.com', notifySubscribers: true });
  await resolve();
  const messages = await written();
  const mails = messages.filter(({ kind }) => kind === 'email');
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    ['ada@example.com', '[Ours] Shop Bcc: all@example.com: Investigating'],
    ['ada@example.com', '[Ours] Shop Bcc: all@example.com: Resolved'],
  ]);
  const unsubscribe = `https://sonde.example/status/ours/unsubscribe/${id}/`;
  expect(mails[0]).toMatchObject({
    text: expect.stringContaining(unsubscribe),
    headers: {
      'List-Unsubscribe': expect.stringContaining(`<${unsubscribe}`),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  });
  const hooks = messages.filter(({ kind }) => kind === 'webhook');
  expect(hooks.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
    { event: 'incident', state: 'Investigating', services: ['Shop'] },
    { event: 'incident', state: 'Resolved' },
  ]);
});

test('nobody is told where the trigger does not say so', async () => {
  await subscribe('ada@example.com');
  await open();
  await resolve();
  expect(await written()).toEqual([]);
});

test('a notice reaches the pages that carry the services, and each reader once', async () => {
  await subscribe('ada@example.com');
  const notice = {
    ...({ accountId, key: 'window/1/start', about: 'maintenance', id: '1', title: 'Upgrade' } as const),
    ...{ state: 'Started', text: '', at: clock.now() },
  };
  const tell = (more: Partial<Parameters<typeof notifySubscribers>[1]>) =>
    store.transaction((tx) => notifySubscribers(tx, { ...notice, services: 'all', ...more }));
  await tell({ services: ['another'] });
  await tell({ pages: ['another'] });
  expect(await written()).toEqual([]);
  await tell({ pages: [pageId] });
  await tell({});
  expect(await written()).toMatchObject([{ subject: '[Ours] Upgrade: Started' }]);
});
