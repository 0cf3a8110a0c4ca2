/** What the engine is measured in: a name server and a service, each a process of its own, over a store filled beforehand. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { openStore, type Store, type TypedCheckBody } from '../../src/service/store/index.ts';
import { bareEnv, type Running, startSonde } from '../../test/support/binary.ts';
import { type Knot, startKnot } from '../../test/support/dns/knot.ts';
import { processorSeconds } from '../gate/process.ts';

export const ZONE = 'bench.test';
const ZONE_TEXT = `$ORIGIN ${ZONE}.
@ 60 IN SOA ns hostmaster 1 3600 600 86400 60
@ 60 IN NS ns
ns 60 IN A 127.0.0.1
www 60 IN A 192.0.2.7
`;

/** Knot, with one small zone. @throws Error where it is not installed. */
export async function startNames(): Promise<Knot> {
  const names = await startKnot({ [ZONE]: ZONE_TEXT });
  if (names === undefined) throw new Error('knotd is not there: apt-get install knot');
  return names;
}

/** A check as a user has it: one question, judged by its code and its answer. */
export function dnsCheck(names: Knot, schedule: object): TypedCheckBody {
  return {
    type: 'DNS',
    body: {
      name: `www.${ZONE}`,
      heartbeat: {},
      script: '',
      tags: ['bench', 'dns'],
      locations: ['eu-west-1'],
      request: {
        query: `www.${ZONE}`,
        recordType: 'A',
        nameServer: names.address,
        port: names.port,
        assertions: [
          { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
          { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.2.7' },
        ],
      },
      ...schedule,
    },
  } as TypedCheckBody;
}

/** The engine's counts as `/metrics` tells them, without their prefix. */
export type Counts = Readonly<Record<string, number>>;

export interface BenchService {
  readonly url: string;
  readonly pid: number;
  /** Seconds on the processor since its start. */
  cpu(): number;
  counts(): Promise<Counts>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface Filled {
  readonly accountId: string;
  readonly key: string;
  /** Opens the store itself, while no service runs over it. */
  open(): Promise<Store>;
  /** Starts the service over it; resolves once it listens. */
  start(): Promise<BenchService>;
  remove(): Promise<void>;
}

/** A store with so many of the checks that `make` gives, the nth with its tick. */
export async function filledStore(
  count: number,
  make: (place: number) => { readonly check: TypedCheckBody; readonly nextRunAt: number | null },
): Promise<Filled> {
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
    start: () => startService(bareEnv(home), data),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const FLAGS = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--rate-limit', '1000000'];

/** Starts the service; resolves once it listens. */
export async function startService(env: Record<string, string>, data: string): Promise<BenchService> {
  const service: Running = startSonde(['service', 'start', ...FLAGS, '--data', data], { env });
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

/** Looks again and again until it holds; throws where it does not within the time. */
export async function until(holds: () => Promise<boolean>, everyMs: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not come to that within ${withinMs} ms`);
    await delay(everyMs);
  }
}
