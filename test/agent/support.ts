/** An agent in this process, over a real service, with a DNS runner that the test scripts. */

import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { type Agent, createAgent } from '../../src/agent/agent.ts';
import { createLink } from '../../src/agent/link.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createClient } from '../../src/client/index.ts';
import type { Runner, RunOutcome } from '../../src/runners/core/runner.ts';
import type { Place } from '../service/agents/support.ts';
import { evaluateInProcess } from '../support/runners.ts';

export const PASSED: RunOutcome = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 1, errors: [], details: {} },
};

/** The longest backoff, in ms. Longer sleeps are limits, which must keep their real length. */
const LONGEST_REST_MS = 15_000;

/** The system clock, but a backoff takes a twentieth of its time. */
export const quickClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms > LONGEST_REST_MS ? ms : ms / 20, signal),
};

export interface TestAgent extends Agent {
  /** What it logged. */
  readonly logged: readonly { readonly level: number; readonly msg: string }[];
}

export interface TestAgentOptions {
  readonly spoolFolder: string;
  readonly run?: Runner<unknown>;
  /** Further runners, by type. */
  readonly runners?: Parameters<typeof createAgent>[0]['runners'];
  /** Runs Playwright suites, which it else does not. */
  readonly suite?: Runner<unknown>;
  readonly concurrency?: number;
  readonly graceMs?: number;
  readonly createEnvironment?: Parameters<typeof createAgent>[0]['createEnvironment'];
  readonly onAttempt?: Parameters<typeof createAgent>[0]['onAttempt'];
  /** Instead of the service itself. */
  readonly url?: string;
  /** Default: `quickClock`. */
  readonly clock?: Clock;
}

/** An agent that is not started yet. */
export function agentAt(place: Place, options: TestAgentOptions): TestAgent {
  const logged: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const { clock = quickClock } = options;
  const client = createClient({
    ...{ baseUrl: options.url ?? place.asAgent.url, getKey: async () => place.asAgent.apiKey },
    ...{ userAgent: 'test', clock, random: systemRandom },
  });
  const link = createLink({ client, agentId: randomUUID(), version: '1', onKey: () => {} });
  const { run = async () => PASSED, suite } = options;
  const runners = { DNS: run, ...options.runners, ...(suite === undefined ? {} : { PLAYWRIGHT: suite }) };
  const agent = createAgent({
    ...{
      link,
      clock,
      evaluate: evaluateInProcess,
      random: systemRandom,
      log,
      healthPort: 0,
      spoolFolder: options.spoolFolder,
    },
    ...{ concurrency: options.concurrency ?? 1, graceMs: options.graceMs },
    createEnvironment: options.createEnvironment ?? (() => ({})),
    onAttempt: options.onAttempt,
    ...{ runners, checkTypes: Object.keys(runners), runtimes: async () => [] },
    resolvers: () => [],
    close: () => client.close(),
  });
  return { ...agent, logged };
}

/** Never aborted. */
export const going = new AbortController().signal;
