/** The programs that scripts run in: one a cell, some of them ready before there is a script. */
import type { Clock } from '../../base/clock.ts';
import { type Cell, createPool, type Pool, type Sandbox, type WarmCell } from '../../sandbox/index.ts';
import type { DenyAddress } from '../reach.ts';
import { CannotRun } from '../types.ts';
import { openWayOut, type WayOut } from './egress.ts';
import { type BrowserFinder, type FoundBrowser, foldersOf } from './find-browser.ts';
import { type Program, startProgram } from './program.ts';
import type { BrowserJob, Preparation, ScriptKind } from './protocol.ts';
import { type FoundRuntime, runtimeOf } from './runtimes.ts';
import { takenOrAborted, told } from './acquire-cell.ts';

export interface ProgramsOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Node, and the program that runs in a cell. */
  readonly program: readonly [string, ...string[]];
  readonly runtimes: readonly FoundRuntime[];
  /** Asked before each run, so that a browser that is installed meanwhile is used. Null: scripts get none. */
  readonly browser: BrowserFinder | null;
  /** How many run at once. */
  readonly most: number;
  /** How many are kept ready. */
  readonly warm: number;
  /** Why no script is run now, as a sentence without a full stop; left out, or undefined: they are. */
  readonly refusal?: (() => Promise<string | undefined>) | undefined;
  /** What scripts and their browsers must not reach, in a sandbox whose cells have no network; left out: nothing. */
  readonly denyAddress?: DenyAddress | undefined;
  readonly onError: (message: string, error: unknown) => void;
}

/** What waits in a cell: the program, and where its cell has no network, the way out. */
interface Ready {
  readonly program: Program;
  /** The browser that the program started; undefined: none. */
  readonly executablePath: string | undefined;
  readonly wayOut: WayOut | undefined;
}

/** A program that is somebody's. */
export interface TakenProgram {
  readonly runtime: FoundRuntime;
  readonly warm: WarmCell<Ready>;
  /** Ends it, with all that its script left. */
  leave(): Promise<void>;
}

export interface Programs {
  /** Waits for one. Rejects with CannotRun where there is none to be had, and with the signal's reason. */
  take(runtimeId: string | null | undefined, kind: ScriptKind, signal: AbortSignal): Promise<TakenProgram>;
  /** How many wait ready. */
  ready(): number;
  close(): Promise<void>;
}

/** Nothing is kept ready when nothing has run for so long. */
const IDLE_MS = 30 * 60_000;
/** Playwright writes a trace, and then packs it: both lie there beside what the browser keeps. */
const CELL_LIMITS = { memoryBytes: 2 * 1024 ** 3, diskBytes: 768 * 1024 ** 2, fileBytes: 256 * 1024 ** 2 };
/** The name of the socket by which a cell without a network is left. */
const WAY_OUT = 'way-out';

export function createPrograms(options: ProgramsOptions): Programs {
  const { sandbox, clock, runtimes, onError } = options;
  const pools = new Map<string, Pool<Ready>>();
  /** The browser that was found last. */
  let browser: FoundBrowser | undefined;
  /** The browser that a cell was made for. */
  const browserOf = new WeakMap<Cell, FoundBrowser | undefined>();
  let kind: ScriptKind = 'script';
  let sandboxed = true;
  let idle = new AbortController();

  /** The pool of a runtime, opened at its first check: a service without scripts pays nothing. */
  function poolOf(runtime: FoundRuntime): Pool<Ready> {
    const known = pools.get(runtime.id);
    if (known) return known;
    const pool = createPool<Ready>({
      ...{ size: options.warm, most: options.most },
      async open() {
        const its = browser;
        const cell = await sandbox.open(CELL_LIMITS, foldersOf(its));
        browserOf.set(cell, its);
        return cell;
      },
      async warm(cell) {
        const rehearses = options.warm > 0;
        const executablePath = browserOf.get(cell)?.executablePath;
        const wayOut = options.denyAddress && openWayOut(options.denyAddress);
        if (wayOut) await cell.serve(WAY_OUT, wayOut.server);
        const preparation = {
          runtime: runtime.id,
          playwright: runtime.playwright,
          executablePath: executablePath === undefined ? null : cell.pathOf(executablePath),
          sandboxed,
          kind,
          rehearses,
          wayOut: wayOut ? `${cell.folder}/${WAY_OUT}` : null,
        };
        const program = await startProgram<BrowserJob, Preparation>(cell, options.program, preparation);
        // What the machine refuses once it refuses always.
        sandboxed = program.sandboxed;
        return { program, executablePath, wayOut };
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

  function isWanted(): void {
    idle.abort();
    inUse += 1;
  }

  /** Closes what waits once nothing has run for long. */
  function isDone(): void {
    inUse -= 1;
    if (inUse > 0) return;
    idle = new AbortController();
    clock.sleep(IDLE_MS, idle.signal).then(
      () => closePools().catch((error: unknown) => onError('cannot close idle script runners', error)),
      () => {},
    );
  }

  return {
    async take(runtimeId, ofKind, signal) {
      const refusal = await options.refusal?.();
      if (refusal !== undefined) throw new CannotRun(refusal);
      const runtime = runtimeOf(runtimeId, runtimes);
      const found = await options.browser?.();
      if (found && 'problem' in found) throw new CannotRun(found.problem);
      browser = found;
      kind = ofKind;
      isWanted();
      const taking = poolOf(runtime).take(signal);
      const warm = await takenOrAborted(taking, signal).catch((error: unknown) => {
        isDone();
        throw told(error);
      });
      return {
        ...{ runtime, warm },
        leave: () => warm.close().finally(isDone),
      };
    },
    ready: () => [...pools.values()].reduce((sum, pool) => sum + pool.status().waiting, 0),
    async close() {
      idle.abort();
      await closePools();
    },
  };
}
