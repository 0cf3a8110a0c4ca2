/** Requests that make the service write a lot: however much it is, others get a turn of the event loop in between. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import * as contract from '../../src/contract/index.ts';
import { call } from '../support/call.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { countTurns } from '../support/turns.ts';

const turns = countTurns(systemClock);
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock: turns.clock });
});
afterAll(() => service.close());

/** Statements at 1 ms each: the limit of a turn, and what other parts of the service do meanwhile. */
const MOST_IN_TURN = 60;
const CHECKS = 1000;

/** Sends a request that executes at least the given number of statements. */
async function expectTurns<T>(least: number, work: () => Promise<T>): Promise<T> {
  const { result, steps, most } = await turns.during(work);
  expect(steps).toBeGreaterThan(least);
  expect(most).toBeLessThan(MOST_IN_TURN);
  return result;
}

it('yields in deployments and dry runs that create, read, change or delete 1,000 checks', async () => {
  const project = { logicalId: 'many', name: 'Many', repoUrl: 'https://example.com/many' };
  const body = (name: string, count = CHECKS) => ({
    project,
    sharedFiles: [],
    resources: Array.from({ length: count }, (_, index) => ({
      ...{ logicalId: `check-${index}`, type: 'check' as const, member: true },
      payload: { checkType: 'TCP', name, activated: false, request: { hostname: 'localhost', port: 80 } },
    })),
  });
  for (const sent of [body('new'), body('new'), body('changed'), body('', 0)])
    for (const dryRun of [true, false])
      await expectTurns(CHECKS, () =>
        call(service, contract.deployProject, { body: sent, query: { dryRun } }),
      );
});

it('yields in batches', async () => {
  const requests = Array.from({ length: 100 }, (_, index) => ({
    ...{ operation: 'createTcpCheck' as const },
    body: { name: `check ${index}`, activated: false, request: { hostname: 'localhost', port: 80 } },
  }));
  await expectTurns(100, () => call(service, contract.runBatch, { body: { requests } as never }));
});
