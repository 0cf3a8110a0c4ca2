/** Runs a service in a separate process on a store with checks. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { openStore, type Store, type TypedCheckBody } from '../../src/service/store/index.ts';
import { bareEnv, type Env, type Running, startSonde } from '../../test/support/binary.ts';
import { processorSeconds } from '../gate/process.ts';

/** Counters of `/metrics`, without their prefix. */
export type Counts = Readonly<Record<string, number>>;

export interface BenchService {
  readonly url: string;
  readonly pid: number;
  /** Returns the processor time since its start, in s. */
  cpu(): number;
  /** Returns the counters. It costs the service much with many checks: never poll it during a measurement. */
  counts(): Promise<Counts>;
  /** Returns the number of runs in progress and waiting. It costs the service little. */
  pending(): Promise<number>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface Filled {
  readonly accountId: string;
  readonly key: string;
  /** Opens the store while no service runs on it. */
  open(): Promise<Store>;
  /** Starts the service, with more flags; resolves once it listens. */
  start(env?: Env, flags?: readonly string[]): Promise<BenchService>;
  remove(): Promise<void>;
}

/** A check and its next tick in ms since the epoch; null if the service sets it. */
export interface Scheduled {
  readonly check: TypedCheckBody;
  readonly nextRunAt: number | null;
}

/** Creates a store with checks; `make` gets their place. */
export async function filledStore(count: number, make: (place: number) => Scheduled): Promise<Filled> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-engine-'));
  const [home, data] = [join(folder, 'home'), join(folder, 'data')];
  await mkdir(home);
  await mkdir(data, { mode: 0o700 });
  const open = () =>
    openStore({ path: join(data, 'service.db') }, { clock: systemClock, random: systemRandom });
  const store = await open();
  const { accountId, key } = await store.transaction(async (tx) => {
    const account = await tx.accounts.create('bench');
    for (let place = 0; place < count; place += 1) {
      const { check, nextRunAt } = make(place);
      await tx.checks.create(account.id, check, { nextRunAt });
    }
    return { accountId: account.id, key: (await tx.keys.create(account.id, 'bench')).secret };
  });
  await store.close();
  return {
    accountId,
    key,
    open,
    start: (env = {}, flags = []) => startService(bareEnv(home, env), data, key, flags),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Metrics without series of checks: a scrape with thousands of checks would cost more than the measured work. */
const FLAGS = [
  ...['--listen', '127.0.0.1:0', '--rate-limit', '1000000'],
  ...['--metrics-listen', '127.0.0.1:0', '--metrics-checks', '0'],
];

/** Starts the service; resolves once it listens. */
export async function startService(
  env: Record<string, string>,
  data: string,
  key: string,
  flags: readonly string[] = [],
): Promise<BenchService> {
  const service: Running = startSonde(['service', 'start', ...FLAGS, ...flags, '--data', data], { env });
  await service.saw('Listening on http');
  const url = /Listening on (\S+?)\.\s/.exec(service.stderr())?.[1] ?? '';
  await service.saw('Metrics without a key');
  const metricsUrl = /Metrics without a key: (\S+)/.exec(service.stderr())?.[1] ?? '';
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    service.child.kill(signal);
    await service.ended;
  };
  return {
    url,
    pid: service.pid,
    cpu: () => processorSeconds(service.pid) ?? Number.NaN,
    async counts() {
      return countsOf(await (await fetch(metricsUrl)).text());
    },
    async pending() {
      const answer = await fetch(`${url}/health`, { headers: { authorization: `Bearer ${key}` } });
      const { active, queued } = (await answer.json()) as {
        readonly active: number;
        readonly queued: number;
      };
      return active + queued;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function countsOf(text: string): Counts {
  const counts: Record<string, number> = {};
  for (const [, name = '', value] of text.matchAll(/^sonde_(\w+)(?:\{[^}]*\})? (\S+)$/gm)) {
    counts[name] = (counts[name] ?? 0) + Number(value);
  }
  return counts;
}

/** Waits until this many sessions have ended. Reads the counters only if nothing is pending. */
export const untilEnded = (service: BenchService, sessions: number): Promise<void> =>
  until(
    async () =>
      (await service.pending()) === 0 && ((await service.counts()).sessions_ended_total ?? 0) >= sessions,
    250,
    300_000,
  );

/** Polls until the condition holds. @throws Error if it does not hold in time. */
export async function until(holds: () => Promise<boolean>, everyMs: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`the condition did not hold within ${withinMs} ms`);
    await delay(everyMs);
  }
}
