/**
 * Measures the cost and delay of the gate: `npm run bench:gate [delay|waiting|many…]`, by default all. Exits 1 where a
 * target is missed. Some twelve minutes; nothing else should be busy on the machine.
 */
import { cpus } from 'node:os';
import { openArena } from '../../test/support/storm/arena.ts';
import { measureDelay } from './delay.ts';
import { measureMany } from './many.ts';
import { printTable, type Row } from './table.ts';
import { measureWaiting } from './waiting.ts';

const PARTS = { waiting: measureWaiting, delay: measureDelay, many: measureMany };
type Part = keyof typeof PARTS;
const isPart = (name: string): name is Part => name in PARTS;

export async function main(names: readonly string[]): Promise<number> {
  const parts = names.length === 0 ? (Object.keys(PARTS) as Part[]) : names.filter(isPart);
  if (parts.length < names.length) {
    console.error(`There is ${Object.keys(PARTS).join(' and ')}, not ${names.join(' ')}.`);
    return 2;
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
  const began = performance.now();
  const arena = await openArena(0);
  const rows: Row[] = [];
  try {
    for (const part of parts) rows.push(...(await PARTS[part](arena)));
  } finally {
    await arena.close();
  }
  const isMissed = printTable(rows);
  console.log(`Took ${Math.round((performance.now() - began) / 1000)} s`);
  return isMissed ? 1 : 0;
}
