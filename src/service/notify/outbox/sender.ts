/** Sends what is in the outbox: claims, delivers, tries again, and records what cannot be delivered. Holds up no check. */
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import { startTimekeeper } from '../../../base/scheduler.ts';
import { whenAborted } from '../../../base/wake-signal.ts';
import type { OutboxMessage, Store } from '../../store/index.ts';
import { type Delivery, type DeliveryContext, giveUp, sentenceOf, tryAgain } from './deliver/delivery.ts';
import type { Message } from './message.ts';

export interface SenderOptions {
  readonly store: Pick<Store, 'outbox' | 'outboxSignal' | 'dialect'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly deliver: (message: Message, context: DeliveryContext) => Promise<Delivery>;
  readonly onError: (message: string, error: unknown) => void;
  /** Whether a message of this lane may still leave; left out: each may. */
  readonly isWanted?: (lane: string) => Promise<boolean>;
  /** What came of each delivery, for metrics. */
  readonly onDelivery?: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void;
}

export interface Sender {
  /** Lets deliveries finish for so long (ms), then breaks them off; what is left is sent by the next start. */
  stop(graceMs: number): Promise<void>;
}

/** A claim lasts longer than any delivery. */
const LEASE_MS = 120_000;
/** So many deliveries at once, and so many to one destination. */
const AT_ONCE = 20;
const PER_DESTINATION = 4;
/** How long to wait before a result is recorded that the store would not take, in ms. */
const REST_MS = 1000;
/** What was sent is told for so long, in ms. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const FORGET_EVERY_MS = 60 * 60_000;
const FORGOTTEN_AT_ONCE = 500;

const SECOND = 1000;
const PAUSES_MS: Readonly<Record<string, readonly number[]>> = {
  // A mail server that greylists or is down comes back later than 20 s.
  email: [60, 120, 300, 900, 1800].map((seconds) => seconds * SECOND),
};
/** docs/gaps.md, webhook: up to 5 retries 20 s apart. */
const STANDARD_PAUSES_MS = [20, 20, 20, 20, 20].map((seconds) => seconds * SECOND);

export async function startSender(options: SenderOptions): Promise<Sender> {
  const { store, clock, onError, onDelivery, isWanted } = options;
  const sender = `sender/${options.random.uuid()}`;
  const underWay = new Map<Promise<void>, string>();
  const breakingOff = new AbortController();
  const stopping = new AbortController();
  let forgetsAt = clock.now();

  // On SQLite the file is ours alone: whoever claimed before is gone. On Postgres the lease says so.
  if (store.dialect === 'sqlite') await store.outbox.releaseAll();

  function countsByDestination(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const destination of underWay.values()) {
      counts.set(destination, (counts.get(destination) ?? 0) + 1);
    }
    return counts;
  }

  async function step(): Promise<boolean> {
    const now = clock.now();
    await store.outbox.releaseExpired(sender, now);
    const limit = AT_ONCE - underWay.size;
    const claim = { sender, now, leaseUntil: now + LEASE_MS, perDestination: PER_DESTINATION, limit };
    const claimed = limit > 0 ? await store.outbox.claim({ ...claim, inFlight: countsByDestination() }) : [];
    for (const message of claimed) {
      const done: Promise<void> = send(message).finally(() => {
        underWay.delete(done);
        timekeeper.dueAt(clock.now());
      });
      underWay.set(done, message.destination);
    }
    const forgot = await forget(now);
    return claimed.length > 0 || forgot;
  }

  async function forget(now: number): Promise<boolean> {
    if (now < forgetsAt) return false;
    if ((await store.outbox.deleteEnded(now - KEPT_MS, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE) return true;
    forgetsAt = now + FORGET_EVERY_MS;
    return false;
  }

  async function send(message: OutboxMessage): Promise<void> {
    const { id, kind, attempts, lane, idempotency_key: key } = message;
    if (lane !== null && (await isUnwanted(lane)))
      return recorded(() => store.outbox.markFailed(id, sender, 'the recipient is no longer subscribed'));
    const delivery = await delivered(message);
    if (delivery.ok) {
      onDelivery?.(kind, 'sent');
      return recorded(() => store.outbox.markSent(id, sender));
    }
    // Broken off by our own stop: the next start sends it, and no try is lost over it.
    if (breakingOff.signal.aborted) return;
    const pause = (PAUSES_MS[kind] ?? STANDARD_PAUSES_MS)[attempts - 1];
    if (delivery.mayRetry && pause !== undefined) {
      onDelivery?.(kind, 'retried');
      const notBefore = clock.now() + Math.max(pause, delivery.retryAfterMs ?? 0);
      return recorded(() => store.outbox.retry(id, sender, notBefore, delivery.error));
    }
    onDelivery?.(kind, 'failed');
    onError('cannot deliver a message', new Error(`${kind} ${key}: ${delivery.error}`));
    return recorded(() => store.outbox.markFailed(id, sender, delivery.error));
  }

  /** Where that cannot be told now the message leaves: what is wanted must not be lost. */
  async function isUnwanted(lane: string): Promise<boolean> {
    try {
      return isWanted !== undefined && !(await isWanted(lane));
    } catch (error) {
      onError('cannot read the recipient of a message', error);
      return false;
    }
  }

  async function delivered({ payload, idempotency_key: idempotencyKey }: OutboxMessage): Promise<Delivery> {
    if (payload === null) return giveUp('the message is empty');
    try {
      const message = JSON.parse(payload) as Message;
      return await options.deliver(message, { idempotencyKey, signal: breakingOff.signal });
    } catch (error) {
      return tryAgain(sentenceOf(error));
    }
  }

  /** Records what came of a delivery, again and again where the store won't: what was sent must not be sent twice. */
  async function recorded(record: () => Promise<boolean>): Promise<void> {
    do {
      try {
        await record();
        return;
      } catch (error) {
        onError('cannot record the outcome of a delivery', error);
        await clock.sleep(REST_MS, breakingOff.signal).catch(() => {});
      }
    } while (!breakingOff.signal.aborted);
  }

  const timekeeper = startTimekeeper({
    ...{ clock, step, onError },
    nextInstant: async () => (underWay.size >= AT_ONCE ? null : store.outbox.nextInstant(sender)),
  });

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { aborted, forget } = whenAborted(stopping.signal);
      const rung = store.outboxSignal.next();
      timekeeper.dueAt(clock.now());
      await Promise.race([rung, aborted]);
      forget();
    }
  }
  const listened = listen();

  return {
    async stop(graceMs) {
      stopping.abort();
      await timekeeper.stop();
      await listened;
      const over = new AbortController();
      const finished = Promise.allSettled([...underWay.keys()]);
      await Promise.race([finished, clock.sleep(graceMs, over.signal).catch(() => {})]);
      over.abort();
      breakingOff.abort();
      await finished;
      await store.outbox.release(sender);
    },
  };
}
