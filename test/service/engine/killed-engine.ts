/** A child process whose engine runs checks until it is killed: it tells each session once its start is committed. */

import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createEngine } from '../../../src/service/engine/engine.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { evaluateInProcess } from '../../support/runners.ts';

async function main(path: string): Promise<void> {
  writeSync(1, 'opening\n');
  const store = await openStore({ path }, { clock: systemClock, random: systemRandom });
  const engine = createEngine({
    ...{ store, clock: systemClock, evaluate: evaluateInProcess, random: systemRandom, logger: console },
    ...{ locations: ['eu-west-1'], resolvers: () => [], concurrency: 4, graceMs: 0 },
    runners: {
      async DNS() {
        await delay(systemRandom.next() * 20);
        const hasFailures = systemRandom.next() < 0.5;
        return {
          ...{ hasFailures, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
          ...{ isNetworkError: false, responseTime: 1, errors: hasFailures ? ['no'] : [], details: {} },
        };
      },
    },
  });
  await engine.start();
  const accountId = (await store.accounts.list())[0]?.id ?? '';
  for (;;) {
    const sessions = await engine.startSessions({ accountId, runSource: 'TRIGGER_API' });
    for (const { checkSessionId } of sessions) writeSync(1, `${checkSessionId}\n`);
    await delay(10);
  }
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
