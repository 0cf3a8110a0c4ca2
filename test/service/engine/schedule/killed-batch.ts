/** A child process that runs the checks of a started group until it is killed: it tells when each attempt begins and ends. */

import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { openStore } from '../../../../src/service/store/index.ts';
import { evaluateInProcess } from '../../../support/runners.ts';

/** What a process is for. `finish`: it kills itself once nothing is open any more. */
export type Life = 'start' | 'resume' | 'finish';

/** Whatever is still open after so long waits for something that does not come, in ms. */
const STUCK_MS = 120_000;

const tell = (line: string) => void writeSync(1, `${line}\n`);

/** Checks with an odd name fail. */
async function attempt({ name }: { readonly name: string }) {
  tell(`begin ${name}`);
  await delay(systemRandom.next() * 20);
  tell(`end ${name}`);
  const hasFailures = Number(name) % 2 === 1;
  return {
    ...{ hasFailures, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
    ...{ isNetworkError: false, responseTime: 1, errors: hasFailures ? ['no'] : [], details: {} },
  };
}

async function main([path = '', url, aheadMs, life, groupId]: readonly string[]): Promise<void> {
  tell('opening');
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + Number(aheadMs) };
  const given = { clock, random: systemRandom };
  const store = await openStore(url ? { url } : { path }, given);
  const engine = createEngine({
    ...{
      ...given,
      evaluate: evaluateInProcess,
      store,
      logger: console,
      runners: { DNS: attempt },
      gatherMs: 20,
    },
    ...{ locations: ['eu-west-1'], resolvers: () => [], concurrency: 10, graceMs: 0 },
    ...(url ? { databaseUrl: url } : {}),
  });
  await engine.start();
  const accountId = (await store.accounts.list())[0]?.id ?? '';
  if (life === 'start') {
    await engine.startGroup({ accountId, groupId: Number(groupId), runSource: 'GROUP_RUN_ALL' });
    tell('started');
  }
  for (const began = performance.now(); ; ) {
    const isOver = (await engineStore(store).sessions.latestOpenStart()) === null;
    const isStuck = performance.now() - began > STUCK_MS;
    if (isStuck) tell('stuck');
    if (isStuck || (isOver && life === 'finish')) process.kill(process.pid, 'SIGKILL');
    // Whoever kills it waits for a line.
    if (isOver) tell('over');
    await delay(10);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
