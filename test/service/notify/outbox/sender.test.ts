/** The sender: what is written in the outbox reaches real receivers, once, later, or not at all and on record. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import {
  createDeliver,
  type DeliverySettings,
} from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { parseMailUrl } from '../../../../src/service/notify/outbox/deliver/email.ts';
import { signPayload } from '../../../../src/service/notify/outbox/deliver/http.ts';
import {
  enqueue,
  type Message,
  type OutgoingMessage,
  type WebhookMessage,
} from '../../../../src/service/notify/outbox/message.ts';
import { type Sender, startSender } from '../../../../src/service/notify/outbox/sender.ts';
import { openStore, type Store } from '../../../../src/service/store/index.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serve, serveWith } from '../../../support/http.ts';
import { startMailServer } from '../../../support/mail/smtp-server.ts';

const SECOND = 1000;
const clock = createManualClock();
let folder = '';
let store: Store;
let accountId = '';
let sender: Sender | undefined;
const logged: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-outbox-'));
  store = await openStore({ path: join(folder, 'sonde.db') }, { clock, random: systemRandom });
  accountId = (await store.accounts.create('mine')).id;
  logged.length = 0;
});
afterEach(async () => {
  if (sender) await clock.run(sender.stop(0));
  sender = undefined;
  await store.close();
  await rm(folder, { recursive: true });
});

const onError = (message: string, error: unknown) => void logged.push(`${message}: ${error}`);
async function start(settings: DeliverySettings = {}, over: Pick<Store, 'outbox'> = store): Promise<void> {
  const { outboxSignal, dialect } = store;
  const deliver = createDeliver(settings, clock);
  sender = await startSender({
    ...{
      store: { outbox: over.outbox, outboxSignal, dialect },
      clock,
      random: systemRandom,
      deliver,
      onError,
    },
  });
}
const webhook = (key: string, url: string, change: Partial<WebhookMessage> = {}): OutgoingMessage => ({
  ...{ accountId, key },
  message: { kind: 'webhook', url, body: '{"a":1}', ...change },
});
const write = (...outgoing: readonly OutgoingMessage[]) =>
  store.transaction(async (tx) => {
    for (const one of outgoing) await enqueue(tx, one);
  });
const rows = () => store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
/** Waits for what real sockets bring; nothing is moved meanwhile. */
const become = (expected: object | readonly object[]) =>
  eventually(async () => expect(await rows()).toMatchObject(expected));

describe('a webhook', () => {
  it('is sent once with its key, its signature over the very bytes, and the time', async () => {
    const receiver = await serve({ status: 204 });
    await start();
    const headers = [
      { key: 'X-Team', value: 'web' },
      { key: 'Content-Length', value: '1' },
    ];
    const queryParameters = [{ key: 'a b', value: 'ü&' }];
    const url = `${receiver.url}/hook?x=1`;
    await write(webhook('key-1', url, { secret: 's3cret', headers, queryParameters, body: '{"é":1}' }));
    await become([{ state: 'SENT', attempts: 1, last_error: null, payload: null }]);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/hook?x=1&a+b=%C3%BC%26', body: '{"é":1}' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'key-1',
      'x-team': 'web',
      'x-sonde-signature': signPayload('{"é":1}', 's3cret'),
      'x-sonde-timestamp': String(clock.now()),
    });
  });

  it('is tried 5 times more, 20 s apart, with the same key, and is then given up on record', async () => {
    const receiver = await serveWith((_, response) => answer(response, { status: 500 }));
    await start();
    await write(webhook('key', receiver.url));
    for (let tried = 1; tried <= 5; tried += 1) {
      await become([{ state: 'QUEUED', attempts: tried, last_error: 'answered 500' }]);
      await clock.advance(19 * SECOND);
      expect(receiver.requests).toHaveLength(tried);
      await clock.advance(SECOND);
    }
    await become([{ state: 'FAILED', attempts: 6, last_error: 'answered 500', payload: null }]);
    await clock.advance(3600 * SECOND);
    expect(receiver.requests).toHaveLength(6);
    expect(new Set(receiver.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(['key']),
    );
    expect(logged).toEqual([expect.stringContaining('cannot deliver a message')]);
  });

  it('is tried again after a broken connection and after no answer in time', async () => {
    const receiver = await serve(
      (_, response) => response.destroy(),
      () => {},
      { status: 200 },
    );
    await start({ timeoutMs: 200 });
    await write(webhook('key', receiver.url));
    await become([{ state: 'QUEUED', last_error: 'socket hang up' }]);
    await clock.advance(20 * SECOND);
    await become([{ state: 'QUEUED', attempts: 2, last_error: 'no response within 0.2 s' }]);
    await clock.advance(20 * SECOND);
    await become([{ state: 'SENT', attempts: 3 }]);
  });

  it('waits as long as a receiver asks for', async () => {
    const receiver = await serve({ status: 429, headers: { 'retry-after': '90' } }, {});
    await start();
    await write(webhook('key', receiver.url));
    await become([{ state: 'QUEUED', not_before: clock.now() + 90 * SECOND }]);
    await clock.advance(90 * SECOND);
    await become([{ state: 'SENT' }]);
  });

  it('follows no redirect, and says where it led without what may be secret in it', async () => {
    const inner = await serve();
    const receiver = await serve({ status: 302, headers: { location: `${inner.url}/?token=s3cret` } });
    await start();
    await write(webhook('key', receiver.url));
    const host = inner.url.slice('http://'.length);
    await become([
      { state: 'FAILED', attempts: 1, last_error: expect.stringContaining(`redirect to ${host}.`) },
    ]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('does not reach %s where policy denies it', async (host) => {
    const receiver = await serve();
    await start({ denyAddress: (address) => `${address} is private` });
    await write(webhook('key', `http://${host}:${receiver.port}/`));
    await become([
      { state: 'FAILED', attempts: 1, last_error: expect.stringMatching(/^[\d.:]+ is private$/) },
    ]);
  });

  it.each([
    ...['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '10.1.2.3', '172.31.0.1', '192.168.1.1'],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '2130706433',
      '[fe80::1]',
      '[fd00::1]',
      '[64:ff9b::a00:1]',
      '[64:ff9b:1::a00:1]',
      '[2002:a00:1::]',
      '[::ffff:0:10.0.0.1]',
    ],
  ])('does not reach %s where a stranger named it', async (host) => {
    const receiver = await serve();
    await start();
    await write(webhook('key', `http://${host}:${receiver.port}/`, { isOfStranger: true }));
    await become([
      { state: 'FAILED', attempts: 1, last_error: expect.stringContaining('is not a public address') },
    ]);
  });

  it('is not sent where its body is too large, and its error shows no secret', async () => {
    await start();
    await write(
      webhook('large', 'http://127.0.0.1:1/', { body: 'x'.repeat(300_000) }),
      webhook('broken', 'http://127.0.0.1:1/', { headers: [{ key: 'authorization', value: 'top\nsecret' }] }),
    );
    await become([
      { state: 'FAILED', last_error: 'the body has 300000 bytes: the limit is 262144' },
      { state: 'FAILED', last_error: 'Invalid character in header content ["authorization"]' },
    ]);
    expect(logged.join()).not.toContain('secret');
  });
});

describe('the outage of a mail server or a vendor is bridged with retries after 1, 2, 5, 15 and 30 minutes:', () => {
  async function expectRetries(message: Message, count: () => number, error: string) {
    await write({ accountId, key: 'key', message });
    for (const [before, pause] of [60, 120, 300, 900, 1800].entries()) {
      await become([{ state: 'QUEUED', attempts: before + 1 }]);
      await clock.advance((pause - 1) * SECOND);
      expect(count()).toBe(before + 1);
      await clock.advance(SECOND);
    }
    await become([{ state: 'FAILED', attempts: 6, last_error: expect.stringContaining(error) }]);
  }

  it('an e-mail', async () => {
    let tried = 0;
    const mail = await startMailServer({
      judge() {
        tried += 1;
        return Object.assign(new Error('not now'), { responseCode: 451 });
      },
    });
    await start({ mail: parseMailUrl(`smtp://127.0.0.1:${mail.port}`) });
    const message = { kind: 'email', to: 'ops@example.com', subject: 'a', text: 'a', html: 'a' } as const;
    await expectRetries(message, () => tried, '451 not now');
    await mail.close();
  });

  it('an incident', async () => {
    const { url, requests } = await serveWith((_, response) => answer(response, { status: 503 }));
    await start();
    await expectRetries({ kind: 'pagerduty', url, payload: {} }, () => requests.length, 'answered 503');
  });
});

describe('the sender', () => {
  it('lets a receiver that does not answer hold up nobody else, and at most four messages at once', async () => {
    const stuck = await serveWith(() => {});
    const well = await serve({}, {}, {});
    await start({ timeoutMs: 60_000 });
    await write(...['a', 'b', 'c', 'd', 'e', 'f'].map((key) => webhook(key, stuck.url)));
    await write(...['x', 'y', 'z'].map((key) => webhook(key, well.url)));
    await eventually(async () => expect(well.requests).toHaveLength(3));
    await eventually(async () => expect(stuck.requests).toHaveLength(4));
    expect((await rows()).filter(({ state }) => state === 'SENDING')).toHaveLength(4);
  });

  it('sends in the order of the lane, whatever the first of it went through', async () => {
    const receiver = await serve({ status: 503 }, {}, {});
    await start();
    const lane = 'check/channel';
    await write({ ...webhook('failure', receiver.url, { body: 'failure' }), lane });
    await write({ ...webhook('recovery', receiver.url, { body: 'recovery' }), lane });
    await become([{ attempts: 1, state: 'QUEUED' }, { attempts: 0 }]);
    await clock.advance(20 * SECOND);
    await become([{ state: 'SENT' }, { state: 'SENT' }]);
    expect(receiver.requests.map(({ body }) => body)).toEqual(['failure', 'failure', 'recovery']);
  });

  it('sends what a sender before it left, at once', async () => {
    const receiver = await serve({});
    await write(webhook('key', receiver.url));
    const now = clock.now();
    const claim = { now, leaseUntil: now + 3600 * SECOND, perDestination: 1, inFlight: new Map(), limit: 1 };
    await store.outbox.claim({ sender: 'killed', ...claim });
    await start();
    await become([{ state: 'SENT', attempts: 2 }]);
  });

  it('does not send twice what the store would not record at first', async () => {
    const receiver = await serve({});
    let refusals = 3;
    const outbox: Store['outbox'] = {
      ...store.outbox,
      markSent: (...given) => {
        refusals -= 1;
        return refusals < 0 ? store.outbox.markSent(...given) : Promise.reject(new Error('disk full'));
      },
    };
    await start({}, { outbox });
    await write(webhook('key', receiver.url));
    await eventually(() => expect(logged).toHaveLength(1));
    for (let second = 0; second < 300; second += 1) await clock.advance(SECOND);
    await become([{ state: 'SENT', attempts: 1 }]);
    expect(logged).toHaveLength(3);
  });

  it('breaks off at its stop what does not end, and loses no try over it', async () => {
    const receiver = await serveWith(() => {});
    await start({ timeoutMs: 60_000 });
    await write(webhook('key', receiver.url));
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const stopped = sender?.stop(5 * SECOND);
    await clock.advance(5 * SECOND);
    await stopped;
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 0, claimed_by: null }]);
  });

  it('forgets after 30 days what it sent', async () => {
    const receiver = await serve({});
    await start();
    await write(webhook('key', receiver.url));
    await become([{ state: 'SENT' }]);
    clock.step(29 * 86_400 * SECOND);
    await clock.advance(60 * SECOND);
    expect(await rows()).toHaveLength(1);
    clock.step(2 * 86_400 * SECOND);
    await clock.advance(60 * SECOND);
    expect(await rows()).toEqual([]);
  });
});

describe('a short message', () => {
  const sms: OutgoingMessage['message'] = { kind: 'sms', number: '+49 170 1', text: 'down & out' };

  it('goes through the gateway as JSON with a token, or as a form with a password', async () => {
    const json = await serve({});
    // The gateway is the operator's own: what holds for webhooks does not for it.
    const denyAddress = (address: string) => `${address} is private`;
    await start({ denyAddress, sms: { url: json.url, token: 'tok', format: 'json', from: 'sonde' } });
    await write({ accountId, key: 'one', message: sms });
    await become([{ state: 'SENT', recipient: '+49 170 1' }]);
    expect(json.requests[0]?.headers.authorization).toBe('Bearer tok');
    expect(json.requests[0]?.body).toBe('{"to":"+49 170 1","from":"sonde","text":"down & out"}');
    await sender?.stop(0);

    const form = await serve({});
    await start({ sms: { url: form.url.replace('//', '//me:p%40ss@'), format: 'form' } });
    await write({ accountId, key: 'two', message: sms });
    await become([{ state: 'SENT' }, { state: 'SENT' }]);
    expect(form.requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    expect(form.requests[0]?.body).toBe('to=%2B49+170+1&text=down+%26+out');
  });

  it('fails where there is no gateway, and says what to do', async () => {
    await start();
    await write({ accountId, key: 'one', message: sms });
    await become([{ state: 'FAILED', last_error: expect.stringContaining('SONDE_SMS_URL') }]);
  });
});
