/**
 * What the engine costs and how punctual it is: `npm run bench:engine [burst|steady|restart|memory|api|peers…]`, all where none is
 * named. Exits 1 where a target is missed. Some six minutes; the processor's time is the service's alone, yet nothing else
 * should be busy on the machine.
 */
import { cpus } from 'node:os';
import type { Knot } from '../../test/support/dns/knot.ts';
import { printTable, type Row } from '../gate/table.ts';
import { measureApi } from './api.ts';
import { measureBurst, measureMemories, measureRestart, measureSteady } from './checks.ts';
import { measurePeers } from './peers.ts';
import { startNames } from './world.ts';

type Measure = (names: Knot) => Promise<readonly Row[]>;
const PARTS: Readonly<Record<string, Measure>> = {
  burst: measureBurst,
  steady: measureSteady,
  restart: measureRestart,
  memory: measureMemories,
  api: measureApi,
  peers: measurePeers,
};

export async function main(given: readonly string[]): Promise<number> {
  const unknown = given.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    console.error(`There is ${Object.keys(PARTS).join(', ')}, not ${unknown.join(', ')}.`);
    return 2;
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
  const began = performance.now();
  const names = await startNames();
  const rows: Row[] = [];
  try {
    for (const [name, measure] of Object.entries(PARTS)) {
      if (given.length === 0 || given.includes(name)) rows.push(...(await measure(names)));
    }
  } finally {
    await names.stop();
  }
  const isMissed = printTable(rows);
  console.log(`Took ${Math.round((performance.now() - began) / 1000)} s`);
  return isMissed ? 1 : 0;
}
