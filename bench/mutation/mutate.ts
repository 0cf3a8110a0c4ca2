/**
 * Flips comparisons, bounds and cuts of the evaluators, and counts the mutants that their tests see: `npm run mutate`, with names
 * of test files to run only those. Ends with 1 below 95 percent.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instrument, type Mutant } from './mutants.ts';
import { SOURCES } from './rooms.ts';

const LEAST_PERCENT = 95;

interface Event {
  readonly id: string;
  readonly event: 'reached' | 'killed';
}

const percentOf = (mutants: readonly Mutant[], killed: ReadonlySet<string>): string =>
  ((100 * mutants.filter(({ id }) => killed.has(id)).length) / Math.max(1, mutants.length)).toFixed(1);

export async function main(args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-mutation-'));
  try {
    const file = join(folder, 'events.ndjson');
    const line = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'bench/mutation/vitest.config.ts',
      ...args,
    ];
    const env = { ...process.env, SONDE_MUTATION_FILE: file };
    const { status } = spawnSync(process.execPath, line, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) console.log('Some tests failed, without or after a mutant.');
    const events = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Event);
    const idsOf = (wanted: Event['event']) =>
      new Set(events.flatMap(({ id, event }) => (event === wanted ? [id] : [])));
    const [reached, killed] = [idsOf('reached'), idsOf('killed')];
    const all: Mutant[] = [];
    for (const source of SOURCES) {
      const { mutants } = instrument(source, await readFile(source, 'utf8'));
      all.push(...mutants);
      if (mutants.length > 0) console.log(`${source}: ${percentOf(mutants, killed)} % of ${mutants.length}`);
      for (const { id, line: at, original, mutated } of mutants.filter((each) => !killed.has(each.id)))
        console.log(`  ${at}: ${original} -> ${mutated}${reached.has(id) ? '' : ' (no test reaches it)'}`);
    }
    const percent = percentOf(all, killed);
    console.log(`${all.length} mutants, ${percent} % seen`);
    return Number(percent) < LEAST_PERCENT ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
