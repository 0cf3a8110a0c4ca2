/** What the measurements of a subject have in common: those that are named are made, their rows printed. */
import { cpus } from 'node:os';
import { printTable, type Row } from './gate/table.ts';

export type Measure<World> = (world: World) => Promise<readonly Row[]>;
export type Parts<World> = Readonly<Record<string, Measure<World>>>;

/** Makes those of the parts that are given, or all, in a world that it opens; answers the exit code: 2 for a part that there is not. */
export async function measureParts<World>(
  parts: Parts<World>,
  given: readonly string[],
  open: () => Promise<{ readonly world: World; readonly close: () => Promise<void> }>,
): Promise<number> {
  const unknown = given.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) {
    console.error(`There is ${Object.keys(parts).join(', ')}, not ${unknown.join(', ')}.`);
    return 2;
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
  const began = performance.now();
  const { world, close } = await open();
  const rows: Row[] = [];
  try {
    for (const [name, measure] of Object.entries(parts)) {
      if (given.length === 0 || given.includes(name)) rows.push(...(await measure(world)));
    }
  } finally {
    await close();
  }
  const isMissed = printTable(rows);
  console.log(`Took ${Math.round((performance.now() - began) / 1000)} s`);
  return isMissed ? 1 : 0;
}
