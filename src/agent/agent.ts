/** A private location's agent: it pulls runs from the service, makes them, hands in what they found, and ends in order. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { announceAgent, ResponseOf } from '../contract/index.ts';
import { createRunFileStore } from '../runners/files/run-file-store.ts';
import type { Judge, RunContext } from '../runners/types.ts';
import { type Runners, type Surroundings, startWorker, type Worker } from '../worker/worker.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { type Health, serveHealth } from './health.ts';
import { backOff, isFinal, isRefusedKey, type Link } from './link.ts';
import { createPulse } from './liveness.ts';
import { type AgentPort, agentPort } from './port.ts';
import { openSpool, type Spool } from './spool.ts';

/** What runs checks here. */
export interface Abilities {
  readonly runners: Runners;
  readonly checkTypes: readonly string[];
  readonly runtimes: readonly string[];
  close(): Promise<void>;
}

export interface AgentOptions extends Abilities {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly spoolFolder: string;
  readonly healthPort: number;
  readonly concurrency: number;
  readonly graceMs: number | undefined;
  readonly judge: Judge;
  readonly resolvers: RunContext['resolvers'];
  /** What runs find around them at the location, whose proxy is asked for at each use. */
  readonly surroundings: (proxyUrl: () => Location['proxyUrl']) => Surroundings;
}

export type Location = ResponseOf<typeof announceAgent>['location'];

export interface Agent {
  /** Answers health probes from now on; gives the port. Throws UsageError where it cannot be had. */
  listen(): Promise<number>;
  /**
   * Finds the service, hands in what is left of before, and begins to claim; waits as long as the service cannot be reached.
   * Rejects with the service's refusal of the key or of the agent, and with the signal's reason.
   */
  start(signal: AbortSignal): Promise<Location>;
  /** Ends in order; answers how many results could not be handed in: they stay in the spool. */
  stop(): Promise<number>;
  /** Ends at once: gives back what it holds. */
  hurry(): Promise<void>;
}

/** Claims are looked at so often where none is waited for, in ms: the renewal itself waits for news. */
const RENEW_EVERY_MS = 500;
/** Results that were left before go first, as long as the service takes them, in ms. */
const LEFT_BEFORE_MS = 10_000;
/** What the longest run is given beyond its time, to be handed in, in ms. */
const BEYOND_LONGEST_MS = 15_000;
/** The folder of a spool that files of runs lie in until their results are there. */
const RUNS = 'runs';
/** A question at the start may take so long, in ms. */
const ASKING_MS = 30_000;

export function createAgent(options: AgentOptions): Agent {
  const { link, clock, random, log, concurrency } = options;
  const pulse = createPulse(clock);
  let isReady = true;
  let health: Health | undefined;
  /** Since it has found the service. */
  let handing: { readonly delivery: Delivery; readonly spool: Spool } | undefined;
  let working: { readonly worker: Worker; readonly port: AgentPort } | undefined;
  const onError = (message: string, error: unknown) => {
    // What keeps trying says so itself.
    if (!isRefusedKey(error)) log.warn({ err: error }, message);
  };

  async function announced(signal: AbortSignal) {
    const waits = backOff(clock, random);
    for (let told = false; ; told = true) {
      pulse.beat(ASKING_MS);
      try {
        return await link.announce(signal);
      } catch (error) {
        if (signal.aborted || isRefusedKey(error) || isFinal(error)) throw error;
        if (!told) log.warn({ err: error }, 'service unreachable; retrying');
        await waits.rest(signal);
      }
    }
  }

  /** What was left before, by this agent or another of the location. Rejects with the signal's reason. */
  async function handIn(spool: Spool, delivery: Delivery, signal: AbortSignal): Promise<void> {
    const left = await spool.found();
    if (left.length === 0) return;
    log.info({ results: left.length }, 'sending results of an earlier run');
    for (const one of left) void delivery.deliver(one).catch(() => {});
    const tried = new AbortController();
    const enough = AbortSignal.any([signal, tried.signal]);
    await Promise.race([delivery.triedAll(), clock.sleep(LEFT_BEFORE_MS, enough).catch(() => {})]);
    tried.abort();
    signal.throwIfAborted();
  }

  /** What waits in the spool; nothing where that cannot be read. */
  async function undelivered(spool: Spool) {
    return spool.found().catch((error: unknown) => {
      log.error({ err: error }, 'cannot read the spool');
      return [];
    });
  }

  return {
    async listen() {
      pulse.beat(ASKING_MS);
      health = await serveHealth({
        port: options.healthPort,
        isReady: () => isReady,
        isAlive: pulse.isAlive,
      });
      return health.port;
    },

    async start(signal) {
      const notReady = () => {
        isReady = false;
      };
      if (signal.aborted) notReady();
      signal.addEventListener('abort', notReady, { once: true });
      const { location, artifactBytes } = await announced(signal);
      pulse.beat(LEFT_BEFORE_MS);
      const spool = openSpool(options.spoolFolder, location.id, (file, error) =>
        log.error({ file, err: error }, 'moved an invalid file out of the spool'),
      );
      // On the file system of the spool: it takes files by their names.
      const places = createRunFileStore({ folder: join(options.spoolFolder, location.id, RUNS), onError });
      await places.sweep();
      const delivery = createDelivery({ link, clock, random, log });
      handing = { delivery, spool };
      await handIn(spool, delivery, signal);
      const { checkTypes, runtimes, runners, judge, resolvers, surroundings } = options;
      let { proxyUrl } = location;
      const port = agentPort({
        ...{ link, spool, delivery, clock, random, log, pulse, concurrency },
        ...{ checkTypes, runtimes, artifactBytes },
        onLocation(now) {
          proxyUrl = now.proxyUrl;
        },
      });
      const worker = startWorker({
        ...{ port, clock, judge, runners, resolvers, concurrency, places, onError, renewMs: RENEW_EVERY_MS },
        ...surroundings(() => proxyUrl),
      });
      working = { worker, port };
      return location;
    },

    async stop() {
      isReady = false;
      const deadline = working?.port.lastDeadline() ?? 0;
      const longest = Math.max(0, deadline - clock.monotonic()) + BEYOND_LONGEST_MS;
      const graceMs = options.graceMs ?? longest;
      pulse.beat(graceMs + ASKING_MS);
      if (working) {
        const { worker, port } = working;
        log.info({ runs: port.held().length, graceMs }, 'shutting down; waiting for running checks');
        const callOff = clock.timer(graceMs, () => handing?.delivery.stop());
        await worker.stop(graceMs);
        callOff();
      }
      handing?.delivery.stop();
      const left = handing ? await undelivered(handing.spool) : [];
      if (working) {
        // What is in the spool stays claimed: who starts here next hands it in.
        const keep = left.map(({ result }) => result.runId);
        await link.release({ keep, isLeaving: true }).catch((error) => {
          log.warn({ err: error }, 'could not report the shutdown to the service');
        });
      }
      await options.close();
      await health?.close();
      return left.length;
    },

    async hurry() {
      isReady = false;
      const left = handing ? await undelivered(handing.spool) : [];
      await link.release({ keep: left.map(({ result }) => result.runId), isLeaving: true });
    },
  };
}
