/**
 * How long after the end of its last session the process of a gate has ended. The clock is the machine's: the end is the
 * session's `stoppedAt` as the service tells it, which it takes before it writes the end down.
 */
import { plural } from '../../src/base/plural.ts';
import { startSonde } from '../../test/support/binary.ts';
import type { Arena, Delay } from '../../test/support/storm/arena.ts';
import { quantile, type Row } from './table.ts';

const TARGET_MS = 100;
/** For how many sessions in one gate, how often, and how soon they end, in ms: a gate must be waiting by then. */
const CASES = [
  { sessions: 1, rounds: 100, after: 700 },
  { sessions: 10, rounds: 100, after: 700 },
  { sessions: 50, rounds: 100, after: 1000 },
] as const;
/** A gate that had so little time before the end may not have been waiting yet, in ms. */
const READY_MS = 400;

/** How a gate is called, and how its sessions end. */
const WAYS = [
  { truth: 'passed', output: [] },
  { truth: 'failed', output: [] },
  { truth: 'passed', output: ['--json'] },
  { truth: 'failed', output: ['--json'] },
] as const;
type Way = (typeof WAYS)[number];

/** What one round came to, in ms after the last end: when the gate's process was gone, and when a bare poll was answered. */
interface Round {
  readonly truth: Way['truth'];
  readonly exit: number;
  readonly answer: number;
}

export async function measureDelay(arena: Arena): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { sessions, rounds, after } of CASES) {
    const done: Round[] = [];
    // A machine that is too busy to start a gate in time measures nothing.
    for (let tries = 0; done.length < rounds && tries < 3 * rounds; tries++) {
      const way = WAYS[done.length % WAYS.length] ?? WAYS[0];
      const round = await oneGate(arena, way, sessions, after);
      if (round) done.push(round);
    }
    rows.push(rowOf(sessions, done));
  }
  return rows;
}

function rowOf(sessions: number, rounds: readonly Round[]): Row {
  const exits = rounds.map(({ exit }) => exit);
  const answers = rounds.map(({ answer }) => answer);
  const half = (truth: Way['truth']) =>
    quantile(
      rounds.filter((round) => round.truth === truth).map(({ exit }) => exit),
      0.5,
    );
  return {
    what: `Delay to the exit, ${plural(sessions, 'session')}`,
    value: quantile(exits, 0.99),
    unit: 'ms p99',
    most: TARGET_MS,
    note:
      `${rounds.length} runs, p50 ${quantile(exits, 0.5)} (passed ${half('passed')}, failed ${half('failed')}), ` +
      `most ${Math.max(...exits)}; a bare poll: p50 ${quantile(answers, 0.5)}, p99 ${quantile(answers, 0.99)}`,
  };
}

/** One gate to its end; undefined where the sessions ended too soon. */
async function oneGate(
  { service, sessionOf }: Arena,
  { truth, output }: Way,
  sessions: number,
  after: Delay,
): Promise<Round | undefined> {
  const ids = await Promise.all(Array.from({ length: sessions }, () => sessionOf('check', truth, after)));
  const began = Date.now();
  const gate = startSonde(['sessions', 'wait', ...ids, ...output], { env: service.env });
  const exited = new Promise<number>((resolve) => gate.child.once('exit', () => resolve(Date.now())));
  const endOf = async (id: string): Promise<number> =>
    Date.parse(
      (await service.make<{ stoppedAt: string }>(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`))
        .stoppedAt,
    );
  const polled = endOf(ids.at(-1) ?? '').then((end) => Date.now() - end);
  const { code, stderr } = await gate.ended;
  if (code !== (truth === 'passed' ? 0 : 1)) throw new Error(`exit ${code}: ${stderr}`);
  const last = Math.max(...(await Promise.all(ids.map(endOf))));
  if (last - began < READY_MS) return undefined;
  return { truth, exit: (await exited) - last, answer: await polled };
}
