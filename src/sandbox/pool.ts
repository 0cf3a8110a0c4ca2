/** Cells that wait with a program that has loaded what it needs: used once, by one run, and closed. */
import { availableParallelism } from 'node:os';
import { unlessAborted } from '../base/abort.ts';
import { SandboxError } from './errors.ts';
import type { Cell } from './types.ts';

/** A cell that one run has for itself. */
export interface WarmCell<Warm> {
  readonly cell: Cell;
  /** What `warm` gave. */
  readonly warm: Warm;
  /** Whether it had been waiting, or was made for this run. */
  readonly wasWaiting: boolean;
  /** Ends the run: kills everything, and lets the next cell be made. Once is enough. */
  close(): Promise<void>;
}

export interface Pool<Warm> {
  /**
   * A cell that nobody had before. Waits where as many as may be are in use; rejects with the signal's reason, and with what
   * `warm` or the sandbox throws. Close what it gives, whatever happens.
   */
  acquire(signal?: AbortSignal): Promise<WarmCell<Warm>>;
  /** How many wait, are being made, and are in use. */
  status(): { readonly waiting: number; readonly making: number; readonly inUse: number };
  /** Takes no more, and closes those that wait and are in use. Once is enough. */
  close(): Promise<void>;
}

export interface PoolOptions<Warm> {
  /** Makes a fresh cell. */
  readonly open: () => Promise<Cell>;
  /** How many are kept waiting. */
  readonly size: number;
  /** How many may be in use at once. */
  readonly maxInUse: number;
  /** Starts the program in a fresh cell, and resolves when it waits for a run. */
  readonly warm: (cell: Cell) => Promise<Warm>;
  /** Whether a program that waited can still be used: it may have ended meanwhile. */
  readonly isReady: (warm: Warm) => boolean;
  /** Told why a cell could not be made in the background; the next run makes its own, and hears of it itself. */
  readonly onError: (error: unknown) => void;
  /** How many runs may be under way while cells are made for later ones; left out: as many as the processors have room for. */
  readonly makeWhileInUse?: number;
}

/** A run keeps two processors busy, with a script and a browser, and so does making a cell: what a run measures must not suffer by it. */
const spareProcessorPairs = (): number => Math.floor(availableParallelism() / 2) - 1;

interface ReadyCell<Warm> {
  readonly cell: Cell;
  readonly warm: Warm;
}

/** Opens a pool; it begins to fill at once. */
export function createPool<Warm>(options: PoolOptions<Warm>): Pool<Warm> {
  const { open, size, maxInUse, warm, isReady, onError, makeWhileInUse = spareProcessorPairs() } = options;
  const waiting: ReadyCell<Warm>[] = [];
  const acquired = new Set<WarmCell<Warm>>();
  /** Cells that are being made for who asked: each settles once it is lent or gone. */
  const acquiring = new Set<Promise<unknown>>();
  const queue: { readonly start: () => void; readonly reject: (why: unknown) => void }[] = [];
  /** Runs that have their turn: from then on until their cell is gone. */
  let inUse = 0;
  let making: Promise<void> | undefined;
  /** Cells whose programs do not wait for a run yet. */
  const warmingUp = new Set<Cell>();
  /** Whether somebody waits for what is being made. */
  let hasWaiter = false;
  let closing: Promise<void> | undefined;

  async function make(): Promise<ReadyCell<Warm>> {
    const cell = await open();
    warmingUp.add(cell);
    try {
      assertOpen(undefined);
      return { cell, warm: await warm(cell) };
    } catch (error) {
      await cell.close();
      throw error;
    } finally {
      warmingUp.delete(cell);
    }
  }

  /**
   * One at a time, and only while few runs need the processors, or somebody waits for the only one to end; what fails is tried
   * again after the next run.
   */
  function fill(): void {
    const hasRoom = inUse === 0 || inUse <= makeWhileInUse || (inUse === 1 && queue.length > 0);
    if (making || closing || waiting.length >= size || !hasRoom) return;
    making = make().then(
      async (made) => {
        making = undefined;
        if (closing) return made.cell.close();
        waiting.push(made);
        return fill();
      },
      (error: unknown) => {
        making = undefined;
        if (!closing) onError(error);
      },
    );
  }

  function releaseSlot(): void {
    inUse -= 1;
    if (inUse < maxInUse) queue.shift()?.start();
    fill();
  }

  /** Waits until one more may be in use. */
  function waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        inUse += 1;
        resolve();
      };
      const entry = { start, reject };
      function onAbort(): void {
        const index = queue.indexOf(entry);
        if (index >= 0) queue.splice(index, 1);
        reject(signal?.reason);
      }
      if (inUse < maxInUse) return start();
      queue.push(entry);
      fill();
      signal?.addEventListener('abort', onAbort, { once: true });
      return undefined;
    });
  }

  /** One that waits and whose program still runs; what ended while it waited goes. */
  function takeWaiting(): ReadyCell<Warm> | undefined {
    for (let made = waiting.shift(); made; made = waiting.shift()) {
      if (isReady(made.warm)) return made;
      void made.cell.close().catch(onError);
    }
    return undefined;
  }

  /** The one that is being made, where nobody else waits for it: it is ready sooner than one that is begun now. */
  async function awaitMaking(signal: AbortSignal | undefined): Promise<ReadyCell<Warm> | undefined> {
    if (making === undefined || hasWaiter) return undefined;
    hasWaiter = true;
    try {
      await (signal ? unlessAborted(making, signal) : making);
    } finally {
      hasWaiter = false;
    }
    assertOpen(signal);
    return takeWaiting();
  }

  function wrap({ cell, warm: program }: ReadyCell<Warm>, wasWaiting: boolean): WarmCell<Warm> {
    let ended: Promise<void> | undefined;
    const acquiredCell: WarmCell<Warm> = {
      ...{ cell, warm: program, wasWaiting },
      close() {
        ended ??= cell.close().finally(() => {
          acquired.delete(acquiredCell);
          releaseSlot();
        });
        return ended;
      },
    };
    acquired.add(acquiredCell);
    return acquiredCell;
  }

  function assertOpen(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (closing) throw new SandboxError('the pool of cells is closed');
  }

  async function acquireCell(signal: AbortSignal | undefined): Promise<WarmCell<Warm>> {
    let acquiredCell: WarmCell<Warm> | undefined;
    try {
      assertOpen(signal);
      const waitingCell = takeWaiting();
      acquiredCell = wrap(
        waitingCell ?? (await awaitMaking(signal)) ?? (await make()),
        waitingCell !== undefined,
      );
      fill();
      assertOpen(signal);
      return acquiredCell;
    } catch (error) {
      if (acquiredCell) await acquiredCell.close();
      else releaseSlot();
      throw error;
    }
  }

  fill();
  return {
    async acquire(signal) {
      assertOpen(signal);
      await waitForSlot(signal);
      const acquisition = acquireCell(signal);
      acquiring.add(acquisition);
      return acquisition.finally(() => acquiring.delete(acquisition));
    },
    status: () => ({
      waiting: waiting.filter((made) => isReady(made.warm)).length,
      ...{ making: making ? 1 : 0, inUse },
    }),
    close() {
      closing ??= (async () => {
        for (const { reject: refuse } of queue.splice(0))
          refuse(new SandboxError('the pool of cells is closed'));
        // Whoever makes one hears of its end, and need not get to the end of his patience.
        await Promise.allSettled([...warmingUp].map((cell) => cell.close()));
        await Promise.allSettled([making, ...acquiring]);
        const cells = [...waiting.splice(0).map(({ cell }) => cell), ...acquired];
        await Promise.all(cells.map((one) => one.close()));
      })();
      return closing;
    },
  };
}
