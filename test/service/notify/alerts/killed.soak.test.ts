/** Alerts over kill -9, at each step from the decision to the record of its delivery, as real receivers count them. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { createMessageId } from '../../../../src/service/notify/outbox/deliver/email.ts';
import { openStore, type Store, type StoreLocation } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { killedProcesses } from '../../../support/killed.ts';
import { type MailServer, startMailServer } from '../../../support/mail/smtp-server.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import type { Told } from './killed-alerts.ts';
import { alertingService, MESSAGES, STEPS } from './self-killing-service.ts';

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-alerts.ts'));

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

/** A clock that is so much ahead: on Postgres nobody knows that a process is dead but by the end of its claims. */
const ahead = (ms: number): Clock => ({ ...systemClock, now: () => systemClock.now() + ms });
/** Of a run's claim, and of a message's, in ms. */
const AFTER_CLAIM = { run: 31_000, message: 121_000 };

/** A check of the store's account that a channel of each kind is told of. */
async function checkOf(store: Store, url: string, name: string): Promise<string> {
  const accountId = (await store.accounts.list())[0]?.id ?? (await store.accounts.create('test')).id;
  const body = { name, request: { query: 'example.org' }, heartbeat: {}, script: '' };
  const { id: checkId } = await store.checks.create(accountId, {
    type: 'DNS',
    body: { ...body, retryStrategy: null, ...byHand(), activated: true },
  });
  const channels = [
    await store.alertChannels.create(accountId, { type: 'WEBHOOK', config: { url } }),
    await store.alertChannels.create(accountId, { type: 'EMAIL', config: { address: 'ops@example.com' } }),
    await store.alertChannels.create(accountId, { type: 'SLACK', config: { url: `${url}/slack` } }),
    await store.alertChannels.create(accountId, { type: 'SMS', config: { number: '+49 170 1234567' } }),
  ];
  const to = channels.map(({ id }) => ({ channelId: id, activated: true }));
  await store.subscriptions.set(accountId, { checkId }, to);
  return checkId;
}

async function survives(location: StoreLocation, step: string, kind: string): Promise<void> {
  const receiver = await serveWith((_, response) => answer(response, {}));
  const open = () => openStore(location, { clock: systemClock, random: systemRandom });
  let store = await open();
  const checkId = await checkOf(store, receiver.url, step);
  await store.close();
  const receivers = { smtpPort: mail.port, smsUrl: `${receiver.url}/sms` };
  const told: Told = { step, kind, checkId, ...receivers };
  const isShared = 'url' in location;
  const database = isShared ? { databaseUrl: location.url } : {};
  await killedAfter(Number.POSITIVE_INFINITY, JSON.stringify({ ...told, ...database }));

  /** How often a receiver got it under its key. */
  const received = (key: string) =>
    receiver.requests.filter(({ headers }) => headers['idempotency-key'] === key).length +
    mail.mails.filter(({ raw }) => raw.includes(createMessageId(key, 'sonde@example.com'))).length;
  store = await open();
  const written = () =>
    store.db.selectFrom('outbox').selectAll().where('check_id', '=', checkId).orderBy('id').execute();
  const left = await written();
  expect(left).toHaveLength(step === 'decided' ? 0 : MESSAGES.length);
  const recorded = left.filter(({ state }) => state === 'SENT');
  for (const { idempotency_key: key } of recorded) expect(received(key)).toBe(1);
  expect(recorded.some((one) => one.kind === kind)).toBe(step === 'recorded');

  const clock = isShared ? ahead(AFTER_CLAIM[step === 'decided' ? 'run' : 'message']) : systemClock;
  const service = await alertingService(store, receivers, {}, clock);
  const sent = MESSAGES.map(() => 'SENT');
  await eventually(async () => expect((await written()).map(({ state }) => state)).toEqual(sent));
  await service.stop();
  for (const one of await written()) {
    const wasOpen = left.some(({ id, state }) => id === one.id && state === 'SENDING');
    const times = received(one.idempotency_key);
    // Its answer was there and not recorded: then, and under the same key, it comes again.
    if (step === 'answered' && one.kind === kind) expect(times).toBe(2);
    // Another was under way perhaps when the process died.
    else if (wasOpen && one.kind !== kind) expect([1, 2]).toContain(times);
    else expect(times).toBe(1);
  }
  const keys = new Set(receiver.requests.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(MESSAGES.length - 1);
  await store.close();
}

const NAME = 'killed where it is %s (%s), everybody is told, and nobody twice of what was recorded';

describe('on SQLite', () => {
  it.each(
    STEPS.flatMap((step) =>
      (step === 'decided' || step === 'written' ? ['any'] : MESSAGES).map((kind) => [step, kind] as const),
    ),
  )(NAME, (step, kind) => survives({ path: file }, step, kind));
});

describe('on Postgres', () => {
  let server: Postgres | undefined;
  let url = '';
  beforeAll(async () => {
    server = await openPostgres();
    url = await server.createDatabase();
  });

  it.each([
    ['decided', 'any'],
    ['written', 'any'],
    ['claimed', 'email'],
    ['answered', 'webhook'],
    ['answered', 'sms'],
    ['recorded', 'slack'],
  ] as const)(NAME, (step, kind) => survives({ url }, step, kind));
});
