/** The built service as a process that is killed and started again over one data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProfiles } from '../../../src/profiles/store.ts';
import { BINARY } from '../binary.ts';

export interface EnduringService {
  readonly url: string;
  readonly apiKey: string;
  /** Whether a process of it runs now. */
  isUp(): boolean;
  start(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM; its exit code. */
  stop(): Promise<number | null>;
  /** Starts it where it must refuse: its exit code, and what it said. */
  refused(): Promise<{ readonly code: number | null; readonly said: string }>;
  /** Resident memory of the process in MB; undefined where it does not run. */
  memory(): number | undefined;
  /** Sets its clock so many seconds off this machine's; false where faketime is not installed. */
  setClock(seconds: number): boolean;
  /** What it logged as errors, as JSON lines. */
  readonly errors: readonly string[];
}

const PORT_WAIT_MS = 30_000;
const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find(existsSync);

export function enduringService(home: string, data: string, resolver: string, port: number): EnduringService {
  const clockFile = join(home, 'clock');
  const errors: string[] = [];
  let child: ChildProcess | undefined;
  let apiKey = '';
  const setClock = (seconds: number) => {
    writeFileSync(`${clockFile}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${clockFile}.new`, clockFile);
    return FAKETIME !== undefined;
  };
  setClock(0);
  const faked = {
    ...{ LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clockFile, FAKETIME_CACHE_DURATION: '1' },
    // Durations are measured by the steady clock, which no one can set.
    ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' },
  };

  function launch(): ChildProcess {
    const words = [
      'service',
      'start',
      '--listen',
      `127.0.0.1:${port}`,
      '--data',
      data,
      '--resolver',
      resolver,
    ];
    return spawn(process.execPath, [BINARY, ...words, '--rate-limit', '1000000', '--log-level', 'error'], {
      env: { PATH: process.env.PATH, HOME: home, ...(FAKETIME === undefined ? {} : faked) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  async function start(): Promise<void> {
    const own = launch();
    child = own;
    let said = '';
    const ready = new Promise<void>((resolve, reject) => {
      own.stderr?.on('data', (chunk: Buffer) => {
        if (said.length < 10_000) said += chunk;
        for (const line of String(chunk).split('\n'))
          if (line.startsWith('{')) errors.push(line.slice(0, 2000));
        if (said.includes('leads here')) resolve();
      });
      own.once('exit', () => reject(new Error(`the service ended: ${said}`)));
      setTimeout(() => reject(new Error(`the service was not ready in time: ${said}`)), PORT_WAIT_MS).unref();
    });
    own.once('exit', () => {
      if (child === own) child = undefined;
    });
    await ready;
    const { profiles } = await listProfiles({ env: {}, home, warn: () => {} });
    apiKey = profiles.get('local')?.apiKey?.reveal() ?? '';
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const own = child;
    if (own === undefined) return null;
    const ended = once(own, 'exit');
    own.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    get apiKey() {
      return apiKey;
    },
    isUp: () => child !== undefined,
    start,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    async refused() {
      const own = launch();
      let said = '';
      own.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
        // It must not start: then it is not left behind.
        if (said.includes('leads here')) own.kill('SIGKILL');
      });
      const [code] = (await once(own, 'exit')) as [number | null];
      return { code, said };
    },
    memory() {
      if (child?.pid === undefined) return undefined;
      try {
        const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
        return kib === undefined ? undefined : Number(kib) / 1024;
      } catch {
        return undefined;
      }
    },
    setClock,
    errors,
  };
}
