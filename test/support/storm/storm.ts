/** A storm: many runs at once, each drawn from a seed, and what they came to together. */
import { makeAuthority } from '../fault-proxy/authority.ts';
import { openArena } from './arena.ts';
import { drawPlan } from './plan.ts';
import { type RunReport, runPlan } from './run.ts';

export interface StormOptions {
  readonly runs: number;
  readonly seed: number;
  /** How many gates wait at once. */
  readonly atOnce: number;
  /** Also plans that take the better part of a minute. */
  readonly slow: boolean;
  /** Told of each run when it is over. */
  readonly onRun?: (report: RunReport, done: number) => void;
}

const GOLDEN = 0x9e3779b1;
/** The seed of a run: a storm of one run has the seed that it was given. */
const seedOf = (seed: number, index: number): number =>
  index === 0 ? seed : Math.imul(seed + index, GOLDEN);

/** Runs all of them. Rejects where the storm itself is broken, not where a gate was wrong. */
export async function storm(options: StormOptions): Promise<readonly RunReport[]> {
  const { runs, seed, atOnce, slow, onRun } = options;
  const authority = await makeAuthority();
  const arena = await openArena(slow ? 70 : 0);
  const reports: RunReport[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < runs) {
      const plan = drawPlan(seedOf(seed, next++), slow);
      const report = await runPlan(plan, arena, authority);
      reports.push(report);
      onRun?.(report, reports.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, runs) }, one));
    return reports;
  } finally {
    await arena.close();
    await authority.remove();
  }
}

/** All that is needed to look into a wrong run. */
export function described({ plan, ran, played, wrong }: RunReport): string {
  const { seed, ...drawn } = plan;
  const said = `stdout: ${ran.stdout}\nstderr: ${ran.stderr}`;
  return `${wrong}\nagain: npm run storm:gate -- 1 ${seed}\nplan: ${JSON.stringify(drawn)}\nplayed: ${played.join(', ')}\n${said}`;
}
