/** A child process that runs a check which fails, alerts people of it, and kills itself at the step that it is told. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { alertingService } from './mortal.ts';

async function main([path = '', step, kind, checkId = '', smtpPort]: readonly string[]): Promise<void> {
  writeSync(1, 'opening\n');
  const store = await openStore({ path }, { clock: systemClock, random: systemRandom });
  const { engine } = await alertingService(store, Number(smtpPort), step, kind);
  const accountId = (await store.accounts.list())[0]?.id ?? '';
  const target = { checkId: [checkId] };
  const [session] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
  writeSync(1, `${session?.checkSessionId}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
