/** A child process that tells subscribers of maintenance at an instant that it is given, and kills itself at the first notice. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createMaintenanceScheduler } from '../../../src/service/maintenance/scheduler.ts';
import { notifyMaintenance } from '../../../src/service/notify/notify-maintenance.ts';
import { openStore } from '../../../src/service/store/index.ts';

const die = () => process.kill(process.pid, 'SIGKILL');

/** `decided`: before the commit of what was told. `written`: after it. */
async function main([path = '', url = '', at = '', step]: readonly string[]): Promise<void> {
  writeSync(1, 'opening\n');
  const clock = { ...systemClock, now: () => Number(at) };
  const store = await openStore(url === '' ? { path } : { url }, { clock, random: systemRandom });
  createMaintenanceScheduler({
    ...{ store, clock, onError: (message, error) => console.error(message, error) },
    async notify(tx, window, news) {
      await notifyMaintenance(tx, window, news);
      if (step === 'decided') die();
      tx.onCommit(die);
    },
  }).start();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
