/** Creates the agent of a private location: it claims runs, executes them, delivers results and shuts down cleanly. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { onAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { announceAgent, ResponseOf } from '../contract/index.ts';
import type { Evaluate, RunContext } from '../runners/core/runner.ts';
import { createRunFileStore } from '../runners/files/run-file-store.ts';
import {
  type RunEnvironment,
  type Runners,
  startWorker,
  type Worker,
  type WorkerOptions,
} from '../worker/worker.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { createLiveness, type HealthServer, serveHealth } from './health.ts';
import { createBackoff, isFinal, isRefusedKey, type Link } from './link.ts';
import { type AgentPort, createAgentPort } from './port.ts';
import { openSpool, type Spool, spoolFolderOf } from './spool.ts';

/** The runners of the agent. */
export interface Capabilities {
  readonly runners: Runners;
  readonly checkTypes: readonly string[];
  /** Returns the IDs of the runtimes that are installed now. */
  readonly runtimes: () => Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface AgentOptions extends Capabilities {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly spoolFolder: string;
  readonly healthPort: number;
  readonly concurrency: number;
  readonly graceMs: number | undefined;
  readonly evaluate: Evaluate;
  readonly resolvers: RunContext['resolvers'];
  readonly onAttempt?: WorkerOptions['onAttempt'];
  /** Creates the environment of runs. `proxyUrl` returns the current proxy of the location. */
  readonly createEnvironment: (proxyUrl: () => Location['proxyUrl']) => RunEnvironment;
}

export type Location = ResponseOf<typeof announceAgent>['location'];

export interface Agent {
  /** Starts answering health probes and resolves to the port. Throws UsageError if it is unavailable. */
  listen(): Promise<number>;
  /**
   * Connects to the service, delivers results of earlier agents and starts to claim. Waits while the service is
   * unreachable. Rejects if the service rejects the key or the agent, and with the signal's reason.
   */
  start(signal: AbortSignal): Promise<Location>;
  /** Shuts down cleanly. Resolves to the number of undelivered results, which stay in the spool. */
  stop(): Promise<number>;
  /** Releases all held runs without waiting for them. */
  stopNow(): Promise<void>;
}

/** Pause between renewals, in ms. Each renewal is itself a long poll. */
const RENEW_EVERY_MS = 500;
/** Time that results of earlier agents have before the first claim, in ms. */
const BACKLOG_MS = 10_000;
/** Time to deliver the last result after its run's deadline, in ms. */
const DELIVERY_MS = 15_000;
/** Folder within a spool for the files of runs in progress. */
const RUNS_FOLDER = 'runs';
/** Time limit of a request during the start, in ms. */
const START_REQUEST_MS = 30_000;

export function createAgent(options: AgentOptions): Agent {
  const { link, clock, random, log, concurrency } = options;
  const liveness = createLiveness(clock);
  let isReady = true;
  let health: HealthServer | undefined;
  /** Set once the service was reached. */
  let outbound: { readonly delivery: Delivery; readonly spool: Spool } | undefined;
  let active: { readonly worker: Worker; readonly port: AgentPort } | undefined;
  const onError = (message: string, error: unknown) => {
    // The code that retries logs a rejected key itself.
    if (!isRefusedKey(error)) log.warn({ err: error }, message);
  };

  async function announce(signal: AbortSignal) {
    const backoff = createBackoff(clock, random);
    for (let hasWarned = false; ; hasWarned = true) {
      liveness.beat(START_REQUEST_MS);
      try {
        return await link.announce(signal);
      } catch (error) {
        if (signal.aborted || isRefusedKey(error) || isFinal(error)) throw error;
        if (!hasWarned) log.warn({ err: error }, 'service unreachable; retrying');
        await backoff.wait(signal);
      }
    }
  }

  /** Delivers results of earlier agents of the location. Rejects with the signal's reason. */
  async function sendBacklog(spool: Spool, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const backlog = await spool.list();
    if (backlog.length === 0) return;
    log.info({ results: backlog.length }, 'sending results of an earlier run');
    for (const one of backlog) void delivery.deliver(one).catch(() => {});
    const attempted = new AbortController();
    const waitSignal = AbortSignal.any([signal, attempted.signal]);
    await Promise.race([delivery.firstAttempts(), clock.sleep(BACKLOG_MS, waitSignal).catch(() => {})]);
    attempted.abort();
    signal.throwIfAborted();
  }

  /** Lists the results in the spool; none if it cannot be read. */
  async function listUndelivered(spool: Spool) {
    return spool.list().catch((error: unknown) => {
      log.error({ err: error }, 'cannot read the spool');
      return [];
    });
  }

  return {
    async listen() {
      liveness.beat(START_REQUEST_MS);
      health = await serveHealth({
        port: options.healthPort,
        isReady: () => isReady,
        isAlive: liveness.isAlive,
      });
      return health.port;
    },

    async start(signal) {
      onAbort(signal, () => {
        isReady = false;
      });
      const { location, artifactBytes } = await announce(signal);
      liveness.beat(BACKLOG_MS);
      const spool = openSpool(options.spoolFolder, location.id, (file, error) =>
        log.error({ file, err: error }, 'moved an invalid file out of the spool'),
      );
      // On the file system of the spool, which takes files by renaming them.
      const places = createRunFileStore({
        folder: join(spoolFolderOf(options.spoolFolder, location.id), RUNS_FOLDER),
        onError,
      });
      await places.sweep();
      const delivery = createDelivery({ link, clock, random, log });
      outbound = { delivery, spool };
      await sendBacklog(spool, delivery, signal);
      const { checkTypes, runtimes, runners, evaluate, resolvers, createEnvironment } = options;
      let { proxyUrl } = location;
      const port = createAgentPort({
        link,
        spool,
        delivery,
        clock,
        random,
        log,
        liveness,
        concurrency,
        checkTypes,
        runtimes,
        artifactBytes,
        onLocation(now) {
          proxyUrl = now.proxyUrl;
        },
      });
      const worker = startWorker({
        port,
        clock,
        evaluate,
        runners,
        resolvers,
        concurrency,
        places,
        onError,
        onAttempt: options.onAttempt,
        renewMs: RENEW_EVERY_MS,
        ...createEnvironment(() => proxyUrl),
      });
      active = { worker, port };
      return location;
    },

    async stop() {
      isReady = false;
      const deadline = active?.port.lastDeadline() ?? 0;
      const longest = Math.max(0, deadline - clock.monotonic()) + DELIVERY_MS;
      const graceMs = options.graceMs ?? longest;
      liveness.beat(graceMs + START_REQUEST_MS);
      if (active) {
        const { worker, port } = active;
        log.info({ runs: port.held().length, graceMs }, 'shutting down; waiting for running checks');
        const callOff = clock.timer(graceMs, () => outbound?.delivery.stop());
        await worker.stop(graceMs);
        callOff();
      }
      outbound?.delivery.stop();
      const undelivered = outbound ? await listUndelivered(outbound.spool) : [];
      if (active) {
        // Runs with a result in the spool stay claimed: the next agent here delivers them.
        const keep = undelivered.map(({ result }) => result.runId);
        await link.release({ keep, isLeaving: true }).catch((error) => {
          log.warn({ err: error }, 'could not report the shutdown to the service');
        });
      }
      await options.close();
      await health?.close();
      return undelivered.length;
    },

    async stopNow() {
      isReady = false;
      const undelivered = outbound ? await listUndelivered(outbound.spool) : [];
      await link.release({ keep: undelivered.map(({ result }) => result.runId), isLeaving: true });
    },
  };
}
