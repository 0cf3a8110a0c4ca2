/** A child process in which checks fail whose alerts wait, and that kills itself at a given transaction or when an hour is over. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { openStore, type StoreLocation } from '../../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';
import { alertingService, type Death, type Receivers } from './self-killing-service.ts';

export interface WaitOrder {
  readonly location: StoreLocation;
  /** Checks to run, one after the other. */
  readonly checkIds: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Time to pass after the runs, in ms. */
  readonly waitMs: number;
  readonly death: Death;
  readonly receivers: Receivers;
}

/** Runs a check once and waits for the end of its session. */
export async function runCheck(
  { engine }: Awaited<ReturnType<typeof alertingService>>,
  clock: ManualClock,
  accountId: string,
  checkId: string,
): Promise<void> {
  const target = { checkId: [checkId] };
  const [session] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
  let isOver = false;
  const waited = engine.awaitSession(accountId, session?.checkSessionId ?? '', 10_000).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await clock.advance(1);
    // A slow database must not let alerts of two runs seem to lie more than a minute apart.
    await systemClock.sleep(1);
  }
  await waited;
}

async function main([, text = '{}']: readonly string[]): Promise<void> {
  writeSync(1, 'opening\n');
  const { location, checkIds, now, waitMs, death, receivers } = JSON.parse(text) as WaitOrder;
  const clock = createManualClock(now);
  const store = await openStore(location, { clock, random: systemRandom });
  const service = await alertingService(store, receivers, death, clock);
  const accountId = (await store.accounts.list())[0]?.id ?? '';
  for (const checkId of checkIds) {
    await clock.advance(1000);
    await runCheck(service, clock, accountId, checkId);
  }
  for (let passed = 0; passed < waitMs; passed += 1000) {
    await clock.advance(1000);
    await service.awaitDeliveries();
  }
  process.kill(process.pid, 'SIGKILL');
}

if (process.argv.length > 3)
  main(process.argv.slice(2)).catch((error: unknown) => {
    writeSync(2, `${error}\n`);
    process.exitCode = 1;
  });
