/** Manages maintenance windows: changes, manual starts and ends, and notifications that are due with time. */
import type { Clock } from '../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../base/scheduler.ts';
import {
  type MaintenanceState,
  type MaintenanceWindowBody,
  type MaintenanceWindowWithState,
  type ResourceStore,
  type Store,
  type StoreTransaction,
  storeWithin,
} from '../store/index.ts';
import {
  advanceWindow,
  findStartable,
  type MaintenanceEvent,
  nextEventAfter,
  nextPeriod,
  periodAt,
  periodUpTo,
} from './periods.ts';
import { loadWindows } from './windows.ts';

/** Notifies subscribers in the transaction that records the notification. */
export type NotifyMaintenance = (
  tx: StoreTransaction,
  window: MaintenanceWindowWithState,
  event: MaintenanceEvent,
) => Promise<void>;

interface MaintenanceSchedulerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notify: NotifyMaintenance;
  readonly onError: (message: string, error: unknown) => void;
  /** Default: that of the scheduler. */
  readonly longestSleepMs?: number;
}

/** Returned instead of a window that cannot be started or ended now: its next start in ms since the epoch; undefined: never. */
export interface NextStart {
  readonly nextStartsAt: number | undefined;
}

type Window = MaintenanceWindowWithState;

export type MaintenanceScheduler = ReturnType<typeof createMaintenanceScheduler>;
/** The commands that change windows. */
export type WindowCommands = Omit<ReturnType<typeof createWindowCommands>, 'advance'>;

/**
 * Fields that determine when the window is open, and when reminders are due. After a change, its repetitions are others: none
 * of them is moved or cancelled, and reminders that were due before are not sent.
 */
const TIME_FIELDS = [
  'startsAt',
  'endsAt',
  'timezone',
  'repeatUnit',
  'repeatInterval',
  'repeatEndsAt',
] as const;

const timesIn = (body: MaintenanceWindowBody) => TIME_FIELDS.map((field) => body[field] ?? null);
const remindersIn = ({ statusPageVisibility: shown }: MaintenanceWindowBody) => [
  shown?.enabled,
  shown?.reminderMinutesBefore,
];
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the state of a window after a change. Postponing the start cancels a manual start. */
function stateAfter({ body, state }: Window, after: MaintenanceWindowBody, now: number): MaintenanceState {
  const isMoved = after.startsAt !== body.startsAt;
  const hasOtherTimes = !isSame(timesIn(body), timesIn(after));
  const hasOtherReminders = hasOtherTimes || !isSame(remindersIn(body), remindersIn(after));
  return {
    ...state,
    startedAt: isMoved && Date.parse(after.startsAt) > now ? null : state.startedAt,
    endedThrough:
      isMoved && state.endedThrough !== null ? Math.min(state.endedThrough, now) : state.endedThrough,
    remindedUntil: hasOtherReminders ? Math.max(state.remindedUntil, now) : state.remindedUntil,
    exceptions: hasOtherTimes ? [] : state.exceptions,
  };
}

/** Returns the state of a window after a repetition was moved or cancelled. A manual start of it does not last. */
function stateWith(
  window: Window,
  exceptions: MaintenanceState['exceptions'],
  now: number,
): MaintenanceState {
  const state = { ...window.state, exceptions, remindedUntil: Math.max(window.state.remindedUntil, now) };
  const { startedAt } = state;
  if (startedAt === null) return state;
  const [before, after] = [findStartable(window, startedAt), findStartable({ ...window, state }, startedAt)];
  const isOther = before?.startsAt !== after?.startsAt && (after === undefined || after.startsAt > now);
  return { ...state, startedAt: isOther ? null : startedAt };
}

interface WindowCommandsOptions extends Pick<MaintenanceSchedulerOptions, 'clock' | 'notify'> {
  readonly store: ResourceStore;
  /** Wakes the scheduler for the next event of a window, which may now be earlier. */
  readonly onChange: (window: Window) => void;
}

/** Creates the commands that change windows, each in one transaction of the store. */
function createWindowCommands({ store, clock, notify, onChange }: WindowCommandsOptions) {
  async function notifyDue(tx: StoreTransaction, window: Window): Promise<Window> {
    const advanced = advanceWindow(window, clock.now());
    if (!advanced) return window;
    await tx.maintenanceWindows.setState(window.accountId, window.id, advanced.state);
    for (const event of advanced.events) await notify(tx, window, event);
    return { ...window, state: advanced.state };
  }

  /** Runs work on an up-to-date window in one transaction. */
  const withWindow = <T>(
    accountId: string,
    id: number,
    work: (tx: StoreTransaction, window: Window) => Promise<T>,
  ): Promise<T | undefined> =>
    store.transaction(async (tx) => {
      const window = await tx.maintenanceWindows.getWithState(accountId, id);
      return window && work(tx, await notifyDue(tx, window));
    });

  /** Records when the window was open, before a change would erase it. */
  async function recordPast(tx: StoreTransaction, { accountId, ...window }: Window): Promise<void> {
    const period = periodUpTo(window, clock.now());
    if (!period || period.endsAt <= period.startsAt) return;
    const { pauseAllChecks, tags, silenceAllAlerts, silenceAlertsTags, statusPageVisibility } = window.body;
    const effects = { pauseAllChecks, tags, silenceAllAlerts, silenceAlertsTags, statusPageVisibility };
    await tx.maintenanceWindows.recordPast(accountId, { ...period, effects });
  }

  async function saveState(tx: StoreTransaction, window: Window, state: MaintenanceState): Promise<Window> {
    await tx.maintenanceWindows.setState(window.accountId, window.id, state);
    return notifyDue(tx, { ...window, state });
  }

  function reschedule<T extends Window | NextStart | undefined>(window: T): T {
    if (window && 'body' in window) onChange(window);
    return window;
  }

  return {
    /** Handles what is due of a window. */
    async advance(accountId: string, id: number): Promise<void> {
      await withWindow(accountId, id, async () => undefined);
    },
    create: async (accountId: string, body: MaintenanceWindowBody): Promise<Window> =>
      reschedule(
        await store.transaction(async (tx) => {
          const { id } = await tx.maintenanceWindows.create(accountId, body);
          const created = await tx.maintenanceWindows.getWithState(accountId, id);
          if (!created) throw new Error(`maintenance window ${id} is not there after it was made`);
          return notifyDue(tx, created);
        }),
      ),
    /**
     * Changes a window and keeps its state unless its times change. Resolves to undefined if the window does not exist.
     * If `change` throws, nothing changes.
     */
    change: async (
      accountId: string,
      id: number,
      change: (before: MaintenanceWindowBody) => MaintenanceWindowBody,
    ): Promise<Window | undefined> =>
      reschedule(
        await withWindow(accountId, id, async (tx, before) => {
          const body = change(before.body);
          await recordPast(tx, before);
          const replaced = await tx.maintenanceWindows.replace(accountId, id, body);
          return replaced && saveState(tx, { ...before, ...replaced }, stateAfter(before, body, clock.now()));
        }),
      ),
    /**
     * Moves or cancels repetitions of a window. Resolves to undefined if the window does not exist. If `except` throws,
     * nothing changes.
     */
    except: async (
      accountId: string,
      id: number,
      except: (window: Window) => MaintenanceState['exceptions'],
    ): Promise<Window | undefined> =>
      reschedule(
        await withWindow(accountId, id, async (tx, before) => {
          const state = stateWith(before, except(before), clock.now());
          await recordPast(tx, before);
          const replaced = await tx.maintenanceWindows.replace(accountId, id, before.body);
          return replaced && saveState(tx, { ...before, ...replaced }, state);
        }),
      ),
    /** Deletes a window, ending it if it is open. Resolves to whether it existed. */
    async remove(accountId: string, id: number): Promise<boolean> {
      const removed = await withWindow(accountId, id, async (tx, window) => {
        const ended = { ...window.state, startedAt: null, endedThrough: Number.POSITIVE_INFINITY };
        const { events = [] } = advanceWindow({ ...window, state: ended }, clock.now()) ?? {};
        for (const event of events) await notify(tx, window, event);
        await recordPast(tx, window);
        return tx.maintenanceWindows.delete(accountId, id);
      });
      return removed ?? false;
    },
    /** Starts the current occurrence, or the next within a day. Does nothing if the window is open. */
    startWindow: async (accountId: string, id: number) =>
      reschedule(
        await withWindow<Window | NextStart>(accountId, id, async (tx, window) => {
          const now = clock.now();
          const period = periodAt(window, now);
          if (period && now < period.endsAt) return window;
          if (!findStartable(window, now)) return { nextStartsAt: nextPeriod(window, now)?.startsAt };
          return saveState(tx, window, { ...window.state, startedAt: now, endedThrough: null });
        }),
      ),
    /** Ends an open window until its next occurrence. Does nothing if it was already ended early. */
    endWindow: async (accountId: string, id: number) =>
      reschedule(
        await withWindow<Window | NextStart>(accountId, id, async (tx, window) => {
          const now = clock.now();
          const { startedAt, endedThrough } = window.state;
          if (!periodAt(window, now)) {
            const isEnded =
              endedThrough !== null && (findStartable(window, now)?.startsAt ?? now) <= endedThrough;
            return isEnded ? window : { nextStartsAt: nextPeriod(window, now)?.startsAt };
          }
          // A window that was started early would otherwise start again by schedule.
          const occurrence = startedAt === null ? undefined : findStartable(window, startedAt);
          const through = Math.max(now, occurrence?.startsAt ?? now);
          await recordPast(tx, window);
          return saveState(tx, window, { ...window.state, startedAt: null, endedThrough: through });
        }),
      ),
  };
}

export function createMaintenanceScheduler(options: MaintenanceSchedulerOptions) {
  const { store, clock, notify, onError, longestSleepMs } = options;
  let scheduler: Scheduler | undefined;
  const wake = (window: Window) => scheduler?.dueAt(nextEventAfter(window, clock.now()));
  const { advance, ...commands } = createWindowCommands({ store, clock, notify, onChange: wake });

  async function step(): Promise<boolean> {
    const now = clock.now();
    for (const accountId of await store.maintenanceWindows.accounts()) {
      for (const window of (await loadWindows(store, accountId)).all) {
        // The cached window may be outdated: advance reads it again and checks again.
        if (advanceWindow(window, now)) await advance(accountId, window.id);
      }
    }
    return false;
  }

  async function nextInstant(): Promise<number | null> {
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const accountId of await store.maintenanceWindows.accounts()) {
      const { all } = await loadWindows(store, accountId);
      next = Math.min(next, ...all.map((window) => nextEventAfter(window, now)));
    }
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  return {
    ...commands,
    /** Returns the same commands inside an open transaction. */
    within: (tx: StoreTransaction) =>
      createWindowCommands({
        store: storeWithin(tx),
        clock,
        notify,
        onChange: (window) => tx.onCommit(() => wake(window)),
      }),
    start(): void {
      scheduler = startScheduler({ clock, step, nextInstant, onError, maxSleepMs: longestSleepMs });
    },
    async stop(): Promise<void> {
      await scheduler?.stop();
    },
  };
}
