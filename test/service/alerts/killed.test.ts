/** Alerts over kill -9, at each step from the decision to the record of its delivery, as real receivers count them. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { messageIdOf } from '../../../src/service/outbox/deliver/email.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { answer, serveWith } from '../../support/http.ts';
import { killedProcesses } from '../../support/killed.ts';
import { type MailServer, startMailServer } from '../../support/mail/smtp-server.ts';
import { until } from '../engine/harness.ts';
import { alertingService, STEPS } from './mortal.ts';

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-alerts.ts'));
const open = () => openStore({ path: file }, { clock: systemClock, random: systemRandom });

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  const store = await open();
  await store.accounts.create('test');
  await store.close();
});
afterAll(() => mail.close());

it.each(
  STEPS.flatMap((step) =>
    (step === 'decided' || step === 'written' ? ['any'] : ['webhook', 'email']).map((kind) => [step, kind]),
  ),
)(
  'killed where it is %s (%s), everybody is told, and nobody twice of what was recorded',
  {
    timeout: 30_000,
  },
  async (step = '', kind = '') => {
    const receiver = await serveWith((_, response) => answer(response, {}));
    let store = await open();
    const accountId = (await store.accounts.list())[0]?.id ?? '';
    const body = { name: step, request: { query: 'example.org' }, heartbeat: {}, script: '' };
    const { id: checkId } = await store.checks.create(accountId, {
      type: 'DNS',
      body: { ...body, retryStrategy: null, frequency: 1440, activated: true },
    });
    const channels = [
      await store.alertChannels.create(accountId, { type: 'WEBHOOK', config: { url: receiver.url } }),
      await store.alertChannels.create(accountId, { type: 'EMAIL', config: { address: 'ops@example.com' } }),
    ];
    const to = channels.map(({ id }) => ({ channelId: id, activated: true }));
    await store.subscriptions.set(accountId, { checkId }, to);
    await store.close();

    await killedAfter(Number.POSITIVE_INFINITY, step, kind, checkId, String(mail.port));

    /** How often a receiver got it under its key. */
    const received = (key: string) =>
      receiver.requests.filter(({ headers }) => headers['idempotency-key'] === key).length +
      mail.mails.filter(({ raw }) => raw.includes(messageIdOf(key, 'sonde@example.com'))).length;
    store = await open();
    const written = () =>
      store.db.selectFrom('outbox').selectAll().where('check_id', '=', checkId).orderBy('id').execute();
    const left = await written();
    expect(left).toHaveLength(step === 'decided' ? 0 : 2);
    const recorded = left.filter(({ state }) => state === 'SENT');
    for (const { idempotency_key: key } of recorded) expect(received(key)).toBe(1);
    expect(recorded.some((one) => one.kind === kind)).toBe(step === 'recorded');

    const service = await alertingService(store, mail.port);
    await until(async () => expect((await written()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
    await service.stop();
    for (const one of await written()) {
      const wasOpen = left.some(({ id, state }) => id === one.id && state === 'SENDING');
      const times = received(one.idempotency_key);
      // Its answer was there and not recorded: then, and under the same key, it comes again.
      if (step === 'answered' && one.kind === kind) expect(times).toBe(2);
      // The other was under way perhaps when the process died.
      else if (wasOpen && one.kind !== kind) expect([1, 2]).toContain(times);
      else expect(times).toBe(1);
    }
    const keys = new Set(receiver.requests.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
    await store.close();
  },
);
