/** The built service as a process that is killed and started again over one data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listProfiles } from '../../../src/profiles/store.ts';
import { type ProcessStat, readProcessStat } from '../../../src/sandbox/cell/procfs.ts';
import { BINARY } from '../binary.ts';
import type { Probe } from './samples.ts';

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
  /** The process that runs; undefined where none does. */
  readonly pid: number | undefined;
  /** All processes of it that there ever were. */
  readonly began: readonly Pick<ProcessStat, 'pid' | 'startedAt'>[];
  /** What it holds after a collection of garbage; undefined where it does not run or does not answer. */
  probe(): Promise<Probe | undefined>;
  /** Sets its clock so many seconds off this machine's. */
  setClock(seconds: number): void;
  /** Its clock now, ms since the epoch. */
  now(): number;
  /** What it logged as errors, as JSON lines. */
  readonly errors: readonly string[];
}

const PORT_WAIT_MS = 180_000;
const PROBE_WAIT_MS = 20_000;
const PROBE = resolve('test/support/endurance/probe.cjs');
const CLOCK = resolve('test/support/endurance/clock.cjs');
export const MAIL_FROM = 'sonde@example.com';

/** Where the service puts what is temporary: in the end nothing may be there. */
export const temporaryOf = (home: string): string => join(home, 'tmp');
export interface EnduringOptions {
  /** Holds the profile, the clock and the temporary files. */
  readonly home: string;
  readonly data: string;
  /** `host:port` */
  readonly resolver: string;
  readonly port: number;
  readonly smtpPort: number;
}

export function enduringService({ home, data, resolver, port, smtpPort }: EnduringOptions): EnduringService {
  const began: Pick<ProcessStat, 'pid' | 'startedAt'>[] = [];
  let ahead = 0;
  const clockFile = join(home, 'clock');
  const errors: string[] = [];
  let child: ChildProcess | undefined;
  let apiKey = '';
  const setClock = (seconds: number) => {
    writeFileSync(`${clockFile}.new`, `${seconds}\n`);
    renameSync(`${clockFile}.new`, clockFile);
    ahead = seconds * 1000;
  };
  setClock(0);

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
    const own = spawn(
      process.execPath,
      [
        '--require',
        CLOCK,
        '--require',
        PROBE,
        BINARY,
        ...words,
        '--rate-limit',
        '1000000',
        '--log-level',
        'error',
      ],
      {
        env: {
          ...{ PATH: process.env.PATH, HOME: home, TMPDIR: temporaryOf(home) },
          ...{ SONDE_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, SONDE_MAIL_FROM: MAIL_FROM },
          CLOCK_FILE: clockFile,
        },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    );
    const facts = own.pid === undefined ? undefined : readProcessStat(own.pid);
    if (facts !== undefined) began.push(facts);
    return own;
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
        if (said.includes('this service')) resolve();
      });
      own.once('exit', () => reject(new Error(`the service ended: ${said}`)));
      setTimeout(() => reject(new Error(`the service was not ready in time: ${said}`)), PORT_WAIT_MS).unref();
    });
    own.once('exit', () => {
      if (child === own) child = undefined;
    });
    await ready;
    const { profiles } = listProfiles({ env: {}, home, warn: () => {} });
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
        if (said.includes('this service')) own.kill('SIGKILL');
      });
      const [code] = (await once(own, 'exit')) as [number | null];
      return { code, said };
    },
    get pid() {
      return child?.pid;
    },
    began,
    async probe() {
      const own = child;
      if (own?.connected !== true) return undefined;
      const over = new AbortController();
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(PROBE_WAIT_MS)]);
      const told = once(own, 'message', { signal });
      const died = once(own, 'exit', { signal }).then(() => undefined);
      for (const one of [told, died]) one.catch(() => {});
      own.send('probe', () => {});
      const message = await Promise.race([told, died]).catch(() => undefined);
      over.abort();
      const found = message?.[0] as (Omit<Probe, 'at' | 'heapMb'> & { readonly heap: number }) | undefined;
      if (found?.heap === undefined) return undefined;
      const { heap, ...counts } = found;
      return { ...counts, heapMb: heap / 1024 ** 2, at: performance.now() };
    },
    now: () => Date.now() + ahead,
    setClock,
    errors,
  };
}
