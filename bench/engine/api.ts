/** Reads over HTTP beside a bare fastify that serves the same answer as a constant. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import budgets from '../budgets.json';
import { processorSeconds } from '../gate/process.ts';
import type { Row } from '../gate/table.ts';
import { dnsCheck } from './kinds.ts';
import { load } from './load.ts';
import type { Targets } from './targets.ts';
import { type BenchService, type Filled, filledStore, untilEnded } from './world.ts';

const SLICE = 4000;
const SLICES = 4;
const WARM = 4000;
/** So many spellings of one address: more than are remembered. */
const SPELLINGS = 4000;

interface Served {
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** A bare fastify that serves this. */
async function startBare(constant: string) {
  const child = spawn(process.execPath, ['bench/engine/bare.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(constant);
  const [url] = await new Promise<[string]>((resolve) =>
    createInterface({ input: child.stdout }).once('line', (line) => resolve([line])),
  );
  return { urls: [url], headers: {}, pid: child.pid ?? 0, stop: () => child.kill() };
}

/**
 * Seconds on the processor of each for all its requests: in turns of a slice each, so that whatever else the machine does
 * meets all of them.
 */
async function inTurns(served: readonly Served[]): Promise<readonly number[]> {
  for (const { urls, headers } of served) await load(urls, headers, WARM);
  const used = served.map(() => 0);
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const [place, { urls, headers, pid }] of served.entries()) {
      const before = processorSeconds(pid) ?? 0;
      await load(urls, headers, SLICE);
      used[place] = (used[place] ?? 0) + (processorSeconds(pid) ?? 0) - before;
    }
  }
  return used;
}

/** One of many addresses that mean the same: an id is the same in any case, and what stands between two `&` may be nothing. */
function spelt(url: string, n: number): string {
  let bits = n % 64;
  const id = url.slice(-36).replaceAll(/[a-f]/g, (letter) => {
    const isUpper = bits % 2 === 1;
    bits = Math.floor(bits / 2);
    return isUpper ? letter.toUpperCase() : letter;
  });
  return `${url.slice(0, -36)}${id}?${'&'.repeat(n / 64)}`;
}

async function compared(service: BenchService, { key }: Filled, path: string, what: string): Promise<Row[]> {
  const headers = { authorization: `Bearer ${key}` };
  const url = service.url + path;
  const bare = await startBare(await (await fetch(url, { headers })).text());
  // What is asked for under another address each time is read from the store as if it had just been written.
  const spellings = Array.from({ length: SPELLINGS }, (_, n) => spelt(url, n));
  try {
    const [known = Number.NaN, anew = Number.NaN, constant = Number.NaN] = await inTurns([
      { urls: [url], headers, pid: service.pid },
      { urls: spellings, headers, pid: service.pid },
      bare,
    ]);
    const each = (seconds: number) => (seconds / (SLICE * SLICES)) * 1e6;
    const note = `${each(known).toFixed(0)} and ${each(constant).toFixed(0)} µs of processor each`;
    return [
      {
        ...{ what: `${what}, not written since: share of bare fastify`, value: constant / known, unit: '' },
        ...budgets.reads.unchanged,
        note,
      },
      {
        ...{ what: `${what}, read anew: share of bare fastify`, value: constant / anew, unit: '' },
        ...budgets.reads.anew,
        note: `${each(anew).toFixed(0)} µs`,
      },
    ];
  } finally {
    bare.stop();
  }
}

export async function measureApi({ names }: Targets): Promise<readonly Row[]> {
  const filled = await filledStore(200, () => ({
    check: dnsCheck(names, { frequency: 1440, frequencyOffset: 1 }),
    nextRunAt: Date.now() - 1000,
  }));
  const service = await filled.start();
  try {
    await untilEnded(service, 200);
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
