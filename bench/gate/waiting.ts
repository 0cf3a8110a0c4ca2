/** What a gate costs while it waits: requests, memory, processor. All of them wait at the same time: they are idle. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { plural } from '../../src/base/plural.ts';
import { BINARY, bareEnv, startSonde } from '../../test/support/binary.ts';
import { type FaultProxy, startFaultProxy } from '../../test/support/fault-proxy/proxy.ts';
import type { Arena } from '../../test/support/storm/arena.ts';
import { peakMemory, processorSeconds } from './process.ts';
import type { Row } from './table.ts';

/** After the first question, which every gate asks at once: from when to when requests are counted, in ms. */
const [FROM, TO] = [600, 120_600];
/** From when to when the processor is looked at: a minute, once all have started. */
const [CPU_FROM, CPU_TO] = [10_000, 70_000];
/** How often the memory is looked at. */
const MEMORY_EVERY_MS = 100;
const MOST_MEMORY_MB = 150;

interface Waiting {
  readonly sessions: number;
  readonly where: 'pipe' | 'terminal';
  /** The service answers 408 to everything, at once. */
  readonly hasty?: boolean;
  /** When it gives up, in seconds; longer than it is looked at where left out. */
  readonly timeoutS?: number;
}

interface Measured extends Waiting {
  /** Requests from FROM to TO. */
  readonly requests: number;
  readonly peakMb: number;
  readonly cpuSeconds: number;
}

export async function measureWaiting(arena: Arena): Promise<readonly Row[]> {
  const cases: readonly Waiting[] = [
    { sessions: 1, where: 'pipe' },
    { sessions: 1, where: 'terminal' },
    { sessions: 50, where: 'pipe' },
    { sessions: 50, where: 'terminal' },
    { sessions: 100, where: 'pipe' },
    { sessions: 1000, where: 'pipe', timeoutS: 115 },
    { sessions: 1, where: 'pipe', hasty: true },
    { sessions: 1, where: 'terminal', hasty: true },
    { sessions: 10, where: 'pipe', hasty: true },
  ];
  const ids: string[] = [];
  while (ids.length < 1000) {
    const more = Array.from({ length: 50 }, () => arena.sessionOf('check', 'endless'));
    ids.push(...(await Promise.all(more)));
  }
  // They start one after the other, so that none is slow by the others' start.
  const running: Promise<Measured>[] = [];
  for (const each of cases) {
    running.push(measure(each, ids.slice(0, each.sessions), arena));
    await delay(1000);
  }
  return [...(await Promise.all(running)).flatMap(rowsOf), await bareNode()];
}

const minutes = (TO - FROM) / 60_000;

function rowsOf({ sessions, where, hasty, requests, peakMb, cpuSeconds }: Measured): readonly Row[] {
  const who = `${plural(sessions, 'session')}, ${where}`;
  const perSecond = requests / minutes / 60;
  if (hasty) {
    const what = `Requests of ${who}, 408 at once`;
    return [{ what, value: perSecond / sessions, unit: '/s session', most: 1 }];
  }
  const perMinute = requests / minutes / sessions;
  const usage = [
    { what: `Memory of ${who}`, value: peakMb, unit: 'MB peak', most: MOST_MEMORY_MB },
    { what: `Processor of ${who}`, value: cpuSeconds, unit: 's a minute' },
  ];
  const isListed = sessions > 50;
  const asked: Row = isListed
    ? { what: `Requests of ${who}, listed`, value: perMinute * minutes, unit: '/session', most: 0.3 }
    : {
        what: `Requests of ${who}`,
        value: perMinute,
        unit: '/min session',
        most: where === 'terminal' ? 4 : 2,
      };
  return [asked, ...usage];
}

async function measure(waiting: Waiting, ids: readonly string[], { service }: Arena): Promise<Measured> {
  const proxy = await startFaultProxy({
    service: service.url,
    schedule: { steps: [], afterwards: { name: waiting.hasty ? 'instant 408' : 'pass' } },
  });
  const gate = startGate(waiting, ids, proxy, service.key, service.accountId);
  let peakMb = Number.NaN;
  const watching = setInterval(() => {
    peakMb = peakMemory(gate.pid) ?? peakMb;
  }, MEMORY_EVERY_MS);
  const at = async <T>(ms: number, look: () => T): Promise<T> => {
    await delay(ms);
    return look();
  };
  while (proxy.firstSeen() === undefined) await delay(5);
  const cpu = () => processorSeconds(gate.pid) ?? Number.NaN;
  const [before, after, cpuBefore, cpuAfter] = await Promise.all([
    at(FROM, proxy.requests),
    at(TO, proxy.requests),
    at(CPU_FROM, cpu),
    at(CPU_TO, cpu),
  ]);
  gate.kill();
  clearInterval(watching);
  await proxy.close();
  return { ...waiting, requests: after - before, peakMb, cpuSeconds: cpuAfter - cpuBefore };
}

function startGate(
  { where, timeoutS = 300 }: Waiting,
  ids: readonly string[],
  proxy: FaultProxy,
  key: string,
  accountId: string,
): { readonly pid: number; readonly kill: () => void } {
  const env = bareEnv('/nonexistent', {
    SONDE_BASE_URL: proxy.url,
    SONDE_API_KEY: key,
    SONDE_ACCOUNT_ID: accountId,
  });
  const args = ['sessions', 'wait', '--timeout', `${timeoutS}s`];
  if (where === 'pipe') {
    const { pid, child } = startSonde([...args, '-'], { env, cwd: '/', stdin: `${ids.join('\n')}\n` });
    return { pid, kill: () => void child.kill('SIGKILL') };
  }
  const terminal = spawnInTerminal(process.execPath, [BINARY, ...args, ...ids], {
    ...{ name: 'xterm-256color', cols: 120, rows: 40, cwd: '/' },
    env: { ...env, TERM: 'xterm-256color' },
  });
  terminal.onData(() => {});
  return { pid: terminal.pid, kill: () => terminal.kill('SIGKILL') };
}

/** What a Node that does nothing needs. */
async function bareNode(): Promise<Row> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: bareEnv('/nonexistent'),
  });
  await delay(1000);
  const value = peakMemory(child.pid ?? 0) ?? Number.NaN;
  child.kill('SIGKILL');
  return { what: 'Memory of a Node that does nothing', value, unit: 'MB peak' };
}
