/** A storm: many runs at once, each drawn from a seed, and what they came to together. */
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { makeAuthority } from '../fault-proxy/authority.ts';
import { type Arena, openArena } from './arena.ts';
import { drawPlan, drawRestartPlan, type Plan } from './plan.ts';
import { type Ground, idsOf, type RunReport, runPlan } from './run.ts';
import { watchStrain } from './strain.ts';

export interface StormOptions {
  readonly runs: number;
  readonly seed: number;
  /** How many gates wait at once. */
  readonly atOnce: number;
  /** Also plans that take the better part of a minute. */
  readonly slow: boolean;
  /** How often the service is killed and started again over as many waiting gates, after all runs. */
  readonly restarts: number;
  /** Told of each run when it is over. */
  readonly onRun?: (report: RunReport, done: number) => void;
}

const GOLDEN = 0x9e3779b1;
/** The seed of a run: a storm of one run has the seed that it was given. */
const seedOf = (seed: number, index: number): number =>
  index === 0 ? seed : Math.imul(seed + index, GOLDEN);

/** Runs all of them. Rejects where the storm itself is broken, not where a gate was wrong. */
export async function storm(options: StormOptions): Promise<readonly RunReport[]> {
  const { runs, seed, atOnce, slow, restarts, onRun } = options;
  const authority = await makeAuthority();
  const arena = await openArena(slow ? 70 : 0);
  const strain = watchStrain();
  const reports: RunReport[] = [];
  let next = 0;
  let left = runs;
  const run = async (plan: Plan, ground: Pick<Ground, 'ids' | 'back'>): Promise<void> => {
    const report = await runPlan(plan, { arena, authority, strain, ...ground });
    reports.push(report);
    onRun?.(report, reports.length);
  };
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      let plan = drawPlan(seedOf(seed, next++));
      while (plan.isSlow && !slow) plan = drawPlan(seedOf(seed, next++));
      await strain.untilCalm();
      await run(plan, { ids: await idsOf(plan, arena) });
    }
  };
  /** As many gates as wait at once, and the service killed under them. */
  const oneRestart = async (round: number): Promise<void> => {
    const first = next + round * atOnce;
    const plans = Array.from({ length: atOnce }, (_, index) => drawRestartPlan(seedOf(seed, first + index)));
    const grounds = await Promise.all(plans.map(async (plan) => ({ plan, ids: await idsOf(plan, arena) })));
    const back = restart(arena, seedOf(seed, first));
    await Promise.all(grounds.map(({ plan, ids }) => run(plan, { ids, back })));
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, runs) }, one));
    for (let round = 0; round < restarts; round++) await oneRestart(round);
    return reports;
  } finally {
    strain.stop();
    await arena.close();
    await authority.remove();
  }
}

/** Kills the service at some moment after the gates were started, and starts it again after another. */
async function restart({ service }: Arena, seed: number): Promise<void> {
  const times = fc.tuple(fc.integer({ min: 500, max: 4000 }), fc.integer({ min: 0, max: 3000 }));
  const [[before, away] = [0, 0]] = fc.sample(times, { seed, numRuns: 1, unbiased: true });
  await delay(before);
  await service.kill();
  await delay(away);
  await service.start();
}

/** All that is needed to look into a wrong run. */
export function described({ plan, ran, played, wrong }: RunReport): string {
  const { seed, ...drawn } = plan;
  const said = `stdout: ${ran.stdout.slice(0, 2000)}\nstderr: ${ran.stderr.slice(0, 4000)}`;
  // A restart befalls as many gates as wait at once: one of them alone is not it.
  const again = plan.weather === 'restart' ? 'with its whole storm alone' : `npm run storm:gate -- 1 ${seed}`;
  return `${wrong}\nagain: ${again}\nplan: ${JSON.stringify(drawn)}\nplayed: ${played.join(', ')}\n${said}`;
}
