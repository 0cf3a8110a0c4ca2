/** Alerts: what follows from the ends of sessions, and from instants that come though no session ends. */
import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { EndedSession } from '../../engine/sessions/change-context.ts';
import type { Store, StoreTransaction } from '../../store/index.ts';
import { type Alerting, alertOnEnds, alertOnTime, type ResultLink } from './send-alerts.ts';

export interface AlertsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  readonly link: ResultLink;
}

export interface Alerts {
  /** What hangs on sessions' ends, in the same transaction. */
  readonly onEnded: (tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>;
  /** Begins to wait for what is due: what was due while nobody was there is done at once. */
  start(): void;
  stop(): Promise<void>;
}

const AT_ONCE = 100;

export function createAlerts({ store, clock, onError, link }: AlertsOptions): Alerts {
  let timekeeper: Scheduler | undefined;
  const alerting: Alerting = { link, onDue: (instant) => timekeeper?.dueAt(instant) };

  async function step(): Promise<boolean> {
    const due = await store.alertStates.due(clock.now(), AT_ONCE);
    for (const one of due) await store.transaction((tx) => alertOnTime(tx, one, alerting));
    return due.length === AT_ONCE;
  }

  return {
    onEnded: (tx, ended) => alertOnEnds(tx, ended, alerting),
    start() {
      timekeeper ??= startScheduler({
        ...{ clock, step, onError },
        nextInstant: store.alertStates.nextInstant,
      });
    },
    async stop() {
      await timekeeper?.stop();
      timekeeper = undefined;
    },
  };
}
