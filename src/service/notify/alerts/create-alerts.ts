/** Sends alerts when sessions end, and at due times without a session. */
import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { EndedSession } from '../../engine/sessions/change-context.ts';
import type { Store, StoreTransaction } from '../../store/index.ts';
import { type AlertContext, type ResultLink, sendAlerts, sendDueAlerts } from './send-alerts.ts';

export interface AlertsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  readonly buildResultLink: ResultLink;
}

export interface Alerts {
  /** Handles ended sessions in their transaction. */
  readonly onEnded: (tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>;
  /** Starts waiting for due alerts. Processes overdue ones at once. */
  start(): void;
  stop(): Promise<void>;
}

const BATCH_SIZE = 100;

export function createAlerts({ store, clock, onError, buildResultLink }: AlertsOptions): Alerts {
  let timekeeper: Scheduler | undefined;
  const context: AlertContext = { buildResultLink, onDue: (instant) => timekeeper?.dueAt(instant) };

  async function step(): Promise<boolean> {
    const due = await store.alertStates.due(clock.now(), BATCH_SIZE);
    for (const one of due) await store.transaction((tx) => sendDueAlerts(tx, one, context));
    return due.length === BATCH_SIZE;
  }

  return {
    onEnded: (tx, ended) => sendAlerts(tx, ended, context),
    start() {
      timekeeper ??= startScheduler({
        clock,
        step,
        onError,
        nextInstant: store.alertStates.nextInstant,
      });
    },
    async stop() {
      await timekeeper?.stop();
      timekeeper = undefined;
    },
  };
}
