/** A store with an outbox, a sender on a manual clock, and what a test writes and waits for. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import {
  enqueue,
  type Message,
  type OutgoingMessage,
  type WebhookMessage,
} from '../../../../src/service/notify/facts/message.ts';
import {
  createDeliver,
  type DeliverySettings,
} from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { type Sender, startSender } from '../../../../src/service/notify/outbox/sender.ts';
import { openStore, type Store } from '../../../../src/service/store/index.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryFolder } from '../../../support/folder.ts';

export const SECOND = 1000;

/** Call it at the top of a test file: each test has a store and an account of its own. */
export function outboxScene() {
  const clock = createManualClock();
  let store: Store;
  let accountId = '';
  let sender: Sender | undefined;
  const logged: string[] = [];

  beforeEach(async () => {
    const path = join(await temporaryFolder(), 'sonde.db');
    store = await openStore({ path }, { clock, random: systemRandom });
    accountId = (await store.accounts.create('mine')).id;
    logged.length = 0;
  });
  afterEach(async () => {
    if (sender) await clock.run(sender.stop(0));
    sender = undefined;
    await store.close();
  });

  const onError = (message: string, error: unknown) => void logged.push(`${message}: ${error}`);
  const rows = () => store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
  const outgoing = (key: string, message: Message): OutgoingMessage => ({ accountId, key, message });
  return {
    clock,
    logged,
    rows,
    outgoing,
    get store() {
      return store;
    },
    async start(settings: DeliverySettings = {}, outbox = store.outbox): Promise<void> {
      const { outboxSignal, dialect } = store;
      sender = await startSender({
        ...{ store: { outbox, outboxSignal, dialect }, clock, random: systemRandom, onError },
        deliver: createDeliver(settings, clock),
      });
    },
    stop: async (graceMs: number) => sender?.stop(graceMs),
    webhook: (key: string, url: string, change: Partial<WebhookMessage> = {}) =>
      outgoing(key, { kind: 'webhook', url, body: '{"a":1}', ...change }),
    write: (...messages: readonly OutgoingMessage[]) =>
      store.transaction(async (tx) => {
        for (const one of messages) await enqueue(tx, one);
      }),
    /** Waits for what real sockets bring; nothing is moved meanwhile. */
    become: (expected: object | readonly object[]) =>
      eventually(async () => expect(await rows()).toMatchObject(expected)),
  };
}
