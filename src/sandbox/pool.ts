/** Cells that wait with a program that has loaded what it needs: used once, by one run, and closed. */
import { availableParallelism } from 'node:os';
import { raceWithAbort } from '../base/race-with-abort.ts';
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
  take(signal?: AbortSignal): Promise<WarmCell<Warm>>;
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
  readonly most: number;
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
const roomBeside = (): number => Math.floor(availableParallelism() / 2) - 1;

interface Made<Warm> {
  readonly cell: Cell;
  readonly warm: Warm;
}

/** Opens a pool; it begins to fill at once. */
export function createPool<Warm>(options: PoolOptions<Warm>): Pool<Warm> {
  const { open, size, most, warm, isReady, onError, makeWhileInUse = roomBeside() } = options;
  const waiting: Made<Warm>[] = [];
  const lent = new Set<WarmCell<Warm>>();
  /** Cells that are being made for who asked: each settles once it is lent or gone. */
  const taking = new Set<Promise<unknown>>();
  const queue: { readonly start: () => void; readonly refuse: (why: unknown) => void }[] = [];
  /** Runs that have their turn: from then on until their cell is gone. */
  let inUse = 0;
  let making: Promise<void> | undefined;
  /** Cells whose programs do not wait for a run yet. */
  const unready = new Set<Cell>();
  /** Whether somebody waits for what is being made. */
  let isAwaited = false;
  let closing: Promise<void> | undefined;

  async function make(): Promise<Made<Warm>> {
    const cell = await open();
    unready.add(cell);
    try {
      refuseIfOver(undefined);
      return { cell, warm: await warm(cell) };
    } catch (error) {
      await cell.close();
      throw error;
    } finally {
      unready.delete(cell);
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

  function giveTurnBack(): void {
    inUse -= 1;
    if (inUse < most) queue.shift()?.start();
    fill();
  }

  /** Waits until one more may be in use. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        inUse += 1;
        resolve();
      };
      const entry = { start, refuse: reject };
      function onAbort(): void {
        const place = queue.indexOf(entry);
        if (place >= 0) queue.splice(place, 1);
        reject(signal?.reason);
      }
      if (inUse < most) return start();
      queue.push(entry);
      fill();
      signal?.addEventListener('abort', onAbort, { once: true });
      return undefined;
    });
  }

  /** One that waits and whose program still runs; what ended while it waited goes. */
  function oneThatWaits(): Made<Warm> | undefined {
    for (let made = waiting.shift(); made; made = waiting.shift()) {
      if (isReady(made.warm)) return made;
      void made.cell.close().catch(onError);
    }
    return undefined;
  }

  /** The one that is being made, where nobody else waits for it: it is ready sooner than one that is begun now. */
  async function oneInTheMaking(signal: AbortSignal | undefined): Promise<Made<Warm> | undefined> {
    if (making === undefined || isAwaited) return undefined;
    isAwaited = true;
    try {
      await (signal ? raceWithAbort(making, signal) : making);
    } finally {
      isAwaited = false;
    }
    refuseIfOver(signal);
    return oneThatWaits();
  }

  function lend({ cell, warm: program }: Made<Warm>, wasWaiting: boolean): WarmCell<Warm> {
    let ended: Promise<void> | undefined;
    const one: WarmCell<Warm> = {
      ...{ cell, warm: program, wasWaiting },
      close() {
        ended ??= cell.close().finally(() => {
          lent.delete(one);
          giveTurnBack();
        });
        return ended;
      },
    };
    lent.add(one);
    return one;
  }

  function refuseIfOver(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (closing) throw new SandboxError('the pool of cells is closed');
  }

  async function takeInTurn(signal: AbortSignal | undefined): Promise<WarmCell<Warm>> {
    let one: WarmCell<Warm> | undefined;
    try {
      refuseIfOver(signal);
      const kept = oneThatWaits();
      one = lend(kept ?? (await oneInTheMaking(signal)) ?? (await make()), kept !== undefined);
      fill();
      refuseIfOver(signal);
      return one;
    } catch (error) {
      if (one) await one.close();
      else giveTurnBack();
      throw error;
    }
  }

  fill();
  return {
    async take(signal) {
      refuseIfOver(signal);
      await turn(signal);
      const taken = takeInTurn(signal);
      taking.add(taken);
      return taken.finally(() => taking.delete(taken));
    },
    status: () => ({
      waiting: waiting.filter((made) => isReady(made.warm)).length,
      ...{ making: making ? 1 : 0, inUse },
    }),
    close() {
      closing ??= (async () => {
        for (const { refuse } of queue.splice(0)) refuse(new SandboxError('the pool of cells is closed'));
        // Whoever makes one hears of its end, and need not get to the end of his patience.
        await Promise.allSettled([...unready].map((cell) => cell.close()));
        await Promise.allSettled([making, ...taking]);
        const cells = [...waiting.splice(0).map(({ cell }) => cell), ...lent];
        await Promise.all(cells.map((one) => one.close()));
      })();
      return closing;
    },
  };
}
