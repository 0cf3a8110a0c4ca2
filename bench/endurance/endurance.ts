/**
 * The service endures: `npm run endurance -- --minutes 60`. Mixed load on the built service, which is killed, whose disk is
 * full, whose file is held and whose clock is set (where faketime is installed). Exits 1 where anything acknowledged was lost, a
 * tick is not accounted for, an alert came twice, or memory grew.
 */
import { type Endured, endure } from '../../test/support/endurance/endure.ts';

/** Memory may differ by so much between the two ends of the quiet stretch, in MB, before it counts as growing. */
const GROWTH_MB = 30;
/** Samples below which nothing is said of growth: what is loaded once is loaded by then. */
const FEWEST = 120;

export async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--minutes');
  const minutes = at < 0 ? 60 : Number(args[at + 1]);
  if (!(minutes > 0)) {
    console.error('--minutes must be a number above 0');
    return 2;
  }
  const endured = await endure({
    minutes,
    faults: ['kill', 'full disk', 'kill', 'held file', 'clock forward', 'kill', 'clock back'],
    between: minutes < 5 ? [2000, 6000] : [4000, 15_000],
    workers: 8,
    onStep: (line) => console.log(line),
  });
  return tell(endured);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Memory at both ends of the quiet stretch, in MB. */
function growth({ memory }: Endured): { readonly from: number; readonly to: number } {
  const third = Math.floor(memory.length / 3);
  return { from: median(memory.slice(third, 2 * third)), to: median(memory.slice(2 * third)) };
}

function tell(endured: Endured): number {
  const { faults, writes, items, alerts, audit, memory } = endured;
  const wrong = [...endured.wrong];
  const { from, to } = growth(endured);
  if (memory.length >= FEWEST && to - from > GROWTH_MB) {
    wrong.push(`memory grew from ${from.toFixed(0)} to ${to.toFixed(0)} MB while the load stayed the same`);
  }
  const lines = [
    '',
    `faults: ${Object.entries(faults)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')}`,
    `writes: ${writes.acknowledged} acknowledged, ${writes.unanswered} unanswered, refused by status ${JSON.stringify(writes.refused)}; ${items} things made`,
    `ticks: ${audit.ticks} due, ${audit.missed} recorded as missed; ${audit.sessions} sessions`,
    `alerts: ${alerts} received`,
    `memory: ${from.toFixed(0)} MB, then ${to.toFixed(0)} MB (${memory.length} samples)`,
    ...wrong.slice(0, 50).map((problem) => `WRONG: ${problem}`),
    wrong.length === 0 ? 'Nothing was lost.' : `${wrong.length} wrong`,
  ];
  console.log(lines.join('\n'));
  return wrong.length === 0 ? 0 : 1;
}
