/** The programs that scripts run in: one a cell, some of them ready before there is a script. */
import type { Clock } from '../../base/clock.ts';
import { type Cell, createPool, type Pool, type Sandbox, type WarmCell } from '../../sandbox/index.ts';
import type { DenyAddress } from '../reach.ts';
import { CannotRun } from '../types.ts';
import { acquireCell, toCannotRun } from './acquire-cell.ts';
import { type Egress, openEgress } from './egress.ts';
import { type BrowserFinder, browserFolders, type FoundBrowser } from './find-browser.ts';
import { type Program, startProgram } from './program.ts';
import type { BrowserJob, Preparation, ScriptKind } from './protocol.ts';
import { type InstalledRuntime, selectRuntime } from './runtimes.ts';

export interface ProgramPoolOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Node, and the program that runs in a cell. */
  readonly program: readonly [string, ...string[]];
  readonly runtimes: readonly InstalledRuntime[];
  /** Asked before each run, so that a browser that is installed meanwhile is used. Null: scripts get none. */
  readonly browser: BrowserFinder | null;
  /** How many run at once. */
  readonly maxInUse: number;
  /** How many are kept ready. */
  readonly warm: number;
  /** Why no script is run now, as a sentence without a full stop; left out, or undefined: they are. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  /** What scripts and their browsers must not reach, in a sandbox whose cells have no network; left out: nothing. */
  readonly denyAddress?: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

/** What waits in a cell: the program, and where its cell has no network, the way out. */
interface ReadyProgram {
  readonly program: Program;
  /** The browser that the program started; undefined: none. */
  readonly executablePath: string | undefined;
  readonly egress: Egress | undefined;
}

/** A program that is somebody's. */
export interface AcquiredProgram {
  readonly runtime: InstalledRuntime;
  readonly warm: WarmCell<ReadyProgram>;
  /** Ends it, with all that its script left. */
  release(): Promise<void>;
}

export interface ProgramPool {
  /** Waits for one. Rejects with CannotRun where there is none to be had, and with the signal's reason. */
  acquire(
    runtimeId: string | null | undefined,
    expectedKind: ScriptKind,
    signal: AbortSignal,
  ): Promise<AcquiredProgram>;
  /** How many wait ready. */
  countReady(): number;
  close(): Promise<void>;
}

/** Nothing is kept ready when nothing has run for so long. */
const IDLE_MS = 30 * 60_000;
/** Playwright writes a trace, and then packs it: both lie there beside what the browser keeps. */
const CELL_LIMITS = { memoryBytes: 2 * 1024 ** 3, diskBytes: 768 * 1024 ** 2, fileBytes: 256 * 1024 ** 2 };
/** The name of the socket by which a cell without a network is left. */
const EGRESS_SOCKET = 'way-out';

export function createProgramPool(options: ProgramPoolOptions): ProgramPool {
  const { sandbox, clock, runtimes, onError } = options;
  const pools = new Map<string, Pool<ReadyProgram>>();
  /** The browser that was found last. */
  let browser: FoundBrowser | undefined;
  /** The browser that a cell was made for. */
  const browserOf = new WeakMap<Cell, FoundBrowser | undefined>();
  let kind: ScriptKind = 'script';
  let sandboxed = true;
  let idle = new AbortController();

  /** The pool of a runtime, opened at its first check: a service without scripts pays nothing. */
  function poolOf(runtime: InstalledRuntime): Pool<ReadyProgram> {
    const existing = pools.get(runtime.id);
    if (existing) return existing;
    const pool = createPool<ReadyProgram>({
      ...{ size: options.warm, maxInUse: options.maxInUse },
      async open() {
        const cellBrowser = browser;
        const cell = await sandbox.open(CELL_LIMITS, browserFolders(cellBrowser));
        browserOf.set(cell, cellBrowser);
        return cell;
      },
      async warm(cell) {
        const warmsUp = options.warm > 0;
        const executablePath = browserOf.get(cell)?.executablePath;
        const egress = options.denyAddress && openEgress(options.denyAddress);
        if (egress) await cell.serve(EGRESS_SOCKET, egress.server);
        const preparation = {
          runtime: runtime.id,
          playwright: runtime.playwright,
          executablePath: executablePath === undefined ? null : cell.pathOf(executablePath),
          sandboxed,
          kind,
          warmsUp,
          egressSocket: egress ? `${cell.folder}/${EGRESS_SOCKET}` : null,
        };
        const program = await startProgram<BrowserJob, Preparation>(cell, options.program, preparation);
        // What the machine refuses once it refuses always.
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

  /** Programs that are somebody's, or that somebody waits for. */
  let inUse = 0;

  function markUsed(): void {
    idle.abort();
    inUse += 1;
  }

  /** Closes what waits once nothing has run for long. */
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
    async acquire(runtimeId, scriptKind, signal) {
      const refusal = await options.refusal?.();
      if (refusal !== undefined) throw new CannotRun(refusal);
      const runtime = selectRuntime(runtimeId, runtimes);
      const found = await options.browser?.();
      if (found && 'problem' in found) throw new CannotRun(found.problem);
      browser = found;
      kind = scriptKind;
      markUsed();
      const acquiring = poolOf(runtime).acquire(signal);
      const warm = await acquireCell(acquiring, signal).catch((error: unknown) => {
        markReleased();
        throw toCannotRun(error);
      });
      return {
        ...{ runtime, warm },
        release: () => warm.close().finally(markReleased),
      };
    },
    countReady: () => [...pools.values()].reduce((sum, pool) => sum + pool.status().waiting, 0),
    async close() {
      idle.abort();
      await closePools();
    },
  };
}
