/** The sender: order, retries, leases and the end of messages. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/service/notify/facts/message.ts';
import { parseMailUrl } from '../../../../src/service/notify/outbox/deliver/email.ts';
import type { Store } from '../../../../src/service/store/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serve, serveWith } from '../../../support/http.ts';
import { startMailServer } from '../../../support/mail/smtp-server.ts';
import { outboxScene, SECOND } from './outbox-scene.ts';

const at = outboxScene();
const { clock, logged, start, stop, write, webhook, outgoing, rows, become } = at;

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
    const claim = { now, leaseUntil: now + 3600 * SECOND, perDestination: 1, inFlight: [], limit: 1 };
    await at.store.outbox.claim({ sender: 'killed', ...claim });
    await start();
    await become([{ state: 'SENT', attempts: 2 }]);
  });

  it('does not send twice what the store would not record at first', async () => {
    const receiver = await serve({});
    let refusals = 3;
    const outbox: Store['outbox'] = {
      ...at.store.outbox,
      markSent: (...given) => {
        refusals -= 1;
        return refusals < 0 ? at.store.outbox.markSent(...given) : Promise.reject(new Error('disk full'));
      },
    };
    await start({}, outbox);
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
    const stopped = stop(5 * SECOND);
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

describe('the outage of a mail server or a vendor is bridged with retries after 1, 2, 5, 15 and 30 minutes:', () => {
  async function expectRetries(message: Message, count: () => number, error: string) {
    await write(outgoing('key', message));
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
