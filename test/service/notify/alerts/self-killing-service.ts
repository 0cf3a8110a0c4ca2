/** All of the service that alerts, over a given store; it kills its own process at the step that it is told. */

import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { createAlerts } from '../../../../src/service/notify/alerts/send-alerts.ts';
import { createDeliver } from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { startSender } from '../../../../src/service/notify/outbox/sender.ts';
import type { Store } from '../../../../src/service/store/index.ts';
import { evaluateInProcess } from '../../../support/runners.ts';
import { BAD } from './outcomes.ts';

/**
 * `decided`: before the commit of what was decided. `written`: after it, before a claim. `claimed`: after a claim's.
 * `answered`: the receiver has answered, and nothing of it is recorded. `recorded`: after that.
 */
export const STEPS = ['decided', 'written', 'claimed', 'answered', 'recorded'] as const;

/** The kinds of messages, each sent by a real protocol. */
export const MESSAGES = ['webhook', 'email', 'slack', 'sms'] as const;

export interface Receivers {
  readonly smtpPort: number;
  /** The gateway for short messages. */
  readonly smsUrl: string;
}

export interface Death {
  readonly step?: string | undefined;
  readonly kind?: string | undefined;
  /** The transaction of due alerts, from 1, at whose end it dies: before its commit, or after it. */
  readonly transaction?: { readonly number: number; readonly isCommitted: boolean } | undefined;
}

const die = () => process.kill(process.pid, 'SIGKILL');

/** The whole of the service that alerts: engine, alerts and sender; a death says where it dies, if it does. */
export async function alertingService(
  store: Store,
  { smtpPort, smsUrl }: Receivers,
  { step, kind, transaction }: Death = {},
  clock: Clock = systemClock,
  outcome = BAD,
) {
  const given = { clock, random: systemRandom };
  const onError = (message: string, error: unknown) => console.error(message, error);
  let transactions = 0;
  const diesAt = (isCommitted: boolean) =>
    transactions === transaction?.number && isCommitted === transaction.isCommitted && die();
  const dueAlerts: Store = Object.assign(Object.create(store) as Store, {
    async transaction<T>(work: Parameters<typeof store.transaction<T>>[0]) {
      transactions += 1;
      const done = await store.transaction(async (tx) => {
        const result = await work(tx);
        diesAt(false);
        return result;
      });
      diesAt(true);
      return done;
    },
  });
  const alerts = createAlerts({
    store: dueAlerts,
    onError,
    clock,
    buildResultLink: () => undefined,
    buildPageLink: () => undefined,
  });
  const engine = createEngine({
    ...{ ...given, evaluate: evaluateInProcess, store, logger: console },
    ...{ locations: ['eu-west-1'], resolvers: () => [], concurrency: 1, graceMs: 0 },
    runners: { DNS: async () => outcome },
    async onEnded(tx, ended) {
      await alerts.onEnded(tx, ended);
      if (step === 'decided') die();
    },
  });
  const deliver = createDeliver(
    {
      mail: {
        ...{ host: '127.0.0.1', port: smtpPort, secure: false, requireTls: false },
        from: 'sonde@example.com',
      },
      sms: { url: smsUrl, format: 'json' },
    },
    clock,
  );
  /** The kinds of messages that were claimed and whose outcome is not recorded. */
  const kinds = new Map<number, string>();
  const ends =
    <Rest extends unknown[]>(record: (id: number, ...rest: Rest) => Promise<boolean>) =>
    (id: number, ...rest: Rest) =>
      record(id, ...rest).finally(() => kinds.delete(id));
  const outbox: Store['outbox'] = {
    ...store.outbox,
    retry: ends(store.outbox.retry),
    markFailed: ends(store.outbox.markFailed),
    async claim(asked) {
      if (step === 'written' && (await store.outbox.nextInstant(asked.sender)) !== null) die();
      const claimed = await store.outbox.claim(asked);
      for (const one of claimed) kinds.set(one.id, one.kind);
      if (step === 'claimed' && claimed.some((one) => one.kind === kind)) die();
      return claimed;
    },
    markSent: ends(async (id, sender, receipt?: string) => {
      const isRecorded = await store.outbox.markSent(id, sender, receipt);
      if (step === 'recorded' && kinds.get(id) === kind) die();
      return isRecorded;
    }),
  };
  const { outboxSignal, dialect } = store;
  await engine.start();
  alerts.start();
  const sender = await startSender({
    ...{ ...given, store: { outbox, outboxSignal, dialect }, onError },
    async deliver(message, context) {
      const delivery = await deliver(message, context);
      if (step === 'answered' && message.kind === kind) die();
      return delivery;
    },
  });
  return {
    engine,
    /** Waits until no delivery is under way, so that a manual clock does not pass the end of its lease meanwhile. */
    async awaitDeliveries() {
      while (kinds.size > 0) await systemClock.sleep(1);
    },
    async stop() {
      await engine.stop();
      await alerts.stop();
      await sender.stop(1000);
    },
  };
}
