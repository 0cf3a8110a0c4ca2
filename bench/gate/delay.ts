/**
 * How long after the end of its last session the process of a gate has ended. The clock is the machine's: the end is the
 * session's `stoppedAt` as the service tells it, which it takes before it writes the end down.
 */
import { startSonde } from '../../test/support/binary.ts';
import type { Arena } from '../../test/support/storm/arena.ts';
import { quantile, type Row } from './table.ts';

const TARGET_MS = 100;
const ROUNDS = 104;
/** A gate that had so little time before the end may not have been waiting yet, in ms. */
const READY_MS = 450;

/** How a gate is called, and how its sessions end. */
const WAYS = [
  { truth: 'passed', output: [] },
  { truth: 'failed', output: [] },
  { truth: 'passed', output: ['--json'] },
  { truth: 'failed', output: ['--json'] },
] as const;

export async function measureDelay(arena: Arena): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const sessions of [1, 10, 50]) {
    const all = new Map<string, number[]>(WAYS.map(({ truth }) => [truth, []]));
    for (let round = 0; round < ROUNDS; ) {
      const way = WAYS[round % WAYS.length] ?? WAYS[0];
      const delay = await oneGate(arena, sessions, way);
      if (delay === undefined) continue;
      all.get(way.truth)?.push(delay);
      round += 1;
    }
    for (const [truth, delays] of all) {
      const what = `Delay to the exit, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${truth}`;
      const note = `${delays.length} runs, p50 ${quantile(delays, 0.5)} ms, most ${Math.max(...delays)} ms`;
      rows.push({ what, value: quantile(delays, 0.99), unit: 'ms p99', most: TARGET_MS, note });
    }
  }
  return rows;
}

/** Milliseconds; undefined where the sessions ended too soon. */
async function oneGate(
  { service, sessionOf }: Arena,
  sessions: number,
  { truth, output }: (typeof WAYS)[number],
): Promise<number | undefined> {
  const after = sessions === 1 ? 700 : 1500;
  const starting = Array.from({ length: sessions }, () => sessionOf('check', truth, after));
  const ids = await Promise.all(starting);
  const began = Date.now();
  const gate = startSonde(['sessions', 'wait', ...ids, ...output], { env: service.env });
  const exited = new Promise<number>((resolve) => gate.child.once('exit', () => resolve(Date.now())));
  const { code, stderr } = await gate.ended;
  if (code !== (truth === 'passed' ? 0 : 1)) throw new Error(`exit ${code}: ${stderr}`);
  const ends = ids.map(async (id) =>
    Date.parse((await service.make<{ stoppedAt: string }>(`GET /v2/check-sessions/${id}`)).stoppedAt),
  );
  const last = Math.max(...(await Promise.all(ends)));
  return last - began < READY_MS ? undefined : (await exited) - last;
}
