/** Heartbeats: takes pings, and looks for those that are missed, while the engine runs. */
import type { Clock } from '../../../base/clock.ts';
import { startTimekeeper, type Timekeeper } from '../../../base/scheduler.ts';
import { pausesBetween, type Windows, windowsOf } from '../../maintenance/index.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import type { HeartbeatRecord } from '../../store/heartbeats.ts';
import { stepsOf } from '../schedule/clock-steps.ts';
import type { Observed } from '../sessions/observe.ts';
import { type Subject, subjectsOf } from '../sessions/start.ts';
import { missReport, type Ping, pingReport } from './report.ts';
import { lookedAt, pinged, returnedTo, switched } from './state.ts';

export interface HeartbeatOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** Where pings are received: the location of their results. */
  readonly location: string;
  /** Makes a change, and records in the same transaction what it says was found. */
  readonly observe: (work: (data: EngineData) => Promise<readonly Observed[]>) => Promise<void>;
  /** Does the work unless another service shares the store. */
  readonly whileAlone: (work: () => Promise<void>) => Promise<unknown>;
  readonly onError: (message: string, error: unknown) => void;
}

export interface Heartbeats {
  /** A ping came at the URL that ends so; false: there is no such URL. */
  ping(token: string, ping: Ping): Promise<boolean>;
  /** To be called after a check or its group was changed: when it is due may have moved, and what rests is not waited for. */
  changed(checkId: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const AT_ONCE = 100;
/** Nobody looked for longer than this: then nobody heard pings either, in ms. */
const AWAY_MS = 90_000;
/** Where another service shares the store, it looks at least so often, in ms. */
const OTHERS_LOOK_MS = 45_000;

export function heartbeats(options: HeartbeatOptions): Heartbeats {
  const { store, clock, location, observe, whileAlone, onError } = options;
  let keeper: Timekeeper | undefined;
  let stepOf = stepsOf(clock);
  /** By the clock that never steps; undefined: not since the start. */
  let lookedLast: number | undefined;
  /** When it was here for the first time since the start. */
  let arrivedAt: number | undefined;

  const timesOf = ({ periodMs, graceMs }: HeartbeatRecord) => ({ periodMs, graceMs });

  async function ping(token: string, how: Ping): Promise<boolean> {
    let due: number | null | undefined;
    await observe(async (data) => {
      due = undefined;
      const before = await data.heartbeats.byToken(token);
      if (before === undefined) return [];
      const [subject] = await subjectsFor(data, [before]);
      if (subject === undefined) return [];
      const now = clock.now();
      const { next, found } = pinged(before, timesOf(before), now, !subject.settings.activated);
      await data.heartbeats.update(before.checkId, next);
      due = next.dueAt;
      return found ? [{ subject, location, report: pingReport(before, now, how) }] : [];
    });
    if (due === undefined) return false;
    if (due !== null) keeper?.dueAt(due + 1);
    return true;
  }

  async function changed(checkId: string): Promise<void> {
    await store.atomically(async (data) => {
      const before = await data.heartbeats.byCheck(checkId);
      const [subject] = before ? await subjectsFor(data, [before]) : [];
      if (before === undefined || subject === undefined) return;
      const next = switched(before, timesOf(before), clock.now(), !subject.settings.activated);
      if (next !== before) await data.heartbeats.update(checkId, next);
    });
    keeper?.dueAt(clock.now());
  }

  /** Does what is due; true where there may be more. */
  async function step(): Promise<boolean> {
    if (!(await followAbsence())) return false;
    let isFull = false;
    await observe(async (data) => {
      const now = clock.now();
      const due = await data.heartbeats.due(now - 1, AT_ONCE);
      isFull = due.length === AT_ONCE;
      const subjects = new Map(
        (await subjectsFor(data, due)).map((subject) => [subject.check.id, subject] as const),
      );
      const windows = new Map<string, Windows>();
      const observed: Observed[] = [];
      for (const before of due) {
        const subject = subjects.get(before.checkId);
        if (subject === undefined) continue;
        const known = windows.get(before.accountId) ?? (await windowsOf(data, before.accountId));
        windows.set(before.accountId, known);
        const { next, found } = lookedAt(before, timesOf(before), now, (from, to) =>
          subject.settings.activated ? pausesBetween(known, subject, from, to) : [{ from, to }],
        );
        await data.heartbeats.update(before.checkId, next);
        if (found) observed.push({ subject, location, report: missReport(before, now) });
      }
      await data.heartbeats.recordSearch(now);
      return observed;
    });
    return isFull;
  }

  /**
   * Where nobody looked for a while, or the clock was set, what pings were missed in that time is held against nobody. False where
   * it is not known yet whether another service was there all the time: it looks, then.
   */
  async function followAbsence(): Promise<boolean> {
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const step = stepOf();
    if (lookedLast === undefined) {
      arrivedAt ??= now;
      const from = await store.heartbeats.lastSearch();
      const wasWatched = from !== null && from >= arrivedAt && !(await isAlone());
      if (!wasWatched) {
        // One that starts over and over beside another would else put off for ever what that one is about to miss.
        const isOpen =
          from !== null && arrivedAt - from <= OTHERS_LOOK_MS && now - arrivedAt < OTHERS_LOOK_MS;
        if (isOpen && !(await isAlone())) return false;
        // A service that starts knows of no step: what it was away for counts in full.
        await comeBackAll({ from, to: arrivedAt }, 0);
      }
    } else if (monotonic - lookedLast > AWAY_MS) {
      await comeBackAll({ from: await store.heartbeats.lastSearch(), to: now }, step);
    } else if (step !== 0) {
      // Others on other machines go by clocks of their own.
      await whileAlone(() => comeBackAll({ from: null, to: now }, step));
    }
    lookedLast = monotonic;
    return true;
  }

  async function isAlone(): Promise<boolean> {
    let isSo = false;
    await whileAlone(async () => {
      isSo = true;
    });
    return isSo;
  }

  async function comeBackAll(
    away: { readonly from: number | null; readonly to: number },
    moved: number,
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; )
      after = await comeBack(after, away, moved);
  }

  /** A batch of those that a ping is waited for of, after this check; answers after which the next begins. */
  async function comeBack(after: string, away: { from: number | null; to: number }, moved: number) {
    return store.atomically(async (data) => {
      const waited = await data.heartbeats.withDeadline(after, AT_ONCE);
      for (const before of waited) {
        // By a clock that was set the last ping came at another time than was said.
        const shifted = {
          ...before,
          lastPingAt: before.lastPingAt === null ? null : before.lastPingAt + moved,
          dueAt: before.dueAt === null ? null : before.dueAt + moved,
        };
        const next = moved < 0 ? shifted : returnedTo(shifted, timesOf(before), away);
        if (next !== before) await data.heartbeats.update(before.checkId, next);
      }
      return waited.length < AT_ONCE ? undefined : waited.at(-1)?.checkId;
    });
  }

  return {
    ping,
    changed,
    start() {
      stepOf = stepsOf(clock);
      lookedLast = undefined;
      arrivedAt = undefined;
      keeper = startTimekeeper({
        ...{ clock, step, onError },
        async nextInstant() {
          const due = await store.heartbeats.nextDue();
          return due === null ? null : due + 1;
        },
      });
    },
    async stop() {
      const stopped = keeper;
      keeper = undefined;
      await stopped?.stop();
    },
  };
}

/** The checks of heartbeats, with the settings that hold for them. */
async function subjectsFor(data: EngineData, of: readonly HeartbeatRecord[]): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const accountId of new Set(of.map((each) => each.accountId))) {
    const ids = of.filter((each) => each.accountId === accountId).map(({ checkId }) => checkId);
    found.push(...(await subjectsOf(data, await data.checks.byIds(accountId, ids))));
  }
  return found;
}
