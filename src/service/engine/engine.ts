/** Creates the engine of the service, which schedules and runs checks. */
import { setMaxListeners } from 'node:events';
import { nextTick } from '../../base/clock.ts';
import { createUuidV7 } from '../../base/random.ts';
import { startScheduler } from '../../base/scheduler.ts';
import { createWakeSignal } from '../../base/wake-signal.ts';
import { startWorker } from '../../worker/worker.ts';
import { type EngineData, engineStore } from '../store/engine/index.ts';
import { connectPeers, type Peers } from '../store/postgres/connect-peers.ts';
import type { EngineOptions } from './engine-options.ts';
import { createHeartbeats } from './heartbeats/heartbeats.ts';
import { pruneLocations } from './retention/prune-locations.ts';
import { startRetention } from './retention/retention.ts';
import { createTickClaimer } from './schedule/claim-ticks.ts';
import { createClockStepHandler } from './schedule/clock-step-handler.ts';
import { createScheduleStep } from './schedule/schedule-step.ts';
import { setFirstRuns, setNextRuns } from './schedule/tick-plan.ts';
import { createCounters, createWatchdog } from './schedule/watchdog.ts';
import { AGENT_PREFIX, createAgentPort } from './sessions/agent-port.ts';
import { createPacer } from './sessions/batcher.ts';
import { NO_LINKS } from './sessions/capability.ts';
import { EXPIRY_BATCH_SIZE } from './sessions/expiry.ts';
import { createLocalPort } from './sessions/local-port.ts';
import { LIMITS, type PlannedSession } from './sessions/plan-session.ts';
import { startQueueSamples } from './sessions/queue-samples.ts';
import { reduceReport } from './sessions/record-reports.ts';
import { createSessionApi } from './sessions/session-api.ts';
import { createSessionCommands, retryStore } from './sessions/session-commands.ts';
import { createSessionReader } from './sessions/session-reader.ts';
import type { DirectLease, PlanContext } from './sessions/start-sessions.ts';
import type { Effects } from './sessions/transitions.ts';
import { createAgentWakeSignals, createEndNotifier } from './sessions/wake-signals.ts';

export type { AgentClaim, AgentLocation } from './sessions/agent-port.ts';
export type * from './sessions/types.ts';
export type { AwaitedSession } from './sessions/wake-signals.ts';

export type Engine = ReturnType<typeof createEngine>;
export type EngineHealth = ReturnType<Engine['health']>;
export type EngineStatus = Awaited<ReturnType<Engine['status']>>;

/** Duration of the built-in worker's claims, in ms. The worker renews a claim after a third of it. */
const LEASE_MS = 30_000;
const BUILT_IN_PREFIX = 'service/';
/** After a restart of the service, agents keep their runs this long to reconnect, in ms. */
const AGENT_RECONNECT_MS = 60_000;
const FIRST_RUNS_BATCH_SIZE = 100;
/** How often waiting agents see work that another service on the same Postgres has planned, in ms. */
const AGENT_POLL_MS = 1000;
/** Longest wait for the queue length, so that /health answers without the database, in ms. */
const COUNT_TIMEOUT_MS = 1000;

/** Creates the engine of the service, which schedules and runs checks. */
export function createEngine(options: EngineOptions) {
  const { clock, random, logger, limits = LIMITS, links = NO_LINKS, locations } = options;
  const [location] = locations;
  const { ticksMs, resultsMs, capacityMs } = options.coalesce ?? { ticksMs: 0, resultsMs: 0, capacityMs: 0 };
  const store = engineStore(options.store);
  const isShared = store.dialect === 'postgres';
  const reader = createSessionReader(store, clock, links);
  const endNotifier = createEndNotifier();
  const workSignal = createWakeSignal();
  const agentSignals = createAgentWakeSignals(clock, isShared ? AGENT_POLL_MS : Number.POSITIVE_INFINITY);
  const counters = createCounters();
  const uuid = () => createUuidV7(random, clock.now());
  const worker = `${BUILT_IN_PREFIX}${random.uuid()}`;
  const onError = (message: string, error: unknown) => logger.error({ err: error }, message);
  const watchdog = createWatchdog(clock);
  let neighbours: Peers | undefined;
  // Only one service can open an SQLite file.
  const whileAlone = async (work: () => Promise<void>): Promise<unknown> =>
    isShared ? neighbours?.runExclusively(work) : work();
  const clockSteps = createClockStepHandler(store, clock, whileAlone);
  /** Aborted at the end of the grace period. The next start recovers results that are not stored by then. */
  let storeAbort = new AbortController();
  let isStarted = false;
  let running: { stop(): Promise<void>; active(): number; dueAt(instant: number): void } | undefined;

  const commands = createSessionCommands({
    store,
    clock,
    random,
    limits,
    coalesceMs: resultsMs,
    onEnded: options.onEnded,
    onChange: publish,
    onStarted: counters.addStarted,
    onCheckDeleted: counters.removeCheck,
    onCancel(runIds) {
      localPort.stopRuns(runIds);
      if (runIds.length > 0) agentSignals.wakeForStops();
    },
  });

  /** Records a report, without its details while the database is full. A result that is reported twice is stored once. */
  const record: typeof commands.report = (reported) => {
    const why = options.whyNoDetails?.();
    const stored = why === undefined ? reported : { ...reported, report: reduceReport(reported.report, why) };
    const { signal } = storeAbort;
    return watchdog.trackStore(() => retryStore(clock, signal, () => commands.report(stored)));
  };

  const localPort = createLocalPort({
    store,
    clock,
    workSignal,
    worker,
    leaseMs: LEASE_MS,
    claimMs: limits.claimMs,
    // On Postgres another service may have capacity for them.
    ahead: isShared ? 0 : options.concurrency,
    coalesce: capacityMs > 0 ? createPacer(clock, capacityMs) : undefined,
    report: async (runId, outcome, isAwaited) => {
      const report = options.artifacts ? await options.artifacts.store(outcome) : outcome;
      await record({ worker, runId, report, isAwaited });
    },
  });

  const { observe } = commands;
  const heartbeats = createHeartbeats({
    store,
    clock,
    location,
    observe,
    whileAlone,
    onError,
    uplink: options.uplink,
  });

  /** Tells the waiters of this process about a committed change. */
  function publish(effects: Effects): void {
    counters.addEffects(effects);
    const ids = effects.ended.map(({ id }) => id);
    for (const { session } of effects.ended) options.tracing?.recordSession(session);
    localPort.stopSessions(ids);
    endNotifier.notifyEnded([...ids, ...effects.testsEnded]);
    if (effects.claimableAt === null) return;
    agentSignals.wakeForWork(effects.pools);
    if (effects.claimableAt <= clock.now()) workSignal.wake();
    else running?.dueAt(effects.claimableAt);
  }

  /** Starts sessions in one transaction, and wakes the workers. */
  async function plan<T extends { readonly planned: readonly PlannedSession[] }>(
    start: (data: EngineData, context: PlanContext) => Promise<T>,
    lease?: DirectLease,
  ): Promise<T> {
    // A clock step moves all open sessions. It must not move a session that starts after the step.
    await clockSteps.handle().catch((error) => onError('cannot adjust to a clock change', error));
    const started = await store.atomically((data) =>
      start(data, { now: clock.now(), publicLocations: locations, limits, uuid, lease }),
    );
    counters.addStarted(started.planned);
    const attempts = started.planned.reduce((sum, { runs }) => sum + runs.length, 0);
    if (attempts > (lease?.assignedCount() ?? 0)) workSignal.wake();
    agentSignals.wakeForWork(new Set(started.planned.flatMap(({ runs }) => runs.map(({ pool }) => pool))));
    return started;
  }

  const claimer = createTickClaimer({
    clock,
    claimAhead: options.claimAhead ?? { minMs: 0, maxMs: 0 },
    reserve: localPort.reserve,
    plan,
    isShared,
  });
  const { step, nextInstant } = createScheduleStep({
    store,
    clock,
    clockSteps,
    claimer,
    workSignal,
    expireOverdue: commands.expireOverdue,
    onClaimed({ missed }) {
      counters.addMissed(missed);
      watchdog.recordClaim();
    },
  });

  /** Called after a lost database connection, when notifications may have been missed. */
  function onReconnect(): void {
    endNotifier.notifyAll();
    if (running === undefined) return;
    running.dueAt(clock.now());
    workSignal.wake();
  }

  /** Returns the number of waiting attempts, or null if the database does not answer in time. */
  async function countWaiting(): Promise<number | null> {
    let cancelTimer = () => {};
    const timeout = new Promise<null>((resolve) => {
      cancelTimer = clock.timer(COUNT_TIMEOUT_MS, () => resolve(null));
    });
    return Promise.race([store.runs.countWaiting().catch(() => null), timeout]).finally(cancelTimer);
  }

  async function recover(): Promise<void> {
    // An SQLite file has no other built-in worker. On Postgres another worker may be alive, so its lease must expire.
    if (isShared) await store.checks.backfillLists();
    else await store.runs.endLeases(BUILT_IN_PREFIX, clock.now());
    await clockSteps.recover();
    // Agents could neither renew nor report while no service was running.
    await whileAlone(() => store.runs.extendLeases(AGENT_PREFIX, clock.now() + AGENT_RECONNECT_MS));
    while ((await commands.expireOverdue()) >= EXPIRY_BATCH_SIZE);
    while ((await setFirstRuns(store, clock, FIRST_RUNS_BATCH_SIZE)) >= FIRST_RUNS_BATCH_SIZE)
      await nextTick();
  }

  return {
    /** Recovers the work of a killed process, then schedules and runs checks. */
    async start(): Promise<void> {
      isStarted = true;
      storeAbort = new AbortController();
      // Each result that waits for the database adds a listener.
      setMaxListeners(0, storeAbort.signal);
      const { concurrency, evaluate, runners, resolvers, denyAddress, capture, uplink, graceMs } = options;
      if (options.databaseUrl !== undefined) {
        const onEnded = (ids: string) => endNotifier.notifyEnded(ids.split(' '));
        const handlers = { onEnded, onReconnect, onError };
        neighbours = await connectPeers(options.databaseUrl, clock, handlers, options.store.poolControl);
      }
      try {
        await recover();
      } catch (error) {
        neighbours?.close();
        throw error;
      }
      const scheduler = startScheduler({
        clock,
        coalesce: ticksMs > 0 ? createPacer(clock, ticksMs) : undefined,
        nextInstant,
        onError,
        step: () => watchdog.trackStep(step),
      });
      const builtInWorker = startWorker({
        port: localPort,
        clock,
        evaluate,
        runners,
        resolvers,
        concurrency,
        onError,
        renewMs: LEASE_MS / 3,
        places: options.artifacts?.places,
        denyAddress,
        allowsOpenNetwork: options.allowsOpenNetwork,
        capture,
        uplink,
        onAttempt: options.tracing?.recordAttempt,
      });
      const retention = startRetention(store, options, onError);
      const queueSamples = startQueueSamples(store, clock, onError);
      heartbeats.start();
      running = {
        active: builtInWorker.active,
        dueAt: scheduler.dueAt,
        async stop() {
          const until = clock.monotonic() + graceMs;
          const cancelTimer = clock.timer(graceMs, () => storeAbort.abort('the grace period is over'));
          await Promise.all([scheduler, retention, queueSamples, heartbeats].map((part) => part.stop()));
          await builtInWorker.stop(Math.max(0, until - clock.monotonic()));
          await localPort
            .releaseNext()
            .catch((error: unknown) => onError('cannot release runs that did not start', error));
          uplink?.stop();
          cancelTimer();
          neighbours?.close();
        },
      };
    },
    /** Stops claiming, lets running checks finish within the grace period, and stores results. Other runs stay claimable. */
    async stop(): Promise<void> {
      isStarted = false;
      const stopped = running;
      running = undefined;
      await stopped?.stop();
    },
    ...createSessionApi({ store, clock, links, reader, endNotifier, commands, plan }),
    listSessions: reader.listSessions,
    /** The queue for agents of private locations. */
    agents: createAgentPort({
      store,
      clock,
      wakeSignals: agentSignals,
      claimMs: limits.claimMs,
      artifacts: options.artifacts,
      report: record,
    }),
    results: reader.results,
    errorGroups: reader.errorGroups,
    ping: heartbeats.ping,
    /** Sets the schedules of checks after they or their groups were created, changed or deleted. */
    async rescheduleChecks(checkIds: readonly string[]): Promise<void> {
      await pruneLocations(store, checkIds, location);
      for (const { checkId, isPinged, next } of await setNextRuns(store, clock, checkIds)) {
        if (isPinged) await heartbeats.changed(checkId);
        if (next !== null) running?.dueAt(claimer.claimTime(next));
      }
    },
    deleteCheck: commands.deleteCheck,
    deleteCheckWithin: commands.deleteCheckWithin,
    sessionsOf: counters.sessionsOf,
    isRunning: () => isStarted,
    /** Returns the state of the engine, for /health and /metrics. */
    async status() {
      return {
        running: isStarted,
        active: running?.active() ?? 0,
        queued: await countWaiting(),
        ...counters.read(),
      };
    },
    /** Returns whether the engine makes progress, for /ready and /health. Never waits. */
    health() {
      const { problem, ...progress } = watchdog.progress();
      const { problem: databaseProblem, clockOffsetMs } = neighbours?.state() ?? {};
      return { ...progress, problem: databaseProblem ?? problem, clockOffsetMs };
    },
  };
}
