/** Receives heartbeat pings and detects missed ones while the engine runs. */
import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { Uplink } from '../../../runners/uplink/uplink.ts';
import type { Report } from '../../../worker/port.ts';
import { findPauses } from '../../maintenance/effects.ts';
import { loadWindows, type Windows } from '../../maintenance/windows.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import { type HeartbeatProgress, type HeartbeatRecord, runDueAt } from '../../store/heartbeats.ts';
import type { Observation } from '../sessions/record-reports.ts';
import { type Subject, subjectsOf } from '../sessions/settings.ts';
import { applyOutageToRuns, checkRuns, shiftRuns } from './job.ts';
import { receive } from './receive.ts';
import { missReport, unfinishedReport } from './report.ts';
import type { Signal } from './signal.ts';
import { applyActivation, applyClockStep, applyOutage, checkDue, type Outage, type Pauses } from './state.ts';
import { createStoredClock } from './stored-clock.ts';
import { timesOf } from './times.ts';

interface HeartbeatsOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** The location in results of pings. */
  readonly location: string;
  /** Runs a change, and records the observations that it returns in the same transaction. */
  readonly observe: (work: (data: EngineData) => Promise<readonly Observation[]>) => Promise<void>;
  /** Does the work unless another service shares the store. */
  readonly whileAlone: (work: () => Promise<void>) => Promise<unknown>;
  /** Pings cannot arrive while the network of this machine is down. Default: unknown. */
  readonly uplink?: Pick<Uplink, 'findOutage' | 'outagesSince'> | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

const BATCH_SIZE = 100;
/** After a longer gap between steps, in ms, pings may have been lost. */
const OUTAGE_MS = 90_000;
/** Clocks of services that ran one after another may differ by this, in ms. */
const MAX_DRIFT_MS = 1000;
/** Another service on the same store runs a step at least this often, in ms. */
const PEER_INTERVAL_MS = 45_000;

export function createHeartbeats(options: HeartbeatsOptions) {
  const { store, clock, location, observe, whileAlone, onError, uplink } = options;
  let scheduler: Scheduler | undefined;
  /** Outages of the network that ended by this time have been handled. */
  let handledUntil = Number.NEGATIVE_INFINITY;
  let storedClock = createStoredClock(clock, convertAll);
  /** On the monotonic clock; undefined until the first step since the start. */
  let lastStepAt: number | undefined;
  /** The time of the first step since the start. */
  let firstStepAt: number | undefined;

  /** Receives a ping at the URL with the token. `hasDetails`: it is recorded for what it says. Returns false for an unknown URL. */
  async function ping(token: string, signal: Signal, hasDetails: boolean): Promise<boolean> {
    let due: number | null | undefined;
    const work = (now: () => number) => async (data: EngineData) => {
      due = undefined;
      const before = await data.heartbeats.byToken(token);
      if (before === undefined) return [];
      const [subject] = await subjectsFor(data, [before]);
      if (subject === undefined) return [];
      const isInactive = !subject.settings.activated;
      const { next, report } = receive(before, now(), signal, { isInactive, hasDetails });
      await data.heartbeats.update(before.checkId, next);
      due = earliest(next.dueAt, runDueAt(next.job));
      return report ? [{ subject, location, report }] : [];
    };
    await storedClock.during((now) => observe(work(now)));
    if (due === undefined) return false;
    if (due !== null) scheduler?.dueAt(due + 1);
    return true;
  }

  /** Updates the due time after a check or its group was changed. Inactive checks expect no ping. */
  async function changed(checkId: string): Promise<void> {
    const work = (now: () => number) => async (data: EngineData) => {
      const before = await data.heartbeats.byCheck(checkId);
      const [subject] = before ? await subjectsFor(data, [before]) : [];
      if (before === undefined || subject === undefined) return;
      const next = applyActivation(before, timesOf(before), now(), !subject.settings.activated);
      if (next !== before) await data.heartbeats.update(checkId, next);
    };
    await storedClock.during((now) => store.atomically(work(now)));
    scheduler?.dueAt(clock.now());
  }

  async function step(): Promise<boolean> {
    return storedClock.during(async (now) => {
      if (!(await handleOutage(now())) || !(await handleUplink(now()))) return false;
      return search(now());
    });
  }

  /** Evaluates overdue heartbeats. Returns whether there may be more. */
  async function search(now: number): Promise<boolean> {
    let isFull = false;
    await observe(async (data) => {
      const due = await data.heartbeats.due(now - 1, BATCH_SIZE);
      isFull = due.length === BATCH_SIZE;
      const subjects = new Map(
        (await subjectsFor(data, due)).map((subject) => [subject.check.id, subject] as const),
      );
      const windows = new Map<string, Windows>();
      const observations: Observation[] = [];
      for (const before of due) {
        const subject = subjects.get(before.checkId);
        if (subject === undefined) continue;
        const known = windows.get(before.accountId) ?? (await loadWindows(data, before.accountId));
        windows.set(before.accountId, known);
        const { next, report } = checkHeartbeat(before, now, (from, to) =>
          subject.settings.activated ? findPauses(known, subject, from, to) : [{ from, to }],
        );
        await data.heartbeats.update(before.checkId, next);
        if (report) observations.push({ subject, location, report });
      }
      await data.heartbeats.recordSearch(now);
      return observations;
    });
    return isFull;
  }

  /**
   * Gives heartbeats more time after an outage of the service, when pings may have been lost. Returns false if it is
   * still unknown whether another service was running, which then evaluates them.
   */
  async function handleOutage(now: number): Promise<boolean> {
    const monotonic = clock.monotonic();
    if (lastStepAt === undefined) {
      firstStepAt ??= now;
      const from = await store.heartbeats.lastSearch();
      const wasWatched = from !== null && from >= firstStepAt && !(await isAlone());
      if (!wasWatched) {
        // Without this limit, a service that restarts in a loop would postpone every miss that its peer is about to
        // record.
        const isOpen =
          from !== null && firstStepAt - from <= PEER_INTERVAL_MS && now - firstStepAt < PEER_INTERVAL_MS;
        if (isOpen && !(await isAlone())) return false;
        // A search after the start reveals a clock that was set back meanwhile.
        if (from !== null && from > now + MAX_DRIFT_MS) await whileAlone(() => convert(now - from, now));
        // A starting service has seen no clock step, so its whole absence counts.
        const isAhead = from !== null && from > firstStepAt;
        await resumeAll({ from: isAhead ? null : from, to: firstStepAt });
      }
    } else if (monotonic - lastStepAt > OUTAGE_MS) {
      await resumeAll({ from: await store.heartbeats.lastSearch(), to: now });
    }
    lastStepAt = monotonic;
    return true;
  }

  /** Gives heartbeats more time after outages of this machine's network. Returns false while one lasts. */
  async function handleUplink(now: number): Promise<boolean> {
    if (uplink === undefined || ((await store.heartbeats.nextDue()) ?? now) >= now) return true;
    // The scheduler repeats a step that leaves due work.
    if ((await uplink.findOutage(now)) !== undefined) return false;
    for (const outage of uplink.outagesSince(handledUntil)) {
      await resumeAll(outage);
      handledUntil = outage.to;
    }
    return true;
  }

  async function isAlone(): Promise<boolean> {
    let alone = false;
    await whileAlone(async () => {
      alone = true;
    });
    return alone;
  }

  async function resumeAll(outage: Outage): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const start: string = after;
      after = await store.atomically((data) => resumeBatch(data, start, (before) => resume(before, outage)));
    }
  }

  /** Converts the stored times to a clock that was set by `stepMs`. Services on other machines have their own clocks. */
  async function convertAll(stepMs: number, now: number): Promise<void> {
    await whileAlone(() => convert(stepMs, now));
    handledUntil += stepMs;
  }

  /** In one transaction: a part that was converted would be converted again. */
  const convert = (stepMs: number, now: number): Promise<void> =>
    store.atomically(async (data) => {
      for (let after: string | undefined = ''; after !== undefined; )
        after = await resumeBatch(data, after, (before) => afterClockStep(before, stepMs, now));
      const searched = await data.heartbeats.lastSearch();
      if (searched !== null) await data.heartbeats.recordSearch(searched + stepMs);
    });

  return {
    ping,
    changed,
    start(): void {
      storedClock = createStoredClock(clock, convertAll);
      lastStepAt = undefined;
      firstStepAt = undefined;
      scheduler = startScheduler({
        clock,
        step,
        onError,
        async nextInstant() {
          const due = await store.heartbeats.nextDue();
          return due === null ? null : due + 1;
        },
      });
    },
    async stop(): Promise<void> {
      const stopped = scheduler;
      scheduler = undefined;
      await stopped?.stop();
    },
  };
}

/** Updates a batch of waiting heartbeats after this check ID, and returns where the next batch starts. */
async function resumeBatch(
  data: EngineData,
  after: string,
  progress: (before: HeartbeatRecord) => HeartbeatProgress,
): Promise<string | undefined> {
  const waiting = await data.heartbeats.withDeadline(after, BATCH_SIZE);
  for (const before of waiting) await data.heartbeats.update(before.checkId, progress(before));
  return waiting.length < BATCH_SIZE ? undefined : waiting.at(-1)?.checkId;
}

function resume(before: HeartbeatRecord, outage: Outage): HeartbeatProgress {
  const times = timesOf(before);
  return { ...applyOutage(before, times, outage), job: applyOutageToRuns(before.job, times, outage) };
}

/** Converts the times of a heartbeat. A clock that was set on may hide a sleep of the machine, in which pings were lost. */
function afterClockStep(before: HeartbeatRecord, stepMs: number, now: number): HeartbeatProgress {
  const moved = {
    ...before,
    ...applyClockStep(before, timesOf(before), stepMs, now),
    job: shiftRuns(before.job, stepMs),
  };
  if (stepMs < 0) return moved;
  const outage = { from: now - stepMs, to: now };
  // Times of a cron expression are those of the wall clock.
  return before.cron === null
    ? resume(moved, outage)
    : { ...moved, job: applyOutageToRuns(moved.job, timesOf(before), outage) };
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Evaluates a heartbeat that is due: a run that did not end, or else a missed ping. */
function checkHeartbeat(
  before: HeartbeatRecord,
  now: number,
  pauses: Pauses,
): { readonly next: HeartbeatProgress; readonly report?: Report } {
  const times = timesOf(before);
  const { next: afterRuns, run } = checkRuns(before, times, now, pauses);
  if (run !== undefined) return { next: afterRuns, report: unfinishedReport(before, now, run) };
  const { next, event } = checkDue(afterRuns, times, now, pauses);
  return event ? { next, report: missReport(before, now) } : { next };
}

async function subjectsFor(data: EngineData, of: readonly HeartbeatRecord[]): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const accountId of new Set(of.map((each) => each.accountId))) {
    const ids = of.filter((each) => each.accountId === accountId).map(({ checkId }) => checkId);
    subjects.push(...(await subjectsOf(data, await data.checks.byIds(accountId, ids))));
  }
  return subjects;
}
