/** Reads over HTTP beside a bare fastify that serves the same answer as a constant. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Knot } from '../../test/support/dns/knot.ts';
import { processorSeconds } from '../gate/process.ts';
import type { Row } from '../gate/table.ts';
import { load } from './load.ts';
import { type BenchService, dnsCheck, type Filled, filledStore, until } from './world.ts';

const REQUESTS = 20_000;
const WARM = 3000;

interface Served {
  readonly url: string;
  readonly pid: number;
}

interface Speed {
  readonly perSecond: number;
  /** Requests for one second of the server's own time on the processor. */
  readonly perCpuSecond: number;
}

async function speedOf({ pid, url }: Served, headers: Readonly<Record<string, string>>): Promise<Speed> {
  await load(url, headers, WARM);
  const cpu = processorSeconds(pid) ?? 0;
  const seconds = await load(url, headers, REQUESTS);
  const used = (processorSeconds(pid) ?? 0) - cpu;
  return { perSecond: REQUESTS / seconds, perCpuSecond: REQUESTS / used };
}

/** The speed of a bare fastify that serves this. */
async function bareSpeed(constant: string): Promise<Speed> {
  const child = spawn(process.execPath, ['bench/engine/bare.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(constant);
  try {
    const [url] = await new Promise<[string]>((resolve) =>
      createInterface({ input: child.stdout }).once('line', (line) => resolve([line])),
    );
    return await speedOf({ url, pid: child.pid ?? 0 }, {});
  } finally {
    child.kill();
  }
}

async function compared(service: BenchService, { key }: Filled, path: string, what: string): Promise<Row[]> {
  const headers = { authorization: `Bearer ${key}` };
  const url = service.url + path;
  const constant = await (await fetch(url, { headers })).text();
  const own = await speedOf({ url, pid: service.pid }, headers);
  const bare = await bareSpeed(constant);
  const note = `${Math.round(own.perCpuSecond)} and ${Math.round(bare.perCpuSecond)} for a second of processor`;
  return [
    { what: `${what}: read`, value: own.perSecond, unit: '/s' },
    { what: `${what}: bare fastify`, value: bare.perSecond, unit: '/s' },
    {
      ...{ what: `${what}: share of bare fastify`, value: own.perCpuSecond / bare.perCpuSecond, unit: '' },
      ...{ least: 0.5, note },
    },
  ];
}

export async function measureApi(names: Knot): Promise<readonly Row[]> {
  const filled = await filledStore(200, () => ({
    check: dnsCheck(names, { frequency: 1440, frequencyOffset: 1 }),
    nextRunAt: Date.now() - 1000,
  }));
  const service = await filled.start();
  try {
    await until(async () => ((await service.counts()).sessions_ended_total ?? 0) >= 200, 100, 60_000);
    const get = async (path: string) =>
      (await fetch(service.url + path, { headers: { authorization: `Bearer ${filled.key}` } })).json();
    const [check] = (await get('/v1/checks?limit=1')) as { id: string }[];
    const { entries } = (await get('/v2/check-sessions?limit=1')) as {
      entries: { checkSessionId: string }[];
    };
    return [
      ...(await compared(service, filled, `/v1/checks/${check?.id}`, 'A check')),
      ...(await compared(
        service,
        filled,
        `/v2/check-sessions/${entries[0]?.checkSessionId}`,
        'A check session',
      )),
    ];
  } finally {
    await service.stop();
    await filled.remove();
  }
}
