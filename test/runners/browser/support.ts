/** Browser checks for tests: a runner over a real Chromium in real cells, and a site on loopback for them to look at. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync } from 'node:zlib';
import { pack } from 'tar-fs';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { type BrowserFinder, findBrowser } from '../../../src/runners/browser/find-browser.ts';
import {
  type BrowserCheck,
  type BrowserRunner,
  createBrowserRunner,
} from '../../../src/runners/browser/runner.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import type { DenyAddress } from '../../../src/runners/core/address-policy.ts';
import type { QueuedRunner, RunContext, RunFiles } from '../../../src/runners/core/runner.ts';
import { type Attempt, execute } from '../../../src/runners/execute.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { BINARY } from '../../support/binary.ts';
import { placeIn } from '../../support/left-files.ts';
import { evaluateInProcess } from '../../support/runners.ts';

const root = join(import.meta.dirname, '../../..');
export const PROGRAM = [process.execPath, join(BINARY, '../browser.cjs')] as const;

/** The longest that a browser check runs, in ms: enough on a slow machine. */
const LONGEST_MS = 240_000;

export interface TestRunner {
  readonly runner: BrowserRunner;
  /** Runs a check as the worker does; files that it leaves lie there until the runner is closed. */
  run(check: BrowserCheck, options?: RunOptions): Promise<Attempt>;
  readonly close: () => Promise<void>;
}

export interface RunOptions {
  readonly secrets?: readonly string[];
  /** Default: as long as a browser check may run. */
  readonly timeoutMs?: number;
  readonly stop?: AbortController;
  readonly context?: Partial<RunContext>;
}

export interface RunnerChanges {
  readonly level?: SandboxOptions['level'];
  readonly named?: string;
  /** Looks for the browser; left out: as the service does. */
  readonly find?: BrowserFinder;
  readonly warm?: number;
  /** Holds further runtimes. */
  readonly runtimes?: string;
  /** Runs multi-step checks: without a browser. */
  readonly isBare?: boolean;
  /** Its cells have no network, and this is what lies beyond their way out. */
  readonly denyAddress?: DenyAddress;
}

/** Opens a runner; the caller closes it. */
export async function openRunner({
  level = 'process',
  named,
  find,
  warm = 0,
  denyAddress,
  runtimes,
  isBare = false,
}: RunnerChanges = {}): Promise<TestRunner> {
  // A short path: Chromium makes a socket below it, and the path of a socket has 107 bytes at most.
  const folder = await mkdtemp(join(tmpdir(), 'b-'));
  const from = join(root, 'package.json');
  const { env, execPath } = process;
  const sandbox = await openCells(folder, level, denyAddress);
  const runner = createBrowserRunner({
    ...{ sandbox, clock: systemClock, program: PROGRAM, maxInUse: 2, warm },
    browser: isBare
      ? null
      : (find ?? (() => findBrowser({ executable: named, env, from, execPath, folder }))),
    runtimes: createRuntimes({ from, folder: runtimes ?? join(folder, 'runtimes'), env: process.env }),
    ...(denyAddress ? { denyAddress } : {}),
    onError: () => {},
  });
  const place = placeIn(join(folder, 'files'));
  return {
    runner,
    run: (check, options) => attemptOf(runner, check, place, options),
    async close() {
      await runner.close();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a sandbox whose cells are in a folder of the test. */
export function openCells(
  folder: string,
  level: SandboxOptions['level'],
  denyAddress: DenyAddress | undefined,
): Promise<Sandbox> {
  const { execPath, pid } = process;
  return openSandbox({
    level,
    folder: join(folder, 'cells'),
    readable: [root],
    network: denyAddress ? 'none' : 'machine',
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
}

/** Makes one attempt, from its turn to its end. */
export async function attemptOf<Check>(
  runner: QueuedRunner<Check>,
  check: Check,
  files: RunFiles,
  { timeoutMs = LONGEST_MS, secrets = [], stop = new AbortController(), context }: RunOptions = {},
): Promise<Attempt> {
  const turn = await runner.acquireSlot(check, stop.signal);
  try {
    const around = {
      clock: systemClock,
      evaluate: evaluateInProcess,
      location: 'eu-central-1',
      resolvers: () => [],
    };
    return await execute(
      turn.run,
      check,
      { ...around, ...{ timeoutMs, secrets, files }, ...context },
      { deadlineMs: LONGEST_MS, stop, secrets },
    );
  } finally {
    await turn.release();
  }
}

/** Opens a runner and a site before the tests of a file, and closes both after them. */
export function useShop(changes?: RunnerChanges) {
  let opened: readonly [Site, TestRunner];
  beforeAll(async () => {
    opened = await Promise.all([openSite(), openRunner(changes)]);
  });
  afterAll(() => Promise.all((opened ?? []).map(({ close }) => close())));
  return {
    get site() {
      return opened[0];
    },
    get checks() {
      return opened[1];
    },
  };
}

export interface Site {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Paths that were asked for, in their order. */
  readonly seen: readonly string[];
  /** Resolves once a path has been asked for. */
  visited(path: string): Promise<void>;
  readonly close: () => Promise<void>;
}

const PAGE = `<!doctype html><title>Shop</title><h1>Welcome</h1>
<form action="/signed-in"><input name="name"><button>Sign in</button></form>
<script>console.log('page is ready')</script>`;

/** A small shop. `/hang` never answers; `/loop` never yields; `/echo?…` shows what it was sent. */
export async function openSite(host = '127.0.0.1'): Promise<Site> {
  const seen: string[] = [];
  const looking = new Set<() => void>();
  const hung = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    seen.push(url);
    for (const look of looking) look();
    if (url.startsWith('/hang')) return void hung.add(response);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const { searchParams, pathname } = new URL(url, 'http://site');
    if (pathname === '/to') return response.writeHead(302, { location: url.slice('/to?'.length) }).end();
    if (pathname === '/loop')
      return response.end('<h1>Shop</h1><script>setTimeout(() => { while (true); }, 100)</script>');
    if (pathname === '/signed-in')
      return response.end(`<title>Hello</title><h1>Hello ${searchParams.get('name')}</h1>`);
    if (pathname === '/echo') {
      const shown = (searchParams.get('text') ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return response.end(
        `<title>echo</title><p>${shown}</p><script>console.log(${JSON.stringify(searchParams.get('text'))})</script>`,
      );
    }
    return response.end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://${host}:${port}`, seen },
    visited: (path) =>
      new Promise((resolve) => {
        const look = () => {
          if (seen.includes(path)) resolve();
        };
        looking.add(look);
        look();
      }),
    async close() {
      for (const response of hung) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a browser check's result holds. */
export interface BrowserDetails {
  readonly kind: string;
  readonly runtime: string;
  readonly browser: string;
  readonly tests: readonly {
    readonly title: string;
    readonly status: string;
    readonly errors: readonly string[];
  }[];
  readonly console: readonly { readonly from: string; readonly level: string; readonly text: string }[];
  readonly dropped: { readonly lines: number; readonly artifacts: number };
  readonly isolation: {
    readonly level: string;
    readonly chromiumSandbox: boolean;
    readonly keptReady: boolean;
  };
  readonly sslCheck: {
    readonly domain: string;
    readonly daysLeft: number | null;
    readonly problem: string | null;
  } | null;
}

export const detailsOf = (attempt: Attempt): BrowserDetails => attempt.details as unknown as BrowserDetails;

interface FakePackage {
  readonly version?: string;
  /** The lines of the shell script that stands in for the browser. */
  readonly program?: string;
  /** The user id that the files of the package's archives belong to. */
  readonly owner?: number;
  /** Whether the archive of the browser ends in its middle. */
  readonly isCut?: boolean;
  /** The code of the package, also of its npm scripts, which must not run. */
  readonly code?: string | undefined;
}

/** Puts a package into `node_modules` of a folder that has what `@sparticuz/chromium` has, without its 200 MB. Its code must not run. */
export const fakeChromiumPackage = (folder: string, about: FakePackage = {}): Promise<void> =>
  writeChromiumPackage(join(folder, 'node_modules/@sparticuz/chromium'), about);

/** The same as a folder of its own. */
export async function writeChromiumPackage(
  root: string,
  {
    version = '1.2.3',
    program = 'echo "Chromium 1.2.3"',
    owner = 0,
    isCut = false,
    code = "throw new Error('the package ran')",
  }: FakePackage = {},
): Promise<void> {
  mkdirSync(join(root, 'bin'), { recursive: true });
  const scripts = { preinstall: 'node index.js', install: 'node index.js', postinstall: 'node index.js' };
  const manifest = { name: '@sparticuz/chromium', version, main: 'index.js', scripts };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(root, 'index.js'), code);
  const browser = brotliCompressSync(`#!/bin/sh\n${program}\n`);
  writeFileSync(join(root, 'bin/chromium.br'), isCut ? browser.subarray(0, browser.length / 2) : browser);
  for (const name of ['fonts', 'swiftshader', 'al2023']) {
    const entries = [`${name}.so`];
    writeFileSync(join(root, `bin/${name}.so`), name, { mode: 0o700 });
    const archive = pack(join(root, 'bin'), {
      entries,
      map: (header) => ({ ...header, uid: owner, gid: owner }),
    });
    writeFileSync(join(root, `bin/${name}.tar.br`), brotliCompressSync(await buffer(archive)));
  }
}
