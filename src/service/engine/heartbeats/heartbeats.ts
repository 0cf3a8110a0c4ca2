/** Receives heartbeat pings and detects missed ones while the engine runs. */
import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { Uplink } from '../../../runners/uplink/uplink.ts';
import type { Report } from '../../../worker/port.ts';
import { findPauses } from '../../maintenance/effects.ts';
import { loadWindows, type Windows } from '../../maintenance/windows.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import { type HeartbeatProgress, type HeartbeatRecord, runDueAt } from '../../store/heartbeats.ts';
import { detectClockSteps } from '../schedule/clock-step-handler.ts';
import type { Observation } from '../sessions/record-reports.ts';
import { type Subject, subjectsOf } from '../sessions/settings.ts';
import { applyOutageToRuns, checkRuns, shiftRuns } from './job.ts';
import { receive } from './receive.ts';
import { missReport, unfinishedReport } from './report.ts';
import type { Signal } from './signal.ts';
import { applyActivation, applyOutage, checkDue, type Outage, type Pauses } from './state.ts';
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
/** Another service on the same store runs a step at least this often, in ms. */
const PEER_INTERVAL_MS = 45_000;

export function createHeartbeats(options: HeartbeatsOptions) {
  const { store, clock, location, observe, whileAlone, onError, uplink } = options;
  let scheduler: Scheduler | undefined;
  /** Outages of the network that ended by this time have been handled. */
  let handledUntil = Number.NEGATIVE_INFINITY;
  let clockStep = detectClockSteps(clock);
  /** On the monotonic clock; undefined until the first step since the start. */
  let lastStepAt: number | undefined;
  /** The time of the first step since the start. */
  let firstStepAt: number | undefined;

  /** Receives a ping at the URL with the token. `hasDetails`: it is recorded for what it says. Returns false for an unknown URL. */
  async function ping(token: string, signal: Signal, hasDetails: boolean): Promise<boolean> {
    let due: number | null | undefined;
    await observe(async (data) => {
      due = undefined;
      const before = await data.heartbeats.byToken(token);
      if (before === undefined) return [];
      const [subject] = await subjectsFor(data, [before]);
      if (subject === undefined) return [];
      const now = clock.now();
      const isInactive = !subject.settings.activated;
      const { next, report } = receive(before, now, signal, { isInactive, hasDetails });
      await data.heartbeats.update(before.checkId, next);
      due = earliest(next.dueAt, runDueAt(next.job));
      return report ? [{ subject, location, report }] : [];
    });
    if (due === undefined) return false;
    if (due !== null) scheduler?.dueAt(due + 1);
    return true;
  }

  /** Updates the due time after a check or its group was changed. Inactive checks expect no ping. */
  async function changed(checkId: string): Promise<void> {
    await store.atomically(async (data) => {
      const before = await data.heartbeats.byCheck(checkId);
      const [subject] = before ? await subjectsFor(data, [before]) : [];
      if (before === undefined || subject === undefined) return;
      const next = applyActivation(before, timesOf(before), clock.now(), !subject.settings.activated);
      if (next !== before) await data.heartbeats.update(checkId, next);
    });
    scheduler?.dueAt(clock.now());
  }

  async function step(): Promise<boolean> {
    if (!(await handleOutage()) || !(await handleUplink())) return false;
    let isFull = false;
    await observe(async (data) => {
      const now = clock.now();
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
   * Gives heartbeats more time after an outage of the service or a clock step, when pings may have been lost. Returns
   * false if it is still unknown whether another service was running, which then evaluates them.
   */
  async function handleOutage(): Promise<boolean> {
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const step = clockStep();
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
        // A starting service has seen no clock step, so its whole absence counts.
        await resumeAll({ from, to: firstStepAt }, 0);
      }
    } else if (monotonic - lastStepAt > OUTAGE_MS) {
      await resumeAll({ from: await store.heartbeats.lastSearch(), to: now }, step);
    } else if (step !== 0) {
      // Services on other machines have their own clocks.
      await whileAlone(() => resumeAll({ from: null, to: now }, step));
    }
    lastStepAt = monotonic;
    return true;
  }

  /** Gives heartbeats more time after outages of this machine's network. Returns false while one lasts. */
  async function handleUplink(): Promise<boolean> {
    const now = clock.now();
    if (uplink === undefined || ((await store.heartbeats.nextDue()) ?? now) >= now) return true;
    // The scheduler repeats a step that leaves due work.
    if ((await uplink.findOutage(now)) !== undefined) return false;
    for (const outage of uplink.outagesSince(handledUntil)) {
      await resumeAll(outage, 0);
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

  async function resumeAll(outage: Outage, shiftMs: number): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; )
      after = await resumeBatch(after, outage, shiftMs);
  }

  /** Resumes a batch of waiting heartbeats after this check ID, and returns where the next batch starts. */
  function resumeBatch(after: string, outage: Outage, shiftMs: number): Promise<string | undefined> {
    return store.atomically(async (data) => {
      const waited = await data.heartbeats.withDeadline(after, BATCH_SIZE);
      for (const before of waited) {
        // Convert the stored times to the new clock.
        const shifted = {
          ...before,
          lastPingAt: before.lastPingAt === null ? null : before.lastPingAt + shiftMs,
          dueAt: before.dueAt === null ? null : before.dueAt + shiftMs,
          job: shiftRuns(before.job, shiftMs),
        };
        const times = timesOf(before);
        const job = applyOutageToRuns(shifted.job, times, outage);
        const next = shiftMs < 0 ? shifted : { ...applyOutage(shifted, times, outage), job };
        await data.heartbeats.update(before.checkId, next);
      }
      return waited.length < BATCH_SIZE ? undefined : waited.at(-1)?.checkId;
    });
  }

  return {
    ping,
    changed,
    start(): void {
      clockStep = detectClockSteps(clock);
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
