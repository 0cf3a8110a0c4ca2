/** What a test of agents begins with: a location with a check at a real service, a spool, agents that end with the test. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Runner } from '../../src/runners/core/runner.ts';
import {
  createCheckAt,
  createPlace,
  type Place,
  readSession,
  startSession,
} from '../service/agents/support.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { agentAt, going, PASSED, type TestAgentOptions } from './support.ts';

/** A service for the tests of a file, and what they do with it. */
export function stage() {
  let service: TestService;
  let number = 0;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());
  const statusOf = async (session: string) => (await readSession(service, session)).status;
  return {
    service: () => service,
    statusOf,
    until: (session: string, status: string) =>
      eventually(async () => expect(await statusOf(session)).toBe(status)),
    /** A location with a check, its agents' spool, and agents that end with the test. */
    async scene() {
      number += 1;
      const place = await createPlace(service, `attic-${number}`);
      const check = await createCheckAt(service, [place.slug]);
      const spoolFolder = await temporaryFolder();
      return {
        ...{ place, check, spoolFolder, spool: join(spoolFolder, place.id) },
        start: () => startSession(service, check),
        /** What the store has of the check's result, as JSON. */
        recorded: async () => {
          const rows = service.store.db.selectFrom('results').select(['errors', 'details']);
          return rows.where('check_id', '=', check).executeTakeFirst();
        },
        async agent(options: Partial<TestAgentOptions> = {}, from: Place = place) {
          const agent = agentAt(from, { spoolFolder, ...options });
          onTestFinished(async () => void (await agent.stop()));
          await agent.start(going);
          return agent;
        },
      };
    },
  };
}

/** Once a result lies there whole. */
export const saved = (spool: string) =>
  eventually(async () => expect((await readdir(spool)).join()).toMatch(/^[^,]+\.json$/));

/** A runner whose runs end when the test says so. */
export function held() {
  const waiting = new Set<() => void>();
  let most = 0;
  const run: Runner<unknown> = (_, __, signal) =>
    new Promise((resolve, reject) => {
      const go = () => {
        waiting.delete(go);
        resolve(PASSED);
      };
      waiting.add(go);
      most = Math.max(most, waiting.size);
      signal.addEventListener('abort', () => {
        waiting.delete(go);
        reject(signal.reason);
      });
    });
  return {
    run,
    running: () => waiting.size,
    most: () => most,
    letGo: () => {
      for (const go of waiting) go();
    },
    /** Once so many run. */
    untilRunning: (count: number) => eventually(() => expect(waiting.size).toBe(count)),
  };
}
