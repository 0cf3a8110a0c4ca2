/**
 * Measures the cost of a check as a multiple of a bare loop: `npm run bench:cost`. Both run 2,000 DNS checks, five times in turn.
 * Exits 1 if the median of the ratios is more than 15 % above the budget. A ratio of processor times holds on a busy machine.
 */
import budgets from '../budgets.json';
import { printTable } from '../gate/table.ts';
import { runBareLoop } from './bare-loop.ts';
import { KINDS } from './kinds.ts';
import { measureBurst, median } from './rounds.ts';
import { startTargets } from './targets.ts';

const CHECKS = 2000;
const ROUNDS = 5;
const TOLERANCE = 1.15;

export async function main(): Promise<number> {
  const targets = await startTargets();
  try {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { cpu } = await measureBurst(KINDS.dns, targets, CHECKS);
      ratios.push(cpu / (await runBareLoop(targets.names, CHECKS)));
    }
    const note = `rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`;
    const most = Number((budgets.dns.costInCi.most * TOLERANCE).toFixed(2));
    const what = 'Processor time of 2,000 DNS checks, bare loop = 1';
    return printTable([{ what, value: median(ratios), unit: '', most, note }]) ? 1 : 0;
  } finally {
    await targets.close();
  }
}
