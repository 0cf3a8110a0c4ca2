/** Runs each test without a mutant, and then once with each mutant that it reaches and that no test has killed. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { getFn } from 'vitest/suite';

/** A mutant that runs longer, or asks its switch more often, hangs: the test sees it. */
const LIMIT_MS = 5000;
const LIMIT_CALLS = 5_000_000;

const NO_MUTANT = '';

const file = process.env.SONDE_MUTATION_FILE ?? '';
const killed = new Set<string>();
const reached = new Set<string>();
let active: string | undefined;
let calls = 0;

Object.assign(globalThis, {
  sondeMutant(id: string): boolean {
    reached.add(id);
    calls += 1;
    if (active !== undefined && calls > LIMIT_CALLS) throw new Error('the mutant loops');
    return id === active;
  },
});

const record = (id: string, event: 'reached' | 'killed', test: string): void =>
  appendFileSync(file, `${JSON.stringify({ id, event, test })}\n`);

export default class MutationRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    readKilled();
    reached.clear();
    await getFn(test)();
    const ids = [...reached];
    for (const id of ids) record(id, 'reached', test.name);
    for (const id of ids) {
      if (killed.has(id) || !(await fails(test, id))) continue;
      // A test that is too slow, or cannot be repeated, also fails without a mutant. It proves nothing.
      if (await fails(test, NO_MUTANT)) return;
      killed.add(id);
      record(id, 'killed', test.name);
    }
  }
}

/** Other workers kill mutants, too. */
function readKilled(): void {
  if (!existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { id, event } = JSON.parse(line) as { readonly id: string; readonly event: string };
    if (event === 'killed') killed.add(id);
  }
}

async function fails(test: RunnerTestCase, id: string): Promise<boolean> {
  active = id;
  calls = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the mutant hangs')), LIMIT_MS);
  });
  try {
    await Promise.race([getFn(test)(), late]);
    return false;
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
    active = undefined;
  }
}
