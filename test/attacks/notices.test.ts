/** A page with 10,000 subscribers: an incident stores no row for each of them in its request, and no alert waits for their mails. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderTestMessages } from '../../src/service/notify/channels/index.ts';
import { enqueue } from '../../src/service/notify/facts/message.ts';
import { parseMailUrl } from '../../src/service/notify/outbox/deliver/email.ts';
import { makeIncident, makePage, makeServices, startWorld, type World } from '../service/http/pages/world.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail/smtp-server.ts';

const SUBSCRIBERS = 10_000;
/** Rows of the outbox at which notices wait, and a batch more. */
const MOST_ROWS = 250;
const isSubscriber = (address: string) => address.endsWith('@subscribers.example.com');

let mail: MailServer;
let world: World;
const waiting: (() => void)[] = [];
let isHeld = true;

beforeAll(async () => {
  mail = await startMailServer({
    onRcptTo({ address }, _, done) {
      if (isHeld && isSubscriber(address)) waiting.push(done);
      else done();
    },
  });
  world = await startWorld({ delivery: { mail: parseMailUrl(`smtp://127.0.0.1:${mail.port}`) } });
});
afterAll(async () => {
  isHeld = false;
  for (const done of waiting) done();
  await world.close();
  await mail.close();
});

const count = async (table: 'outbox' | 'notices') => {
  const { rows } = await world.store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
};
const alert = (address: string) =>
  world.store.transaction(async (tx) => {
    for (const { message } of renderTestMessages({ type: 'EMAIL', config: { address } }, world.now()))
      await enqueue(tx, { accountId: world.accountId, key: address, message });
  });
const alertsTo = () => mail.mails.flatMap(({ to }) => to).filter((address) => !isSubscriber(address));

it('stores one notice, and sends alerts before the mails of subscribers', async () => {
  const services = await makeServices(world, ['Orders']);
  const { id: pageId } = await makePage(world, 'large', services);
  await world.store.transaction(async (tx) => {
    for (let index = 0; index < SUBSCRIBERS; index += 1)
      await tx.subscribers.add(pageId, `${index}@subscribers.example.com`, {
        isConfirmed: true,
        keyHash: null,
      });
  });
  await makeIncident(world, services, {
    incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING', notifySubscribers: true }],
  });
  // The mail server answers no subscriber, so that no row can have gone.
  expect(await count('outbox')).toBeLessThanOrEqual(MOST_ROWS);
  await eventually(async () => expect(await count('outbox')).toBeGreaterThanOrEqual(200));
  await eventually(() => expect(waiting.length).toBeGreaterThan(0));
  await alert('one@example.com');
  await alert('two@example.com');
  await eventually(() => expect(alertsTo()).toEqual(['one@example.com', 'two@example.com']));
  expect(mail.mails).toHaveLength(2);
  expect([await count('notices'), (await count('outbox')) <= MOST_ROWS + 2]).toEqual([1, true]);
});
