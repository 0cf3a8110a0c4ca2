/** Keeps maintenance windows: changes them, starts and ends them for people, and tells what follows from the time. */
import type { Clock } from '../../base/clock.ts';
import { startTimekeeper, type Timekeeper } from '../../base/scheduler.ts';
import type {
  MaintenanceState,
  MaintenanceWindowBody,
  MaintenanceWindowWithState,
  Store,
  StoreTransaction,
} from '../store/index.ts';
import { advanceOf, type News, newsAfter } from './news.ts';
import { comingPeriod, meantBy, periodAt, periodUpTo } from './periods.ts';
import { windowsOf } from './windows.ts';

/** Tells whoever wants to know, in the transaction in which it is kept that it was told. */
export type Tell = (tx: StoreTransaction, window: MaintenanceWindowWithState, news: News) => Promise<void>;

export interface KeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly onError: (message: string, error: unknown) => void;
  /** As the timekeeper has it where it is left out. */
  readonly longestSleepMs?: number;
}

/** Why a window can be neither started nor ended: when it comes next, in ms since the epoch; undefined: never again. */
export interface NotNow {
  readonly comesAt: number | undefined;
}

type Window = MaintenanceWindowWithState;

export interface MaintenanceKeeper {
  start(): void;
  stop(): Promise<void>;
  create(accountId: string, body: MaintenanceWindowBody): Promise<Window>;
  /**
   * Changes a window; what it is open for and what was told of it stays as it is, unless its times change. Undefined: the
   * account has none such. `change` may throw; then nothing is changed.
   */
  change(
    accountId: string,
    id: number,
    change: (before: MaintenanceWindowBody) => MaintenanceWindowBody,
  ): Promise<Window | undefined>;
  /** Whether there was such a window. One that is open ends. */
  remove(accountId: string, id: number): Promise<boolean>;
  /** Starts the occurrence that is under way by plan, or the next within a day. One that is open stays open. */
  begin(accountId: string, id: number): Promise<Window | NotNow | undefined>;
  /** Ends a window that is open, up to its next occurrence. One that was ended before its time stays so. */
  end(accountId: string, id: number): Promise<Window | NotNow | undefined>;
}

/** Of these fields follows when reminders are due: those that were due before they changed are dealt with. */
const REMINDING = ['startsAt', 'endsAt', 'timezone', 'repeatUnit', 'repeatInterval', 'repeatEndsAt'] as const;

function remindsAnew(before: MaintenanceWindowBody, after: MaintenanceWindowBody): boolean {
  const read = (body: MaintenanceWindowBody) => [
    ...REMINDING.map((field) => body[field]),
    body.statusPageVisibility?.enabled,
    body.statusPageVisibility?.reminderMinutesBefore,
  ];
  return JSON.stringify(read(before)) !== JSON.stringify(read(after));
}

/** What is kept of a window whose body changes: a start by hand ends where the start is put off. */
function stateAfter({ body, state }: Window, after: MaintenanceWindowBody, now: number): MaintenanceState {
  const isMoved = after.startsAt !== body.startsAt;
  return {
    ...state,
    startedAt: isMoved && Date.parse(after.startsAt) > now ? null : state.startedAt,
    endedThrough:
      isMoved && state.endedThrough !== null ? Math.min(state.endedThrough, now) : state.endedThrough,
    remindedUntil: remindsAnew(body, after) ? Math.max(state.remindedUntil, now) : state.remindedUntil,
  };
}

export function keepMaintenance(options: KeeperOptions): MaintenanceKeeper {
  const { store, clock, tell, onError, longestSleepMs } = options;
  let timekeeper: Timekeeper | undefined;

  /** Tells what has happened to a window, and keeps that it was told. */
  async function advance(tx: StoreTransaction, window: Window): Promise<Window> {
    const advanced = advanceOf(window, clock.now());
    if (!advanced) return window;
    await tx.maintenanceWindows.setState(window.accountId, window.id, advanced.state);
    for (const news of advanced.news) await tell(tx, window, news);
    return { ...window, state: advanced.state };
  }

  /** Does something with a window as it stands now, all of it together or not at all. */
  const withWindow = <T>(
    accountId: string,
    id: number,
    work: (tx: StoreTransaction, window: Window) => Promise<T>,
  ): Promise<T | undefined> =>
    store.transaction(async (tx) => {
      const window = await tx.maintenanceWindows.getWithState(accountId, id);
      return window && work(tx, await advance(tx, window));
    });

  /** What is about to be as if it had never been open: when it was is kept. */
  async function keepPast(tx: StoreTransaction, { accountId, ...window }: Window): Promise<void> {
    const period = periodUpTo(window, clock.now());
    if (!period || period.endsAt <= period.startsAt) return;
    const { pauseAllChecks, tags, silenceAllAlerts, silenceAlertsTags, statusPageVisibility } = window.body;
    const effects = { pauseAllChecks, tags, silenceAllAlerts, silenceAlertsTags, statusPageVisibility };
    await tx.maintenanceWindows.recordPast(accountId, { ...period, effects });
  }

  async function kept(tx: StoreTransaction, window: Window, state: MaintenanceState): Promise<Window> {
    await tx.maintenanceWindows.setState(window.accountId, window.id, state);
    return advance(tx, { ...window, state });
  }

  /** The time may have something of this window earlier than was known. */
  function known<T extends Window | NotNow | undefined>(window: T): T {
    if (window && 'body' in window) timekeeper?.dueAt(newsAfter(window, clock.now()));
    return window;
  }

  async function step(): Promise<boolean> {
    const now = clock.now();
    for (const accountId of await store.maintenanceWindows.accounts()) {
      for (const window of (await windowsOf(store, accountId)).all) {
        // What was read may be old by then: it is read again, and looked at again.
        if (advanceOf(window, now)) await withWindow(accountId, window.id, async () => undefined);
      }
    }
    return false;
  }

  async function nextInstant(): Promise<number | null> {
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const accountId of await store.maintenanceWindows.accounts()) {
      const { all } = await windowsOf(store, accountId);
      next = Math.min(next, ...all.map((window) => newsAfter(window, now)));
    }
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  return {
    start() {
      timekeeper = startTimekeeper({ clock, step, nextInstant, onError, longestSleepMs });
    },
    async stop() {
      await timekeeper?.stop();
    },
    create: async (accountId, body) =>
      known(
        await store.transaction(async (tx) => {
          const { id } = await tx.maintenanceWindows.create(accountId, body);
          const made = await tx.maintenanceWindows.getWithState(accountId, id);
          if (!made) throw new Error(`maintenance window ${id} is not there after it was made`);
          return advance(tx, made);
        }),
      ),
    change: async (accountId, id, change) =>
      known(
        await withWindow(accountId, id, async (tx, before) => {
          const body = change(before.body);
          await keepPast(tx, before);
          const replaced = await tx.maintenanceWindows.replace(accountId, id, body);
          return replaced && kept(tx, { ...before, ...replaced }, stateAfter(before, body, clock.now()));
        }),
      ),
    async remove(accountId, id) {
      const removed = await withWindow(accountId, id, async (tx, window) => {
        const ended = { ...window.state, startedAt: null, endedThrough: Number.POSITIVE_INFINITY };
        const { news = [] } = advanceOf({ ...window, state: ended }, clock.now()) ?? {};
        for (const each of news) await tell(tx, window, each);
        await keepPast(tx, window);
        return tx.maintenanceWindows.delete(accountId, id);
      });
      return removed ?? false;
    },
    begin: async (accountId, id) =>
      known(
        await withWindow<Window | NotNow>(accountId, id, async (tx, window) => {
          const now = clock.now();
          const period = periodAt(window, now);
          if (period && now < period.endsAt) return window;
          if (!meantBy(window, now)) return { comesAt: comingPeriod(window, now)?.startsAt };
          return kept(tx, window, { ...window.state, startedAt: now, endedThrough: null });
        }),
      ),
    end: async (accountId, id) =>
      known(
        await withWindow<Window | NotNow>(accountId, id, async (tx, window) => {
          const now = clock.now();
          const { startedAt, endedThrough } = window.state;
          if (!periodAt(window, now)) {
            const isEnded = endedThrough !== null && (meantBy(window, now)?.startsAt ?? now) <= endedThrough;
            return isEnded ? window : { comesAt: comingPeriod(window, now)?.startsAt };
          }
          // Started before its time it would start again by itself.
          const meant = startedAt === null ? undefined : meantBy(window, startedAt);
          const through = Math.max(now, meant?.startsAt ?? now);
          await keepPast(tx, window);
          return kept(tx, window, { ...window.state, startedAt: null, endedThrough: through });
        }),
      ),
  };
}
