/**
 * What the engine costs and how punctual it is: `npm run bench:engine [burst|steady|restart|memory|api|peers…]`, all where none is
 * named. Exits 1 where a target is missed. Some six minutes; the processor's time is the service's alone, yet nothing else
 * should be busy on the machine.
 */
import type { Knot } from '../../test/support/dns/knot.ts';
import { measureParts, type Parts } from '../parts.ts';
import { measureApi } from './api.ts';
import { measureBurst, measureMemories, measureRestart, measureSteady } from './checks.ts';
import { measurePeers } from './peers.ts';
import { startNames } from './world.ts';

const PARTS: Parts<Knot> = {
  burst: measureBurst,
  steady: measureSteady,
  restart: measureRestart,
  memory: measureMemories,
  api: measureApi,
  peers: measurePeers,
};

export const main = (given: readonly string[]): Promise<number> =>
  measureParts(PARTS, given, async () => {
    const names = await startNames();
    return { world: names, close: async () => void (await names.stop()) };
  });
