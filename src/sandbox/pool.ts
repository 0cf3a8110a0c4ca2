/** Keeps a pool of cells with warmed-up programs. Each is used by one run and then closed. */
import { availableParallelism } from 'node:os';
import { raceWithAbort } from '../base/abort.ts';
import { type Cell, SandboxError } from './cell/sandbox.ts';

export interface WarmCell<Warm> {
  readonly cell: Cell;
  readonly warm: Warm;
  readonly wasWaiting: boolean;
  /** Ends the run, kills all its processes, and frees the slot. Idempotent. */
  close(): Promise<void>;
}

export type Pool<Warm> = ReturnType<typeof createPool<Warm>>;

export interface PoolOptions<Warm> {
  readonly open: () => Promise<Cell>;
  readonly size: number;
  readonly maxInUse: number;
  /** Starts the program in a new cell, and resolves when it is ready for a run. */
  readonly warm: (cell: Cell) => Promise<Warm>;
  readonly isReady: (warm: Warm) => boolean;
  /** Called if a cell cannot be prepared in the background. The next run prepares its own and reports its own error. */
  readonly onError: (error: unknown) => void;
  /** Number of runs during which cells may be prepared for later runs; default: by the number of processors. */
  readonly makeWhileInUse?: number;
}

/** Returns how many runs leave room for a preparation, which must not distort their measurements. */
const spareProcessorPairs = (): number => Math.floor(availableParallelism() / 2) - 1;

type ReadyCell<Warm> = Pick<WarmCell<Warm>, 'cell' | 'warm'>;

export function createPool<Warm>(options: PoolOptions<Warm>) {
  const { open, size, maxInUse, warm, isReady, onError, makeWhileInUse = spareProcessorPairs() } = options;
  const waiting: ReadyCell<Warm>[] = [];
  const acquired = new Set<WarmCell<Warm>>();
  /** Pending acquisitions, which settle when the cell is in use or gone. */
  const acquiring = new Set<Promise<unknown>>();
  const queue: { readonly start: () => void; readonly reject: (why: unknown) => void }[] = [];
  /** Runs with a slot, until their cell is closed. */
  let inUse = 0;
  let making: Promise<void> | undefined;
  const warmingUp = new Set<Cell>();
  let hasWaiter = false;
  let closing: Promise<void> | undefined;
  const closedError = () => new SandboxError('the pool of cells is closed');

  function assertOpen(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (closing) throw closedError();
  }

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

  /** Prepares one cell at a time, if few runs need the processors or one waits. A release retries it. */
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

  async function waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    if (inUse < maxInUse) {
      inUse += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
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
      queue.push(entry);
      fill();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Returns a waiting cell whose program still runs, and closes those whose program has ended. */
  function takeWaiting(): ReadyCell<Warm> | undefined {
    for (let made = waiting.shift(); made; made = waiting.shift()) {
      if (isReady(made.warm)) return made;
      void made.cell.close().catch(onError);
    }
    return undefined;
  }

  /** Waits for the cell in preparation if no other run does, because it is ready sooner than a new one. */
  async function awaitMaking(signal: AbortSignal | undefined): Promise<ReadyCell<Warm> | undefined> {
    if (making === undefined || hasWaiter) return undefined;
    hasWaiter = true;
    try {
      await (signal ? raceWithAbort(making, signal) : making);
    } finally {
      hasWaiter = false;
    }
    assertOpen(signal);
    return takeWaiting();
  }

  function wrap(ready: ReadyCell<Warm>, wasWaiting: boolean): WarmCell<Warm> {
    let ended: Promise<void> | undefined;
    const acquiredCell: WarmCell<Warm> = {
      ...ready,
      wasWaiting,
      close() {
        ended ??= ready.cell.close().finally(() => {
          acquired.delete(acquiredCell);
          releaseSlot();
        });
        return ended;
      },
    };
    acquired.add(acquiredCell);
    return acquiredCell;
  }

  async function acquireCell(signal: AbortSignal | undefined): Promise<WarmCell<Warm>> {
    let acquiredCell: WarmCell<Warm> | undefined;
    try {
      assertOpen(signal);
      const ready = takeWaiting();
      acquiredCell = wrap(ready ?? (await awaitMaking(signal)) ?? (await make()), ready !== undefined);
      fill();
      assertOpen(signal);
      return acquiredCell;
    } catch (error) {
      if (acquiredCell) await acquiredCell.close();
      else releaseSlot();
      throw error;
    }
  }

  async function closeAll(): Promise<void> {
    for (const { reject } of queue.splice(0)) reject(closedError());
    // Closing a cell ends its preparation, so nothing waits for a timeout.
    await Promise.allSettled([...warmingUp].map((cell) => cell.close()));
    await Promise.allSettled([making, ...acquiring]);
    const cells = [...waiting.splice(0).map(({ cell }) => cell), ...acquired];
    await Promise.all(cells.map((one) => one.close()));
  }

  fill();
  return {
    /**
     * Returns a fresh cell, which the caller must close. Waits while the maximum is in use; rejects with the signal's
     * reason, and with errors of `warm` or the sandbox.
     */
    async acquire(signal?: AbortSignal): Promise<WarmCell<Warm>> {
      assertOpen(signal);
      await waitForSlot(signal);
      const acquisition = acquireCell(signal);
      acquiring.add(acquisition);
      return acquisition.finally(() => acquiring.delete(acquisition));
    },
    status: () => ({
      waiting: waiting.filter((made) => isReady(made.warm)).length,
      making: making ? 1 : 0,
      inUse,
    }),
    /** Rejects new runs, and closes all cells. Idempotent. */
    close(): Promise<void> {
      closing ??= closeAll();
      return closing;
    },
  };
}
