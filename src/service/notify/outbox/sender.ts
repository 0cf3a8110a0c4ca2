/** Sends the messages of the outbox: claims, delivers, retries and records them, in parallel to checks. */

import { whenAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import { startScheduler } from '../../../base/scheduler.ts';
import type { OutboxMessage, Store } from '../../store/index.ts';
import type { Message } from '../facts/message.ts';
import {
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
} from './deliver/delivery.ts';

export interface SenderOptions {
  readonly store: Pick<Store, 'outbox' | 'outboxSignal' | 'dialect'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Adds messages to the outbox that wait for their turn. Returns whether there are more. Default: there are none. */
  readonly prepare?: () => Promise<boolean>;
  readonly deliver: (message: Message, context: DeliveryContext) => Promise<DeliveryResult>;
  readonly onError: (message: string, error: unknown) => void;
  /** Returns whether to still send a message of a lane. Default: always. */
  readonly shouldSend?: (lane: string) => Promise<boolean>;
  /** Reports each delivery to the metrics. */
  readonly onDelivery?: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void;
}

export interface Sender {
  /** Aborts deliveries after the grace period (ms). The next start sends the rest. */
  stop(graceMs: number): Promise<void>;
}

/** Longer than any delivery. */
const LEASE_MS = 120_000;
/** Maximum number of concurrent deliveries. */
const MAX_CONCURRENT = 20;
/** Maximum numbers of those to one destination, of one kind, and to subscribers: others always find a free place. */
const MOST = { perDestination: 4, perKind: 12, deferred: 8 } as const;
/** Delay before another attempt to record an outcome, in ms. */
const RECORD_RETRY_MS = 1000;
/** Retention of sent messages, in ms. */
const RETENTION_MS = 30 * 24 * 60 * 60_000;
const DELETE_EVERY_MS = 60 * 60_000;
const DELETE_BATCH = 500;

const SECOND = 1000;
/** docs/gaps.md, webhook: up to 5 retries 20 s apart. */
const WEBHOOK_RETRY_DELAYS_MS = [20, 20, 20, 20, 20].map((seconds) => seconds * SECOND);
/** An outage of a vendor, or a mail server that greylists, takes longer. */
const RETRY_DELAYS_MS = [60, 120, 300, 900, 1800].map((seconds) => seconds * SECOND);

export async function startSender(options: SenderOptions): Promise<Sender> {
  const { store, clock, onError, onDelivery, shouldSend, prepare = async () => false } = options;
  const sender = `sender/${options.random.uuid()}`;
  const underWay = new Map<Promise<void>, OutboxMessage>();
  const aborting = new AbortController();
  const stopping = new AbortController();
  let nextDeleteAt = clock.now();

  // Only this process uses a SQLite file, so earlier claims are void. On Postgres they expire with their lease.
  if (store.dialect === 'sqlite') await store.outbox.releaseAll();

  async function step(): Promise<boolean> {
    const now = clock.now();
    await store.outbox.releaseExpired(sender, now);
    const limit = MAX_CONCURRENT - underWay.size;
    const claim = { sender, now, leaseUntil: now + LEASE_MS, limit, ...MOST };
    const claimed = limit > 0 ? await store.outbox.claim({ ...claim, inFlight: [...underWay.values()] }) : [];
    for (const message of claimed) {
      const done: Promise<void> = send(message).finally(() => {
        underWay.delete(done);
        scheduler.dueAt(clock.now());
      });
      underWay.set(done, message);
    }
    const hasExpired = await deleteExpired(now);
    // After the claim, so that an alert never waits for it.
    const hasPrepared = await prepare();
    return claimed.length > 0 || hasExpired || hasPrepared;
  }

  async function deleteExpired(now: number): Promise<boolean> {
    if (now < nextDeleteAt) return false;
    if ((await store.outbox.deleteEnded(now - RETENTION_MS, DELETE_BATCH)) === DELETE_BATCH) return true;
    nextDeleteAt = now + DELETE_EVERY_MS;
    return false;
  }

  async function send(message: OutboxMessage): Promise<void> {
    const { id, kind, attempts, lane, idempotency_key: key } = message;
    if (lane !== null && (await shouldSkip(lane)))
      return recordOutcome(() =>
        store.outbox.markFailed(id, sender, 'the recipient is no longer subscribed'),
      );
    const delivery = await deliver(message);
    if (delivery.ok) {
      onDelivery?.(kind, 'sent');
      return recordOutcome(() => store.outbox.markSent(id, sender, delivery.receipt));
    }
    // The stop aborted it: the next start sends it, and the attempt does not count.
    if (aborting.signal.aborted) return;
    const pause = (kind === 'webhook' ? WEBHOOK_RETRY_DELAYS_MS : RETRY_DELAYS_MS)[attempts - 1];
    if (delivery.mayRetry && pause !== undefined) {
      onDelivery?.(kind, 'retried');
      const notBefore = clock.now() + Math.max(pause, delivery.retryAfterMs ?? 0);
      return recordOutcome(() => store.outbox.retry(id, sender, notBefore, delivery.error));
    }
    onDelivery?.(kind, 'failed');
    onError('cannot deliver a message', new Error(`${kind} ${key}: ${delivery.error}`));
    return recordOutcome(() => store.outbox.markFailed(id, sender, delivery.error));
  }

  /** Returns false if the recipient is unknown because of an error: a wanted message must not be lost. */
  async function shouldSkip(lane: string): Promise<boolean> {
    try {
      return shouldSend !== undefined && !(await shouldSend(lane));
    } catch (error) {
      onError('cannot read the recipient of a message', error);
      return false;
    }
  }

  async function deliver({
    payload,
    lane,
    idempotency_key: idempotencyKey,
  }: OutboxMessage): Promise<DeliveryResult> {
    if (payload === null) return failForGood('the message is empty');
    try {
      const message = JSON.parse(payload) as Message;
      const since = 'threadSince' in message ? message.threadSince : undefined;
      const thread =
        since === undefined || lane === null ? undefined : await store.outbox.findReceipt(lane, since);
      return await options.deliver(message, { idempotencyKey, signal: aborting.signal, thread });
    } catch (error) {
      return retryLater(formatDeliveryError(error));
    }
  }

  /** Records the outcome of a delivery, and retries until the store accepts it, so that nothing is sent twice. */
  async function recordOutcome(record: () => Promise<boolean>): Promise<void> {
    do {
      try {
        await record();
        return;
      } catch (error) {
        onError('cannot record the outcome of a delivery', error);
        await clock.sleep(RECORD_RETRY_MS, aborting.signal).catch(() => {});
      }
    } while (!aborting.signal.aborted);
  }

  const scheduler = startScheduler({
    clock,
    step,
    onError,
    nextInstant: async () => (underWay.size >= MAX_CONCURRENT ? null : store.outbox.nextInstant(sender)),
  });

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { aborted, dispose } = whenAborted(stopping.signal);
      const woken = store.outboxSignal.next();
      scheduler.dueAt(clock.now());
      await Promise.race([woken, aborted]);
      dispose();
    }
  }
  const listening = listen();

  return {
    async stop(graceMs) {
      stopping.abort();
      await scheduler.stop();
      await listening;
      const graceTimer = new AbortController();
      const finished = Promise.allSettled([...underWay.keys()]);
      await Promise.race([finished, clock.sleep(graceMs, graceTimer.signal).catch(() => {})]);
      graceTimer.abort();
      aborting.abort();
      await finished;
      await store.outbox.release(sender);
    },
  };
}
