/** Agents behind a line that does all that lines do: every run has exactly one final result, whatever befalls it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCheckAt, createPlace, startSession } from '../service/agents/support.ts';
import { REQUEST_FAULTS } from '../support/fault-proxy/faults.ts';
import { startFaultProxy } from '../support/fault-proxy/proxy.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startTestService } from '../support/service.ts';
import { agentAt, going } from './support.ts';

const RUNS = 40;
/** What lasts as long as a time-out tells nothing that a reset does not. */
const FAULTS = REQUEST_FAULTS.filter((name) => name !== 'half-open' && name !== 'drip');
const SESSIONS = 6;

it(`keeps every result once through ${RUNS} storms`, async () => {
  const service = await startTestService();
  const folder = await temporaryFolder();
  let number = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...FAULTS), { minLength: 20, maxLength: 60 }),
        async (names) => {
          number += 1;
          const place = await createPlace(service, `storm-${number}`);
          const check = await createCheckAt(service, [place.slug]);
          const steps = names.flatMap((name) => [{ name: 'pass' as const }, { name }]);
          const afterwards = { name: 'pass' } as const;
          const proxy = await startFaultProxy({ service: service.url, schedule: { steps, afterwards } });
          const agents = [1, 2].map(() =>
            agentAt(place, { url: proxy.url, spoolFolder: folder, concurrency: 2 }),
          );
          // The first answer may be one that refuses for good: an agent then ends, and is started again.
          await Promise.all(agents.map((agent) => started(agent.start)));
          const sessions = await Promise.all(
            Array.from({ length: SESSIONS }, () => startSession(service, check)),
          );
          const open = service.store.db
            .selectFrom('runs')
            .select('id')
            .where('pool', '=', `private/storm-${number}`);
          while ((await open.execute()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
          await Promise.all(agents.map((agent) => agent.stop()));
          await proxy.close();
          const results = await service.store.db
            .selectFrom('results')
            .select(['session_id', 'result_type', 'has_errors'])
            .where('session_id', 'in', sessions)
            .execute();
          expect(results.map(({ session_id }) => session_id).sort()).toEqual([...sessions].sort());
          expect(
            results.every(({ result_type: type, has_errors: errors }) => type === 'FINAL' && errors === 0),
          ).toBe(true);
        },
      ),
      { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: 600_000 },
    );
  } finally {
    await service.close();
  }
}, 900_000);

async function started(start: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await start(going);
      return;
    } catch {
      // As an orchestrator does.
    }
  }
}
