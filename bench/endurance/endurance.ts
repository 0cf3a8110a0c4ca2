/**
 * The service endures: `npm run endurance -- --minutes 60`. Mixed load on the built service, which is killed, whose disk is
 * full, whose file is held and whose clock is set. Exits 1 where anything acknowledged was lost, a tick is not accounted for, an
 * alert was lost or came twice, something is left behind, or memory grew.
 */
import { endure } from '../../test/support/endurance/endure.ts';
import { tableOf } from '../../test/support/endurance/table.ts';

/** A cycle of faults and peace, in minutes, and how much of it are faults. */
const CYCLE_MINUTES = 15;
const FAULTS = 0.4;

export async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--minutes');
  const minutes = at < 0 ? 60 : Number(args[at + 1]);
  if (!(minutes > 0)) {
    console.error('--minutes must be a number above 0');
    return 2;
  }
  const cycles = Math.max(1, Math.round(minutes / CYCLE_MINUTES));
  const cycleMs = (minutes * 60_000) / cycles;
  const endured = await endure({
    ...{ cycles, faultsMs: cycleMs * FAULTS, quietMs: cycleMs * (1 - FAULTS) },
    faults: ['kill', 'full disk', 'kill', 'held file', 'clock forward', 'kill', 'clock back'],
    between: minutes < 5 ? [2000, 6000] : [4000, 25_000],
    ...{ workers: 4, restMs: 700, sampleMs: minutes < 5 ? 2000 : 10_000 },
    ...{ warmUpMs: Math.min(120_000, cycleMs / 6), probeMs: minutes < 5 ? 3000 : 30_000 },
    startMs: minutes < 5 ? 500 : 5000,
    turnSeconds: minutes < 5 ? 22 : 75,
    onStep: (line) => console.log(line),
  });
  console.log(tableOf(endured));
  return endured.wrong.length === 0 ? 0 : 1;
}
