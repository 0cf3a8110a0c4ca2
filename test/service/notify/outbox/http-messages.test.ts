/** Webhooks and short messages: what is written in the outbox reaches real HTTP receivers, once, later, or not at all and on record. */
import { describe, expect, it } from 'vitest';
import type { SmsMessage } from '../../../../src/service/notify/facts/message.ts';
import { signPayload } from '../../../../src/service/notify/outbox/deliver/http.ts';
import { answer, serve, serveWith } from '../../../support/http.ts';
import { outboxScene, SECOND } from './outbox-scene.ts';

const { clock, logged, start, stop, write, webhook, outgoing, become } = outboxScene();

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

describe('a short message', () => {
  const sms: SmsMessage = { kind: 'sms', number: '+49 170 1', text: 'down & out' };

  it('goes through the gateway as JSON with a token, or as a form with a password', async () => {
    const json = await serve({});
    // The gateway is the operator's own: what holds for webhooks does not for it.
    const denyAddress = (address: string) => `${address} is private`;
    await start({ denyAddress, sms: { url: json.url, token: 'tok', format: 'json', from: 'sonde' } });
    await write(outgoing('one', sms));
    await become([{ state: 'SENT', recipient: '+49 170 1' }]);
    expect(json.requests[0]?.headers.authorization).toBe('Bearer tok');
    expect(json.requests[0]?.body).toBe('{"to":"+49 170 1","from":"sonde","text":"down & out"}');
    await stop(0);

    const form = await serve({});
    await start({ sms: { url: form.url.replace('//', '//me:p%40ss@'), format: 'form' } });
    await write(outgoing('two', sms));
    await become([{ state: 'SENT' }, { state: 'SENT' }]);
    expect(form.requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    expect(form.requests[0]?.body).toBe('to=%2B49+170+1&text=down+%26+out');
  });

  it('fails where there is no gateway, and says what to do', async () => {
    await start();
    await write(outgoing('one', sms));
    await become([{ state: 'FAILED', last_error: expect.stringContaining('SONDE_SMS_URL') }]);
  });
});
