/** A service with checks that passed, failed and were degraded, for tests of its metrics. */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';
import { byHand } from '../../../support/by-hand.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, DEGRADED, GOOD } from '../../notify/alerts/outcomes.ts';

export interface MetricsWorld extends TestService {
  /** Creates a DNS check in an account; the default is the first. Returns its ID. */
  check(name: string, accountId?: string): Promise<string>;
  /** Runs a check and waits for the end of its session. */
  run(checkId: string, outcome: RunOutcome): Promise<void>;
  /** Returns the text of `/metrics`, of the account of a key; the default is the first account. */
  scrape(apiKey?: string): Promise<string>;
}

/** A name with all characters that the text format escapes. */
export const ODD_NAME = 'odd "name" \\ with\na new line {and="braces"} 検索';

export async function startMetricsWorld(metricsChecks?: number): Promise<MetricsWorld> {
  let next = GOOD;
  let last = 0;
  const now = () => {
    last = Math.max(last + 1, systemClock.now());
    return last;
  };
  const service = await startTestService({
    // No two checks have the same creation time.
    clock: { ...systemClock, now },
    ...(metricsChecks === undefined ? {} : { metricsChecks }),
    engine: { runners: { DNS: async () => next } },
  });
  onTestFinished(() => service.close());
  return {
    ...service,
    async check(name, accountId = service.accountId) {
      const body = {
        ...{ name, request: { query: 'example.org' }, heartbeat: {}, script: '', retryStrategy: null },
        ...byHand(),
      };
      return (await service.store.checks.create(accountId, { type: 'DNS', body })).id;
    },
    async run(checkId, outcome) {
      next = outcome;
      const { engine } = service.service;
      const { accountId } = service;
      const target = { checkId: [checkId] };
      const [started] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
      await engine.awaitSession(accountId, started?.checkSessionId ?? '', 10_000);
    },
    async scrape(apiKey = service.apiKey) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${service.url}/metrics`, { headers });
      if (!response.ok) throw new Error(`/metrics: ${response.status}`);
      return response.text();
    },
  };
}

/** Runs checks of every verdict, and one without a run. Returns their IDs. */
export async function runEveryVerdict(world: MetricsWorld) {
  const ids = {
    passing: await world.check(ODD_NAME),
    failing: await world.check('failing'),
    degraded: await world.check('degraded'),
    idle: await world.check('idle'),
  };
  await world.run(ids.passing, BAD);
  await world.run(ids.passing, GOOD);
  await world.run(ids.failing, BAD);
  await world.run(ids.degraded, DEGRADED);
  return ids;
}
