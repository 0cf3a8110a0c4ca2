/** A course of runs through agents whose lines are cut, who are killed and drained, with a service that is killed: and its account. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Apart, ApartAgent } from './world.ts';

export interface CourseOptions {
  /** How many runs at least. */
  readonly runs: number;
  /** How long they are spread over, in ms. */
  readonly spreadMs: number;
  /** Whether agents are killed while they run checks: what they held is made again five minutes later. */
  readonly kills: boolean;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface Account {
  readonly sessions: number;
  readonly runs: number;
  /** Runs that have no final result, or several: there must be none. */
  readonly wrong: readonly string[];
  /** Final results of the monitor's own fault, by what they say. */
  readonly errors: ReadonlyMap<string, number>;
  readonly passed: number;
  readonly happened: Readonly<Record<string, number>>;
  readonly left: number;
  readonly drains: readonly (number | null)[];
}

interface Session {
  readonly status: string;
  readonly results?: readonly {
    readonly runLocation: string;
    readonly resultType: string;
    readonly id: string;
  }[];
}

/** A chance that the seed repeats (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const OPEN = new Set(['STARTED', 'PROGRESS', 'PROGRESS_FAILED', 'PROGRESS_DEGRADED']);
/** The longest that a session of these checks takes. */
const LONGEST_MS = 10 * 60_000;

export async function runCourse(apart: Apart, options: CourseOptions): Promise<Account> {
  const { runs, spreadMs, kills, say } = options;
  const chance = chanceOf(options.seed);
  const started: { readonly id: string; readonly runs: number }[] = [];
  const happened: Record<string, number> = {};
  for (const agent of apart.agents) agent.start();

  const endsAt = performance.now() + spreadMs;
  async function load(): Promise<void> {
    let planned = 0;
    const between = spreadMs / Math.ceil(runs / 4);
    while (planned < runs) {
      const target = { checkId: apart.checks.map(({ id }) => id) };
      const { sessions } = await apart.api<{
        sessions: readonly { checkSessionId: string; checkId: string }[];
      }>('POST /v2/check-sessions/trigger', { target });
      for (const { checkSessionId: id, checkId } of sessions) {
        const check = apart.checks.find((one) => one.id === checkId);
        started.push({ id, runs: check?.runs ?? 0 });
        planned += check?.runs ?? 0;
      }
      await delay(between * 2 * chance());
    }
  }

  const mishaps: Readonly<Record<string, (agent: ApartAgent) => Promise<void>>> = {
    async 'line cut'({ island }) {
      await island.cut();
      await delay(500 + chance() * Math.min(15_000, spreadMs / 4));
      await island.restore();
    },
    async drained(agent) {
      await agent.drain();
      agent.start();
    },
    ...(kills
      ? {
          async killed(agent: ApartAgent) {
            await agent.kill();
            await delay(chance() * 3000);
            agent.start();
          },
        }
      : {}),
    async 'service killed'() {
      await apart.killService();
      await delay(chance() * 2000);
      await apart.startService();
    },
  };
  let serviceBusy = Promise.resolve();
  async function trouble(agent: ApartAgent): Promise<void> {
    const pause = Math.min(8000, spreadMs / 5);
    while (performance.now() < endsAt) {
      await delay(pause * (0.25 + chance()));
      const names = Object.keys(mishaps).filter(
        (name) => name !== 'service killed' || agent === apart.agents[0],
      );
      const name = names[Math.floor(chance() * names.length)] ?? 'line cut';
      happened[name] = (happened[name] ?? 0) + 1;
      say(`${agent.name}: ${name}`);
      if (name === 'service killed') serviceBusy = mishaps[name]?.(agent) ?? serviceBusy;
      await (name === 'service killed' ? serviceBusy : mishaps[name]?.(agent));
    }
  }

  await Promise.all([load(), ...apart.agents.map(trouble)]);
  say(`${started.length} sessions were started; they end now`);
  const wrong: string[] = [];
  const errors = new Map<string, number>();
  let passed = 0;
  const deadline = performance.now() + LONGEST_MS;
  for (const { id, runs: expected } of started) {
    let session = await apart.api<Session>(`GET /v2/check-sessions/${id}`);
    while (OPEN.has(session.status) && performance.now() < deadline) {
      await delay(250);
      session = await apart.api<Session>(`GET /v2/check-sessions/${id}`);
    }
    if (session.status === 'PASSED') passed += expected;
    else errors.set(session.status, (errors.get(session.status) ?? 0) + 1);
    const finals = (session.results ?? []).filter(({ resultType }) => resultType === 'FINAL');
    const places = new Set(finals.map(({ runLocation }) => runLocation));
    if (OPEN.has(session.status) || finals.length !== expected || places.size !== expected)
      wrong.push(`${id}: ${session.status} with ${finals.length} final results of ${expected} runs`);
  }
  await Promise.all(apart.agents.map((agent) => agent.drain()));
  return {
    ...{ sessions: started.length, wrong, errors, passed, happened },
    runs: started.reduce((sum, one) => sum + one.runs, 0),
    left: await apart.spooled(),
    drains: apart.agents.flatMap(({ ends }) => ends.drains),
  };
}
