/** An engine over a real store in a temporary file, under a clock that the test moves, with a target that it scripts. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemRandom } from '../../../src/base/random.ts';
import type { RunContext, Runner, RunOutcome } from '../../../src/runners/core/runner.ts';
import { createEngine, type Engine } from '../../../src/service/engine/engine.ts';
import type { EngineOptions } from '../../../src/service/engine/engine-options.ts';
import {
  openStore,
  type Store,
  type StoreLocation,
  type TypedCheckBody,
} from '../../../src/service/store/index.ts';
import { byHand } from '../../support/by-hand.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';
import { evaluateInProcess } from '../../support/runners.ts';

/** What one attempt finds; left out: a good answer. */
export type Finding = Partial<RunOutcome>;
const GOOD: Finding = {};
export const BAD: Finding = { hasFailures: true, errors: ['example.org A: answered NXDOMAIN'] };
export const SLOW: Finding = { isDegraded: true };

const OUTCOME: RunOutcome = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: 12.345,
  errors: [],
  details: { dns: { resolver: '127.0.0.1:53' } },
};

/** A target whose answers are given beforehand; once they are used up it answers well. */
export interface Target {
  readonly runner: Runner<{ readonly name: string }>;
  /** What the next attempts find, in their order. */
  finds(...findings: Finding[]): void;
  /** Forgets the findings that are left. */
  clear(): void;
  /** From now on attempts hang until they are let go or aborted. */
  hang(): void;
  letGo(finding?: Finding): void;
  /** Every attempt: which check, where. */
  readonly attempts: { readonly name: string; readonly location: string; readonly at: number }[];
  readonly hanging: () => number;
}

export function createTarget(): Target {
  const findings: Finding[] = [];
  const attempts: Target['attempts'] = [];
  const waiting = new Set<(finding: Finding) => void>();
  let hangs = false;
  return {
    attempts,
    finds: (...more) => void findings.push(...more),
    clear() {
      findings.length = 0;
    },
    hang() {
      hangs = true;
    },
    letGo(finding = GOOD) {
      hangs = false;
      for (const go of waiting) go(finding);
      waiting.clear();
    },
    hanging: () => waiting.size,
    async runner(check, context: RunContext, signal) {
      attempts.push({ name: check.name, location: context.location, at: context.clock.now() });
      if (!hangs) return { ...OUTCOME, ...findings.shift() };
      return new Promise<RunOutcome>((resolve, reject) => {
        const go = (finding: Finding) => resolve({ ...OUTCOME, ...finding });
        waiting.add(go);
        signal.addEventListener('abort', () => {
          waiting.delete(go);
          reject(signal.reason);
        });
      });
    },
  };
}

type Session = NonNullable<Awaited<ReturnType<Engine['getSession']>>>;

export interface Harness {
  readonly clock: ManualClock;
  readonly accountId: string;
  readonly target: Target;
  /** What the engine logged. */
  readonly errors: { readonly message: string; readonly err?: unknown }[];
  engine: Engine;
  store: Store;
  /** An engine over this store, not started. */
  readonly engineOver: (store: Store) => Engine;
  /** Creates a DNS check, deactivated schedules included, and tells the engine. */
  check(fields?: Record<string, unknown>): Promise<string>;
  group(fields: Record<string, unknown>): Promise<number>;
  /** Starts one session and gives its id. */
  start(checkId: string): Promise<string>;
  /** The session as it is now. */
  read(sessionId: string): Promise<Session>;
  /** Starts one session and waits for its end. */
  run(checkId: string): Promise<Session>;
  /** Ends everything as kill -9 does, and opens the store with a fresh engine that is not started yet. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export const START = Date.parse('2026-11-21T08:00:00Z');
const WAIT_MS = 24 * 60 * 60 * 1000;

export async function createHarness(
  options: Partial<EngineOptions> = {},
  location?: StoreLocation,
): Promise<Harness> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sonde-engine-'));
  const file = path.join(folder, 'sonde.db');
  const clock = createManualClock(START);
  const target = createTarget();
  const errors: { message: string; err?: unknown }[] = [];
  const open = () => openStore(location ?? { path: file }, { clock, random: systemRandom });
  const engineOver = (store: Store) =>
    createEngine({
      store,
      clock,
      random: systemRandom,
      logger: { error: (fields, message) => void errors.push({ message, ...fields }) },
      locations: ['eu-west-1', 'us-east-1'],
      resolvers: () => [],
      runners: { DNS: target.runner },
      evaluate: evaluateInProcess,
      concurrency: 4,
      graceMs: 5_000,
      ...options,
    });
  const store = await open();
  const { id: accountId } = await store.accounts.create('test');
  const harness: Harness = {
    ...{ clock, accountId, target, errors, store, engineOver, engine: engineOver(store) },
    async check(fields = {}) {
      const body = {
        ...{ name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '' },
        ...{ locations: ['eu-west-1'], retryStrategy: null, ...byHand(START) },
        ...fields,
      };
      const typed = { type: (fields.type as 'DNS') ?? 'DNS', body } as unknown as TypedCheckBody;
      const { id } = await harness.store.checks.create(accountId, typed);
      await harness.engine.rescheduleChecks([id]);
      return id;
    },
    async group(fields) {
      const body = { name: 'a group', retryStrategy: 'FALLBACK' as const, ...fields };
      return (await harness.store.groups.create(accountId, body)).id;
    },
    async start(checkId) {
      const [session] = await harness.engine.startSessions({
        ...{ accountId, target: { checkId: [checkId] }, runSource: 'TRIGGER_API' },
      });
      if (session === undefined) throw new Error('nothing was started');
      return session.checkSessionId;
    },
    async read(sessionId) {
      const session = await harness.engine.getSession(accountId, sessionId);
      if (session === undefined) throw new Error('there is no such session');
      return session;
    },
    async run(checkId) {
      const id = await harness.start(checkId);
      const waited = await clock.run(harness.engine.awaitSession(accountId, id, WAIT_MS));
      if (!waited?.ended) throw new Error('it did not end');
      return waited.session;
    },
    async kill() {
      // The engine of a killed process does nothing any more: its store is gone from under it.
      await harness.store.close();
      harness.store = await open();
      harness.engine = engineOver(harness.store);
    },
    async close() {
      target.letGo();
      const stopped = harness.engine.stop();
      // A database elsewhere answers in its own time: that of the test's clock would be over by then.
      await (options.clock === undefined && location === undefined ? clock.run(stopped) : stopped);
      await harness.store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return harness;
}
