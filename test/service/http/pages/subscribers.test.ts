/** Subscribing to a page: ask, confirm, be told, unsubscribe. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { enqueue } from '../../../../src/service/notify/facts/message.ts';
import { parseMailUrl } from '../../../../src/service/notify/outbox/deliver/email.ts';
import { call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { type MailServer, startMailServer } from '../../../support/mail/smtp-server.ts';
import { get, makeIncident, makePage, makeServices, post, startWorld, tokenIn, type World } from './world.ts';

let world: World;
let mail: MailServer;
let hook: Server;
const called: string[] = [];
/** Addresses that were judged as a stranger's. */
const judged: string[] = [];
let service = '';
beforeAll(async () => {
  mail = await startMailServer({ disabledCommands: ['STARTTLS'], hideSTARTTLS: true });
  hook = createServer(async (request, response) => {
    called.push(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  world = await startWorld({
    delivery: {
      mail: parseMailUrl(`smtp://localhost:${mail.port}`, 'Sonde <sonde@example.com>'),
      denySubscriberAddress(address) {
        judged.push(address);
        return undefined;
      },
    },
  });
  [service = ''] = await makeServices(world, ['Shop']);
  await makePage(world, 'ours', [service], { name: 'Ours' });
});
afterAll(async () => {
  await world.close();
  await mail.close();
  hook.close();
});

async function subscribe(address: string, kind = 'EMAIL', headers = {}) {
  const token = tokenIn(await (await get(world, '/status/ours/subscribe')).text());
  return post(world, '/status/ours/subscribe', { kind, address, token }, headers);
}
/** How many messages were written to an address. */
const written = async (address: string): Promise<number> =>
  (await world.store.db.selectFrom('outbox').select('id').where('recipient', '=', address).execute()).length;
/** The e-mail with a number (from 1) that arrived at an address, its lines put together again. */
const emailText = (address: string, number: number): Promise<string> =>
  eventually(() => {
    const raw = mail.mails.filter(({ to }) => to.includes(address))[number - 1]?.raw;
    if (raw === undefined) throw new Error(`no e-mail ${number} has come to ${address}`);
    return raw.replaceAll('=\r\n', '').replaceAll('\r\n ', ' ');
  });
/** Lets what was asked for be so much older, in ms. */
async function age(ms: number): Promise<void> {
  for (const table of ['page_subscribers', 'subscription_requests'] as const)
    await world.store.db
      .updateTable(table)
      .set(({ eb }) => ({ asked_at: eb('asked_at', '-', ms) }))
      .execute();
}
const pathIn = (said = '', word: string) => new RegExp(`/status/ours/${word}/[\\w/-]+`).exec(said)?.[0] ?? '';

it('an address that confirms is told of incidents, until it unsubscribes with one click', async () => {
  const asked = await subscribe('Ada@Example.COM');
  expect([asked.status, asked.headers.get('location')]).toEqual([303, '/status/ours/subscribe/asked']);
  const first = await emailText('Ada@example.com', 1);
  expect(first).toContain('Subject: [Ours] Confirm your subscription');
  const link = pathIn(first, 'confirm');
  // Opening the link confirms nothing: programs that look at mail open links.
  expect((await get(world, link)).status).toBe(200);
  expect((await get(world, link)).status).toBe(200);
  expect(await (await post(world, link, {})).text()).toContain('You are subscribed');
  expect((await post(world, link, {})).status).toBe(410);
  expect((await get(world, link)).status).toBe(410);

  const update = { description: 'We look.', status: 'INVESTIGATING', notifySubscribers: true } as const;
  const incident = await makeIncident(world, [service], { incidentUpdates: [update] });
  const told = await emailText('Ada@example.com', 2);
  expect(told).toContain('Subject: [Ours] Orders fail: Investigating');
  await call(world, contract.updateIncident, {
    params: { id: incident.id },
    body: { incidentUpdates: [{ description: 'Done.', status: 'RESOLVED', notifySubscribers: true }] },
  });
  expect(await emailText('Ada@example.com', 3)).toContain('Subject: [Ours] Orders fail: Resolved');

  const unsubscribe = pathIn(/^List-Unsubscribe: <(.*)>/m.exec(told)?.[1], 'unsubscribe');
  expect(told).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  const wrong = `${unsubscribe.slice(0, -3)}${unsubscribe.endsWith('AAA') ? 'BBB' : 'AAA'}`;
  expect((await post(world, wrong, {})).status).toBe(404);
  expect(await (await get(world, unsubscribe)).text()).toContain('Unsubscribe');
  const clicked = await post(world, unsubscribe, { 'List-Unsubscribe': 'One-Click' });
  expect(await clicked.text()).toContain('You are unsubscribed');
  await makeIncident(world, [service], { incidentUpdates: [update] });
  expect(await written('Ada@example.com')).toBe(3);
});

it('a webhook confirms by the address that it is sent, and is called from then on', async () => {
  const { port } = hook.address() as { port: number };
  await subscribe(`http://127.0.0.1:${port}/sonde`, 'WEBHOOK');
  const body = (index: number) => {
    const sent = called[index];
    if (sent === undefined) throw new Error('not called yet');
    return JSON.parse(sent) as Record<string, string>;
  };
  const first = await eventually(() => body(0));
  expect(first.event).toBe('subscription.confirm');
  expect((await fetch(first.confirmUrl ?? '', { method: 'POST' })).status).toBe(200);
  await makeIncident(world, [service], {
    incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING', notifySubscribers: true }],
  });
  const told = await eventually(() => body(1));
  expect(told).toMatchObject({ event: 'incident', title: 'Orders fail', services: ['Shop'] });
  expect(judged).toEqual(['127.0.0.1', '127.0.0.1']);
});

it('nobody learns whether an address is subscribed, nor floods it', async () => {
  const [first, second] = [await subscribe('bob@example.com'), await subscribe('bob@example.com')];
  expect(await written('bob@example.com')).toBe(1);
  await post(world, pathIn(await emailText('bob@example.com', 1), 'confirm'), {});
  await age(3_600_000);
  const third = await subscribe('bob@example.com');
  expect(await emailText('bob@example.com', 2)).toContain('Subject: [Ours] You are already subscribed');
  const seen = async (answer: Response) => [
    answer.status,
    answer.headers.get('location'),
    await answer.text(),
  ];
  expect(await seen(second)).toEqual(await seen(first));
  expect(await seen(third)).toEqual([303, '/status/ours/subscribe/asked', '']);
});

it('a link to confirm is good for two days', async () => {
  await subscribe('late@example.com');
  const link = pathIn(await emailText('late@example.com', 1), 'confirm');
  await age(49 * 3_600_000);
  expect((await post(world, link, {})).status).toBe(410);
});

it('tokens are stored hashed', async () => {
  await subscribe('hash@example.com');
  const link = pathIn(await emailText('hash@example.com', 1), 'confirm');
  const rows = await world.store.db.selectFrom('page_subscribers').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(link.split('/').at(-1));
  expect(rows.some(({ confirm_hash }) => /^[0-9a-f]{64}$/.test(confirm_hash ?? ''))).toBe(true);
});

const UPDATE = { description: 'We look.', status: 'INVESTIGATING', notifySubscribers: true } as const;
const tell = () => makeIncident(world, [service], { incidentUpdates: [UPDATE] });
/** Asks for an address to be told of a page, with the key where there is one; the path that confirms it. */
async function asked(slug: string, address: string, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const form = await (await get(world, `/status/${slug}/subscribe`, headers)).text();
  const fields = { kind: 'EMAIL', address, token: tokenIn(form) };
  await post(world, `/status/${slug}/subscribe`, fields, headers);
  return /\/status\/[\w-]+\/confirm\/[\w-]+/.exec(await emailText(address, 1))?.[0] ?? '';
}

it('a page that becomes private tells nobody who subscribed without its key, nor lets them confirm', async () => {
  const id = String((await makePage(world, 'closing', [service])).id);
  const early = await asked('closing', 'early@example.com');
  const late = await asked('closing', 'late@example.com');
  expect((await post(world, early, {})).status).toBe(200);
  const { key } = await world.store.pageAccess.set(id, { isPrivate: true });
  expect([(await get(world, late)).status, (await post(world, late, {})).status]).toEqual([410, 410]);
  expect((await post(world, await asked('closing', 'keyed@example.com', key), {})).status).toBe(200);
  const counts = async () => [await written('early@example.com'), await written('keyed@example.com')];
  await tell();
  expect(await counts()).toEqual([1, 2]);
  await world.store.pageAccess.set(id, { newKey: true });
  await tell();
  expect(await counts()).toEqual([1, 2]);
  await world.store.pageAccess.set(id, { isPrivate: false });
  await tell();
  // Who had a key of a page that is open again has asked to be told of it, too.
  await eventually(async () => expect(await counts()).toEqual([2, 3]));
});

/** As somebody asked: a form more than a minute lets through. */
async function askedOf(pageId: string, slug: string, address: string): Promise<string> {
  const { token } = (await world.store.subscribers.requestSubscription(pageId, 'EMAIL', address)) ?? {};
  return `/status/${slug}/confirm/${token}`;
}

it('links are good though the page has another address by now, and another page has its own', async () => {
  const page = await makePage(world, 'moving', [service], { name: 'Moving' });
  const confirm = await askedOf(String(page.id), 'moving', 'moved@example.com');
  const body = { name: 'Moving', url: 'moved', cards: [{ name: 'Shop', services: [{ id: service }] }] };
  await call(world, contract.updateStatusPage, { params: { statusPageId: String(page.id) }, body });
  await makePage(world, 'moving', [service], { name: 'Another' });
  expect(await (await get(world, confirm)).text()).toContain('of Moving');
  expect(await (await post(world, confirm, {})).text()).toContain('of Moving');
  await tell();
  const told = await emailText('moved@example.com', 1);
  const link = /\/status\/moved\/unsubscribe\/[\w/-]+/.exec(told)?.[0] ?? '';
  const old = link.replace('/moved/', '/moving/');
  expect(await (await get(world, old)).text()).toContain('of Moving');
  expect(await (await post(world, old, {})).text()).toContain('no longer receives updates about Moving');
  expect(await (await post(world, old, {})).text()).toContain('no longer receives updates.');
  await tell();
  expect(await written('moved@example.com')).toBe(1);
});

it('what waits for a mail server does not leave once its reader has unsubscribed', async () => {
  const page = await makePage(world, 'waiting', [service]);
  const confirm = await askedOf(String(page.id), 'waiting', 'gone@example.com');
  expect((await post(world, confirm, {})).status).toBe(200);
  const { id } = await world.store.db
    .selectFrom('page_subscribers')
    .select('id')
    .where('address', '=', 'gone@example.com')
    .executeTakeFirstOrThrow();
  await world.store.transaction(async (tx) => {
    await tx.subscribers.remove(id);
    const message = { kind: 'email', to: 'gone@example.com', subject: 's', text: 't', html: 'h' } as const;
    await enqueue(tx, { accountId: world.accountId, key: 'late', lane: `subscriber/${id}`, message });
  });
  await eventually(async () => {
    const query = world.store.db.selectFrom('outbox').select(['state', 'last_error']);
    expect(await query.where('idempotency_key', '=', 'late').executeTakeFirst()).toEqual({
      ...{ state: 'FAILED', last_error: 'the recipient is no longer subscribed' },
    });
  });
  expect(mail.mails.filter(({ to }) => to.includes('gone@example.com'))).toEqual([]);
});
