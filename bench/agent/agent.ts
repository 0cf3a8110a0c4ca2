/**
 * What an agent costs and how soon it begins: `npm run bench:agent [idle|busy|latency…]`, all where none is named. Exits 1 where
 * a target is missed. Some two minutes; nothing else should be busy on the machine.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ended, makeLocation, startAgent, startTarget } from '../../test/support/agents.ts';
import { type E2eService, startE2eService } from '../../test/support/e2e.ts';
import budgets from '../budgets.json';
import { peakMemory, processorSeconds, residentMemory } from '../gate/process.ts';
import { quantile, type Row } from '../gate/table.ts';
import { type Measure, measureParts, type Parts } from '../parts.ts';

interface World {
  readonly service: E2eService;
  readonly place: Awaited<ReturnType<typeof makeLocation>>;
  /** An agent that is stopped once the work with it is done. */
  withAgent<T>(flags: readonly string[], work: (pid: number) => Promise<T>): Promise<T>;
}

const IDLE_MS = 30_000;
const SETTLED_MS = 5000;
const BUSY_SESSIONS = 1000;
const SESSIONS_AT_ONCE = 20;
const SINGLE_SESSIONS = 300;

const cpuOf = (pid: number) => processorSeconds(pid) ?? Number.NaN;

/** Memory and processor's time while there is nothing to do. */
const measureIdle: Measure<World> = async ({ withAgent }) => {
  const rows: Row[] = [];
  for (const [kind, flags] of [
    ['--uptime', ['--uptime']],
    ['with browsers', []],
  ] as const) {
    await withAgent(flags, async (pid) => {
      await delay(SETTLED_MS);
      const before = cpuOf(pid);
      await delay(IDLE_MS);
      const share = ((cpuOf(pid) - before) * 100_000) / IDLE_MS;
      const memory = residentMemory(pid) ?? Number.NaN;
      rows.push(
        {
          what: `idle ${kind}: memory`,
          value: memory,
          unit: 'MB',
          ...(kind === '--uptime' ? budgets.agent.idleMemory : {}),
        },
        {
          what: `idle ${kind}: processor`,
          value: share,
          unit: '% of a core',
          ...budgets.agent.idleProcessor,
        },
      );
    });
  }
  return rows;
};

/** What a run costs the agent where it has as many as it takes. */
const measureBusy: Measure<World> = ({ service, place, withAgent }) =>
  withAgent(['--uptime', '--concurrency', '10'], async (pid) => {
    const before = cpuOf(pid);
    const began = performance.now();
    for (let done = 0; done < BUSY_SESSIONS; done += SESSIONS_AT_ONCE) {
      const sessions = await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, place.start));
      await Promise.all(sessions.map((session) => ended(service, session)));
    }
    const seconds = (performance.now() - began) / 1000;
    const cpu = cpuOf(pid) - before;
    return [
      {
        what: 'busy: runs',
        value: BUSY_SESSIONS / seconds,
        unit: 'a second',
        note: `${BUSY_SESSIONS} URL checks, 10 at once`,
      },
      { what: 'busy: processor a run', value: (cpu * 1000) / BUSY_SESSIONS, unit: 'ms' },
      { what: 'busy: memory now', value: residentMemory(pid) ?? Number.NaN, unit: 'MB' },
      {
        ...{ what: 'busy: memory at most', value: peakMemory(pid) ?? Number.NaN, unit: 'MB' },
        ...budgets.agent.busyMemory,
      },
    ];
  });

interface Told {
  readonly startedAt: string;
}

/** How soon a run begins in an agent that waits, from when it was planned. */
const measureLatency: Measure<World> = ({ service, place, withAgent }) =>
  withAgent(['--uptime'], async () => {
    const lateness: number[] = [];
    for (let done = 0; done < SINGLE_SESSIONS; done += 1) {
      const session = await place.start();
      await ended(service, session);
      const [result] = await place.results();
      const planned = await service.make<Told>(`GET /v2/check-sessions/${session}`);
      lateness.push(Date.parse(String(result?.startedAt)) - Date.parse(planned.startedAt));
    }
    const note = `${SINGLE_SESSIONS} sessions, one after the other`;
    return [
      {
        ...{ what: 'planned to begun: half within', value: quantile(lateness, 0.5), unit: 'ms', note },
        ...budgets.agent.delayMedian,
      },
      {
        ...{ what: 'planned to begun: 99 % within', value: quantile(lateness, 0.99), unit: 'ms' },
        ...budgets.agent.delayP99,
      },
    ];
  });

const PARTS: Parts<World> = {
  idle: measureIdle,
  busy: measureBusy,
  latency: measureLatency,
};

export const main = (given: readonly string[]): Promise<number> =>
  measureParts(PARTS, given, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-agent-'));
    const [service, target] = await Promise.all([startE2eService('--rate-limit', '1000000'), startTarget()]);
    const place = await makeLocation(service, 'bench', target.url);
    let agents = 0;
    const world: World = {
      ...{ service, place },
      async withAgent(flags, work) {
        agents += 1;
        const home = join(folder, String(agents));
        await mkdir(home);
        const agent = await startAgent({ key: place.key, url: service.url, home }, flags);
        try {
          return await work(agent.pid);
        } finally {
          agent.child.kill('SIGTERM');
          await agent.ended;
        }
      },
    };
    return {
      world,
      async close() {
        target.close();
        await service.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  });
