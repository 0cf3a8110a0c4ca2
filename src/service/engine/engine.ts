/** The engine of the service: what schedules and runs checks. Its parts are in sessions, schedule, error-groups and the worker. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { turn } from '../../base/next-tick.ts';
import { type Random, timedUuid } from '../../base/random.ts';
import { startTimekeeper } from '../../base/scheduler.ts';
import { bell } from '../../base/wake-signal.ts';
import type { Judge, RunContext } from '../../runners/types.ts';
import { type Runners, startWorker } from '../../worker/worker.ts';
import { connectPeers, type Peers } from '../store/engine/connect-peers.ts';
import { type EngineData, engineStore } from '../store/engine/index.ts';
import { earliest } from '../store/engine/runs.ts';
import type { Upcoming } from '../store/engine/schedule.ts';
import { DatabaseFault } from '../store/faults.ts';
import type { Store, StoreTransaction } from '../store/index.ts';
import type { ArtifactFiles } from './artifacts/files.ts';
import { heartbeats } from './heartbeats/index.ts';
import { type Links, NO_LINKS } from './links.ts';
import { KEEP_MS, startKeeper } from './results/retention.ts';
import { type Ahead, AT_THEIR_INSTANT, tickClaims } from './schedule/claim-ahead.ts';
import { clockFollower } from './schedule/clock-steps.ts';
import { arming } from './schedule/next-run.ts';
import { watchdog } from './schedule/watchdog.ts';
import { agentBells } from './sessions/agent-wake-signals.ts';
import { AGENTS, agentDoor } from './sessions/agents.ts';
import { paced } from './sessions/batcher.ts';
import { changing } from './sessions/commands.ts';
import { counters } from './sessions/counters.ts';
import type { Engine, StartedCheckSession } from './sessions/interface.ts';
import { localPort } from './sessions/local-port.ts';
import { LIMITS, type Limits, type PlannedSession } from './sessions/plan.ts';
import { reading } from './sessions/read.ts';
import type { Effects, EndedSession } from './sessions/recorder.ts';
import { reduced } from './sessions/reduced.ts';
import { PUBLIC_POOL } from './sessions/settings.ts';
import { startedSession } from './sessions/shapes.ts';
import { type Handing, type Surroundings, startGroup, startTargeted } from './sessions/start.ts';
import { isTerminal, type SessionStatus } from './sessions/states.ts';
import { testing } from './sessions/test-sessions.ts';
import { awaitEnd, transitions } from './sessions/waiters.ts';

export type * from './sessions/interface.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: { error(fields: object, message: string): void };
  /** The public locations that are offered, at least one: checks that name none run in the first. */
  readonly locations: readonly [string, ...string[]];
  /** The resolvers that checks without a name server ask, `host` or `host:port`; looked up by each run that asks them. */
  readonly resolvers: RunContext['resolvers'];
  readonly denyAddress?: RunContext['denyAddress'];
  readonly capture?: RunContext['capture'];
  /** Judges what targets answer. */
  readonly judge: Judge;
  /** Keyed by check type. A type without one is recorded as an error of the monitor. */
  readonly runners: Runners;
  /** Where pictures and traces of runs are kept; left out: nowhere. */
  readonly artifacts?: Pick<ArtifactFiles, 'keep' | 'uploads' | 'adopt' | 'places'>;
  /** Why results are stored without their details now, as a sentence; undefined where they have them. Left out: they always have. */
  readonly whyNoDetails?: () => string | undefined;
  /** How many attempts the built-in worker makes at once. */
  readonly concurrency: number;
  /** How long running checks may take to finish when the engine is stopped, in ms. */
  readonly graceMs: number;
  /** Where people read sessions and results; left out: no links in answers. */
  readonly links?: Links;
  /** What follows from the end of a session that is no test, in the same transaction: alerts. */
  readonly onEnded?: (tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>;
  /**
   * Under load, what is due and what was found is gathered so long before it is written, and free places before the queue is
   * asked for work, in ms; left out: not at all.
   */
  readonly gather?: { readonly dueMs: number; readonly foundMs: number; readonly freeMs: number };
  /** How long before their instant ticks are claimed; left out: at their instant. */
  readonly ahead?: Ahead;
  /** Left out: as docs/gaps.md has them. */
  readonly limits?: Limits;
  /** How long raw results are kept, in ms; left out: 30 days (specification, Limits). */
  readonly keepResultsMs?: number;
  /** The Postgres database of the store, where other processes use it too: their ends wake those who wait here. */
  readonly databaseUrl?: string;
}

/** The built-in worker's claims last so long and are renewed three times meanwhile, in ms. */
const LEASE_MS = 30_000;
/** Names of built-in workers begin so. */
const BUILT_IN = 'service/';
/** Agents that found no service ask again within so long, in ms: what they hold is theirs until then. */
const AGENTS_RETURN_MS = 60_000;
const AT_ONCE = 100;
/** Where several services share a Postgres, agents that wait at one see so often what others have planned, in ms. */
const LOOK_AGAIN_MS = 1000;
/** Rests between tries to store a result while the database fails, in ms: doubled from the first to the last. */
const FIRST_REST_MS = 125;
const LAST_REST_MS = 1000;
/** /health answers although the database does not, in ms. */
const COUNT_MS = 1000;

/** What comes next, of an earlier look, as far as only time has passed. */
const asOf = (left: Upcoming, now: number): Upcoming =>
  left.due === null && left.later !== null && left.later <= now ? { ...left, due: left.later } : left;

export function createEngine(options: EngineOptions): Engine {
  const { clock, random, logger, limits = LIMITS, ahead = AT_THEIR_INSTANT } = options;
  const { dueMs, foundMs, freeMs } = options.gather ?? { dueMs: 0, foundMs: 0, freeMs: 0 };
  const store = engineStore(options.store);
  const { links = NO_LINKS } = options;
  const read = reading(store, clock, links);
  const ends = transitions();
  const gather = dueMs > 0 ? paced(clock, dueMs) : async () => {};
  const work = bell();
  const counted = counters();
  const uuid = () => timedUuid(random, clock.now());
  const worker = `${BUILT_IN}${random.uuid()}`;
  const onError = (message: string, error: unknown) => logger.error({ err: error }, message);
  const dog = watchdog(clock);
  /** Aborted at the end of the grace: what cannot be stored by then is left to the next start. */
  let givingUp = new AbortController();
  let isStarted = false;
  let running:
    | { stop(): Promise<void>; active(): number; dueAt(instant: number): void; wake(): void }
    | undefined;

  const changes = changing({
    ...{ store, clock, random, limits, gatherMs: foundMs, onEnded: options.onEnded, onChange: tell },
    onStarted: counted.started,
    onCancel(runIds) {
      port.stopRuns(runIds);
      if (runIds.length > 0) bells.ringStops();
    },
  });
  /** Records a report; while the database is full without its details, which take the most room. */
  const record: typeof changes.report = (reported) => {
    const why = options.whyNoDetails?.();
    const reduction = why === undefined ? reported : { ...reported, report: reduced(reported.report, why) };
    return dog.store(() => untilStored(() => changes.report(reduction)));
  };

  /** Tries again while the database fails. A result is stored once, however often it is reported. */
  async function untilStored<T>(store: () => Promise<T>): Promise<T> {
    const { signal } = givingUp;
    for (let rest = FIRST_REST_MS; ; rest = Math.min(LAST_REST_MS, rest * 2)) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof DatabaseFault) || signal.aborted) throw error;
        await clock.sleep(rest, signal).catch(() => {});
      }
    }
  }
  const bells = agentBells({ clock, lookAgainMs: store.dialect === 'postgres' ? LOOK_AGAIN_MS : undefined });
  const port = localPort({
    ...{ store, clock, work, worker, leaseMs: LEASE_MS, claimMs: limits.claimMs },
    gather: freeMs > 0 ? paced(clock, freeMs) : undefined,
    report: async (runId, found, isAwaited) => {
      const report = options.artifacts ? await options.artifacts.keep(found) : found;
      await record({ worker, runId, report, isAwaited });
    },
  });

  const beats = heartbeats({
    ...{ store, clock, location: options.locations[0], observe: changes.observe, onError },
    whileAlone: (work) => whileAlone(work),
  });

  /** Tells those who wait in this process what a committed change means to them. */
  function tell(effects: Effects): void {
    counted.recorded(effects);
    const ids = effects.ended.map(({ id }) => id);
    port.stopSessions(ids);
    ends.ended([...ids, ...effects.testsEnded]);
    if (effects.claimableAt === null) return;
    bells.ringWork(effects.pools);
    if (effects.claimableAt <= clock.now()) work.ring();
    else running?.dueAt(effects.claimableAt);
  }

  /** Starts sessions in one transaction, and lets the worker know. */
  async function plan<T extends { readonly planned: readonly PlannedSession[] }>(
    start: (data: EngineData, surroundings: Surroundings) => Promise<T>,
    handing?: Handing,
  ): Promise<T> {
    // What starts by the clock as it is now must not be moved with what started before it was set.
    await clockSteps.follow().catch((error) => onError('cannot adjust to a clock change', error));
    const started = await store.atomically((data) =>
      start(data, {
        ...{ now: clock.now(), offered: options.locations, limits, uuid, handing },
      }),
    );
    counted.started(started.planned);
    const attempts = started.planned.reduce((sum, { runs }) => sum + runs.length, 0);
    if (attempts > (handing?.holding() ?? 0)) work.ring();
    bells.ringWork(new Set(started.planned.flatMap(({ runs }) => runs.map(({ pool }) => pool))));
    return started;
  }

  const arm = arming(store, clock);
  const claims = tickClaims({
    ...{ clock, ahead, reserve: port.reserve, plan, isShared: store.dialect === 'postgres' },
  });

  const told = ({
    planned,
  }: {
    readonly planned: readonly PlannedSession<string>[];
  }): StartedCheckSession[] => planned.map(({ session }) => startedSession(session, clock.now(), links));

  const upcoming = () => store.schedule.upcoming(PUBLIC_POOL, clock.now());
  let neighbours: Peers | undefined;
  /** A file has one service. */
  const whileAlone = async (work: () => Promise<void>): Promise<unknown> =>
    store.dialect === 'sqlite' ? work() : neighbours?.runExclusively(work);
  let left: Upcoming | undefined;
  const clockSteps = clockFollower(store, clock, whileAlone);

  async function step(): Promise<boolean> {
    await clockSteps.follow();
    const now = clock.now();
    const isDue = (instant: number | null) => instant !== null && instant <= now;
    // What was read before the sleep says which tick ends it. An attempt that waited then may be claimed by now.
    const tick = left?.due === null ? left.tick : null;
    const isKnown = tick !== null && isDue(claims.instantOf(tick)) && !claims.isOvertaken();
    left = isKnown && left !== undefined ? asOf(left, now) : await upcoming();
    const { due, dropped, lapsed, deadline } = left;
    // What backed off may be due by now.
    if (due !== null) work.ring();
    const isOverdue = isDue(earliest(dropped, lapsed, deadline));
    const concluded = isOverdue ? await changes.concludeOverdue() : 0;
    const ticks = await claims.claim(left);
    counted.missed(ticks?.missed ?? 0);
    if (ticks !== undefined) dog.claimed();
    if (isOverdue || ticks) left = undefined;
    return ticks?.isFull === true || concluded >= AT_ONCE;
  }

  async function nextInstant(): Promise<number | null> {
    left ??= await upcoming();
    const { tick, later, dropped, lapsed, deadline } = left;
    return earliest(tick === null ? null : claims.instantOf(tick), later, dropped, lapsed, deadline);
  }

  /** Follows a change of a check. */
  async function checkChanged(checkId: string): Promise<void> {
    const { isPinged, next } = await arm.changed(checkId);
    if (isPinged) await beats.changed(checkId);
    if (next !== null) running?.dueAt(claims.instantOf(next));
  }

  /** The database is there again: ends may have been missed, and nothing was claimed. */
  function onReconnect(): void {
    ends.wakeAll();
    running?.wake();
  }

  /** How many attempts wait; null where the database does not say so soon. */
  async function countWaiting(): Promise<number | null> {
    let callOff = () => {};
    const late = new Promise<null>((resolve) => {
      callOff = clock.timer(COUNT_MS, () => resolve(null));
    });
    return Promise.race([store.runs.countWaiting().catch(() => null), late]).finally(callOff);
  }

  /** Takes up what a process that was killed left behind. */
  async function recover(): Promise<void> {
    // On SQLite the file is ours alone: no other built-in worker lives. On Postgres its lease says so, 30 s later.
    if (store.dialect === 'sqlite') await store.runs.endLeases(BUILT_IN, clock.now());
    else await store.checks.backfillLists();
    await clockSteps.takeUp();
    // No agent could renew or hand in while no service was there.
    await whileAlone(() => store.runs.extendLeases(AGENTS, clock.now() + AGENTS_RETURN_MS));
    while ((await changes.concludeOverdue()) >= AT_ONCE);
    while ((await arm.unscheduled(AT_ONCE)) >= AT_ONCE) await turn();
  }

  return {
    async start() {
      isStarted = true;
      givingUp = new AbortController();
      // Every result that waits listens to it.
      setMaxListeners(0, givingUp.signal);
      const { concurrency, judge, runners, resolvers, denyAddress, capture, graceMs } = options;
      if (options.databaseUrl !== undefined) {
        neighbours = await connectPeers(
          options.databaseUrl,
          clock,
          {
            ...{ onEnded: (ids) => ends.ended(ids.split(' ')), onReconnect, onError },
          },
          options.store.poolControl,
        );
      }
      try {
        await recover();
      } catch (error) {
        neighbours?.close();
        throw error;
      }
      const timekeeper = startTimekeeper({
        ...{ clock, gather, nextInstant, onError },
        step: () => dog.step(step),
      });
      const built = startWorker({
        ...{ port, clock, judge, runners, resolvers, concurrency, onError, renewMs: LEASE_MS / 3 },
        places: options.artifacts?.places,
        ...(denyAddress === undefined ? {} : { denyAddress }),
        ...(capture === undefined ? {} : { capture }),
      });
      const keeper = startKeeper({
        ...{ store, clock, onError, keepMs: options.keepResultsMs ?? KEEP_MS },
      });
      beats.start();
      running = {
        active: built.active,
        dueAt: timekeeper.dueAt,
        wake: () => {
          timekeeper.dueAt(clock.now());
          work.ring();
        },
        async stop() {
          const until = clock.monotonic() + graceMs;
          const callOff = clock.timer(graceMs, () => givingUp.abort('the grace period is over'));
          await Promise.all([timekeeper.stop(), keeper.stop(), beats.stop()]);
          await built.stop(Math.max(0, until - clock.monotonic()));
          callOff();
          neighbours?.close();
        },
      };
    },
    async stop() {
      isStarted = false;
      const stopped = running;
      running = undefined;
      await stopped?.stop();
    },
    startSessions: async (request) =>
      told(await plan(async (data, around) => ({ planned: await startTargeted(data, around, request) }))),
    startGroup: async (request) =>
      told(await plan(async (data, around) => ({ planned: await startGroup(data, around, request) }))),
    getSession: read.session,
    awaitSession: (accountId, id, maxWaitMs, signal) =>
      awaitEnd({
        ...{ id, transitions: ends, clock, maxWaitMs, signal, read: () => read.session(accountId, id) },
        hasEnded: ({ status }) => isTerminal(status as SessionStatus),
      }),
    listSessions: read.listSessions,
    async cancelSession(accountId, id) {
      if ((await store.sessions.get(accountId, id)) === undefined) return false;
      await changes.cancel([id]);
      return true;
    },
    testSessions: testing({ store, clock, links, read, ends, changes, plan }),
    agents: agentDoor({
      ...{ store, clock, bells, claimMs: limits.claimMs },
      ...{ artifacts: options.artifacts, report: record },
    }),
    results: read.results,
    errorGroups: read.errorGroups,
    ping: beats.ping,
    checkChanged,
    forgetCheck: changes.forget,
    async status() {
      return {
        running: isStarted,
        active: running?.active() ?? 0,
        queued: await countWaiting(),
        ...counted.read(),
      };
    },
    health() {
      const { problem, ...last } = dog.progress();
      const { problem: fault, clockOffsetMs } = neighbours?.state() ?? {};
      return { ...last, problem: fault ?? problem, clockOffsetMs };
    },
  };
}
