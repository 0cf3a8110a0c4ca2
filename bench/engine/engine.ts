/**
 * Measures the cost and punctuality of the engine: `npm run bench:engine [dns|https|others|steady|restart|memory|api|account…]`. Without
 * a name it measures all parts, in about 15 minutes. Exits 1 if a value misses its budget in `bench/budgets.json`. Processor
 * times are those of the service alone, but lateness and rates need a quiet machine.
 */
import { measureParts, type Parts } from '../parts.ts';
import { measureAccount } from './account.ts';
import { measureApi } from './api.ts';
import { measureMemories, measureRestart, measureSteady } from './checks.ts';
import { measureDns, measureHttps, measureOthers } from './rounds.ts';
import { startTargets, type Targets } from './targets.ts';

const PARTS: Parts<Targets> = {
  dns: measureDns,
  https: measureHttps,
  others: measureOthers,
  steady: measureSteady,
  restart: measureRestart,
  memory: measureMemories,
  api: measureApi,
  account: measureAccount,
};

export const main = (given: readonly string[]): Promise<number> =>
  measureParts(PARTS, given, async () => {
    const targets = await startTargets();
    return { world: targets, close: targets.close };
  });
