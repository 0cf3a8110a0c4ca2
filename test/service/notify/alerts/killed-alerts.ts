/** A child process that runs a check which fails, alerts people of it, and kills itself at the step that it is told. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { openStore } from '../../../../src/service/store/index.ts';
import { alertingService } from './self-killing-service.ts';

/** What it is told, as JSON. */
export interface Told {
  readonly step: string;
  readonly kind: string;
  readonly checkId: string;
  readonly smtpPort: number;
  readonly smsUrl: string;
  /** Where its store is instead of the file. */
  readonly databaseUrl?: string;
}

async function main([path = '', text = '{}']: readonly string[]): Promise<void> {
  writeSync(1, 'opening\n');
  const told = JSON.parse(text) as Told;
  const { databaseUrl, checkId } = told;
  const store = await openStore(databaseUrl === undefined ? { path } : { url: databaseUrl }, {
    ...{ clock: systemClock, random: systemRandom },
  });
  const { engine } = await alertingService(store, told, told);
  const accountId = (await store.accounts.list())[0]?.id ?? '';
  const target = { checkId: [checkId] };
  const [session] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
  writeSync(1, `${session?.checkSessionId}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  writeSync(2, `${error}\n`);
  process.exitCode = 1;
});
