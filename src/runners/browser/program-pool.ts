/** Manages the programs that run scripts, one in each cell. Some are ready before there is a script. */

import { dirname } from 'node:path';
import { raceWithAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { mayImportPackage } from '../../contract/script-packages.ts';
import {
  type Cell,
  createPool,
  type Pool,
  type Sandbox,
  SandboxError,
  type WarmCell,
} from '../../sandbox/index.ts';
import type { DenyAddress } from '../core/address-policy.ts';
import { CannotRun, type RunContext } from '../core/runner.ts';
import { type Egress, openEgress } from './egress.ts';
import { type BrowserFinder, browserFolders, type FoundBrowser } from './find-browser.ts';
import { NoBrowser, type Program, startProgram } from './program.ts';
import type { BrowserJob, Preparation, ScriptKind } from './protocol.ts';
import type { InstalledRuntime, Runtimes } from './runtimes.ts';

export interface ProgramPoolOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly program: readonly [string, ...string[]];
  readonly runtimes: Runtimes;
  /** Called before each run, so that a newly installed browser is used. Null: scripts get no browser. */
  readonly browser: BrowserFinder | null;
  readonly maxInUse: number;
  /** Number of programs that are kept ready. */
  readonly warm: number;
  /** Returns why no script may run now, as a sentence without a full stop; undefined if scripts may run. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  /** Denies addresses to scripts and their browsers, if cells have no network; undefined: no address is denied. */
  readonly denyAddress?: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

interface ReadyProgram {
  readonly program: Program;
  readonly executablePath: string | undefined;
  readonly egress: Egress | undefined;
}

export interface AcquiredProgram {
  readonly runtime: InstalledRuntime;
  readonly warm: WarmCell<ReadyProgram>;
  /** Ends the program and everything that its script left behind. */
  release(): Promise<void>;
}

export type ProgramPool = ReturnType<typeof createProgramPool>;

const IDLE_MS = 30 * 60_000;
/** Playwright writes a trace and then packs it, so the disk holds both beside the browser's files. */
const CELL_LIMITS = { memoryBytes: 2 * 1024 ** 3, diskBytes: 768 * 1024 ** 2, fileBytes: 256 * 1024 ** 2 };
/** Name of the egress socket in a cell without a network. */
const EGRESS_SOCKET = 'way-out';

export function createProgramPool(options: ProgramPoolOptions) {
  const { sandbox, clock, runtimes, onError } = options;
  const packages = runtimes.packages(dirname(options.program[1] ?? ''));
  const pools = new Map<string, Pool<ReadyProgram>>();
  let browser: FoundBrowser | undefined;
  /** The browser of each cell. */
  const browserOf = new WeakMap<Cell, FoundBrowser | undefined>();
  let kind: ScriptKind = 'script';
  let sandboxed = true;
  let idle = new AbortController();
  let inUse = 0;

  /** Returns the pool of a runtime. It opens with the first check, so that a service without scripts has no cost. */
  function poolOf(runtime: InstalledRuntime): Pool<ReadyProgram> {
    const existing = pools.get(runtime.id);
    if (existing) return existing;
    const pool = createPool<ReadyProgram>({
      size: options.warm,
      maxInUse: options.maxInUse,
      async open() {
        const cellBrowser = browser;
        const cell = await sandbox.open(CELL_LIMITS, browserFolders(cellBrowser));
        browserOf.set(cell, cellBrowser);
        return cell;
      },
      async warm(cell) {
        const warmsUp = options.warm > 0;
        const { executablePath, ffmpegPath } = browserOf.get(cell) ?? {};
        const egress = options.denyAddress && openEgress(options.denyAddress);
        if (egress) await cell.serve(EGRESS_SOCKET, egress.server);
        const preparation = {
          runtime: runtime.id,
          playwright: runtime.playwright,
          packages: packages.folder,
          executablePath: executablePath === undefined ? null : cell.pathOf(executablePath),
          ffmpegPath: ffmpegPath === undefined ? null : cell.pathOf(ffmpegPath),
          sandboxed,
          kind,
          warmsUp,
          egressSocket: egress ? `${cell.folder}/${EGRESS_SOCKET}` : null,
        };
        const program = await startProgram<BrowserJob, Preparation>(cell, options.program, preparation);
        // A machine that refuses Chromium's sandbox once always refuses it.
        sandboxed = program.sandboxed;
        return { program, executablePath, egress };
      },
      isReady: (ready) => ready.program.isAlive() && ready.executablePath === browser?.executablePath,
      onError: (error) => onError('cannot prepare a script runner', error),
    });
    pools.set(runtime.id, pool);
    return pool;
  }

  async function closePools(): Promise<void> {
    const closing = [...pools.values()];
    pools.clear();
    await Promise.all(closing.map((pool) => pool.close()));
  }

  function markReleased(): void {
    inUse -= 1;
    if (inUse > 0) return;
    idle = new AbortController();
    clock.sleep(IDLE_MS, idle.signal).then(
      () => closePools().catch((error: unknown) => onError('cannot close idle script runners', error)),
      () => {},
    );
  }

  return {
    /** Waits for a program, and for the packages that the code may import. Rejects with CannotRun if none is available, and with the signal's reason. */
    async acquire(
      runtimeId: string | null | undefined,
      scriptKind: ScriptKind,
      codes: readonly string[],
      signal: AbortSignal,
    ): Promise<AcquiredProgram> {
      const refusal = await options.refusal?.();
      if (refusal !== undefined) throw new CannotRun(refusal);
      const runtime = await raceWithAbort(runtimes.select(runtimeId), signal);
      if (codes.some(mayImportPackage)) await raceWithAbort(packages.install(), signal);
      const foundBrowser = await options.browser?.();
      if (foundBrowser && 'problem' in foundBrowser) throw new CannotRun(foundBrowser.problem);
      browser = foundBrowser;
      kind = scriptKind;
      idle.abort();
      inUse += 1;
      const warm = await acquireCell(poolOf(runtime).acquire(signal), signal).catch((error: unknown) => {
        markReleased();
        throw toCannotRun(error);
      });
      return { runtime, warm, release: () => warm.close().finally(markReleased) };
    },
    countReady: (): number => [...pools.values()].reduce((sum, pool) => sum + pool.status().waiting, 0),
    async close(): Promise<void> {
      idle.abort();
      await closePools();
    },
  };
}

/** Returns the acquired cell, or rejects once the signal is aborted. A late cell is closed. */
export async function acquireCell<Warm>(
  acquiring: Promise<WarmCell<Warm>>,
  signal: AbortSignal,
): Promise<WarmCell<Warm>> {
  try {
    return await raceWithAbort(acquiring, signal);
  } catch (error) {
    if (signal.aborted) acquiring.then((warm) => warm.close()).catch(() => {});
    throw error;
  }
}

export function toCannotRun(error: unknown): unknown {
  return error instanceof NoBrowser || error instanceof SandboxError ? new CannotRun(error.message) : error;
}

/** Throws CannotRun if addresses are denied but the cell has the machine's network. */
export function assertClosedNetwork(
  { denyAddress, allowsOpenNetwork }: Pick<RunContext, 'denyAddress' | 'allowsOpenNetwork'>,
  egress: Egress | undefined,
  sandbox: Sandbox,
): void {
  if (denyAddress && !allowsOpenNetwork && !(egress && sandbox.describe().network === 'none'))
    throw new CannotRun(
      'scripts are disabled: this service denies some addresses to its checks, and a script could open any connection',
    );
}

interface ScriptVariables {
  readonly environmentVariables?: readonly { readonly key: string; readonly value: string }[] | null;
  readonly isTest?: boolean;
}

/** Returns the environment of a script, besides what Node needs. `baseUrl`: of the group's defaults. */
export function buildScriptEnvironment(
  { environmentVariables, isTest }: ScriptVariables,
  baseUrl: string | null,
): Record<string, string> {
  // Every system ends a variable at a NUL.
  const variables = (environmentVariables ?? []).filter(
    ({ key, value }) => key !== '' && !`${key}${value}`.includes('\0'),
  );
  return {
    SONDE: '1',
    ...(isTest ? { CI: 'true' } : {}),
    ...(baseUrl === null ? {} : { ENVIRONMENT_URL: baseUrl }),
    ...Object.fromEntries(variables.map(({ key, value }) => [key, value])),
  };
}
