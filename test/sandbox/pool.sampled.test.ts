/** The pool of cells that wait: who comes when all are in use, what dies while it waits, and a close at any moment. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, createPool, type Pool } from '../../src/sandbox/index.ts';
import { runs } from '../support/sampled.ts';

interface Made {
  readonly number: number;
  isAlive: boolean;
  isClosed: boolean;
  uses: number;
}

/** Cells without processes; each is warm once `warmed` is called, or at once. */
function world({
  size = 1,
  most = 2,
  makeWhileInUse = 1,
  byHand = false,
  fails = (_: number): boolean => false,
} = {}) {
  const made: Made[] = [];
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  const ends = new Map<number, () => void>();
  async function open(): Promise<Cell> {
    const one: Made = { number: made.length + 1, isAlive: true, isClosed: false, uses: 0 };
    made.push(one);
    const close = async () => {
      one.isClosed = true;
      ends.get(one.number)?.();
    };
    return { id: String(one.number), close } as unknown as Cell;
  }
  const pool: Pool<Made> = createPool<Made>({
    ...{ open, size, maxInUse: most, makeWhileInUse, onError: (error) => void errors.push(error) },
    async warm({ id }) {
      // Its program ends with its cell.
      if (byHand)
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          ends.set(Number(id), () => reject(new Error(`cell ${id} is closed`)));
        });
      const one = made[Number(id) - 1];
      if (one === undefined || fails(one.number)) throw new Error(`cell ${id} is no good`);
      return one;
    },
    isReady: ({ isAlive }) => isAlive,
  });
  return {
    ...{ pool, made, errors },
    warmed: () => waiting.shift()?.(),
    open: () => made.filter(({ isClosed }) => !isClosed).map(({ number }) => number),
  };
}

/** Lets everything happen that waits for nothing. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets those wait who come when all are in use, in their order, and lets go of who gives up', async () => {
  const { pool } = world({ most: 2 });
  const [one, two] = [await pool.acquire(), await pool.acquire()];
  const came: string[] = [];
  const noted = async (name: string) => {
    const cell = await pool.acquire();
    came.push(name);
    return cell;
  };
  const third = noted('third');
  const impatient = new AbortController();
  const fourth = pool.acquire(impatient.signal);
  const fifth = noted('fifth');
  await settled();
  expect(came).toEqual([]);
  impatient.abort(new Error('no longer'));
  await expect(fourth).rejects.toThrow('no longer');
  await one.close();
  await one.close();
  await settled();
  expect(came).toEqual(['third']);
  await two.close();
  await settled();
  expect(came).toEqual(['third', 'fifth']);
  expect(pool.status().inUse).toBe(2);
  for (const cell of [await third, await fifth]) await cell.close();
  await pool.close();
});

it('gives nobody a cell whose program has ended while it waited, and closes that', async () => {
  const { pool, made } = world({ size: 2 });
  await settled();
  expect(pool.status().waiting).toBe(2);
  for (const one of made) one.isAlive = false;
  const taken = await pool.acquire();
  expect(taken).toMatchObject({ wasWaiting: false, warm: { number: 3 } });
  expect(made.slice(0, 2).map(({ isClosed }) => isClosed)).toEqual([true, true]);
  await taken.close();
  await pool.close();
});

it('tells who asked why a cell could not be made, closes it, and keeps no turn for it', async () => {
  const { pool, made, errors, open } = world({ size: 1, most: 1, fails: (number) => number <= 2 });
  await settled();
  expect(errors).toEqual([new Error('cell 1 is no good')]);
  await expect(pool.acquire()).rejects.toThrow('cell 2 is no good');
  expect(made.slice(0, 2).every(({ isClosed }) => isClosed)).toBe(true);
  const taken = await pool.acquire();
  await taken.close();
  await pool.close();
  expect(open()).toEqual([]);
});

it('makes none beside a run where there is no room for it, and one as soon as somebody waits for the only run to end', async () => {
  const { pool } = world({ most: 1, makeWhileInUse: 0 });
  await settled();
  const first = await pool.acquire();
  await settled();
  expect(pool.status()).toEqual({ waiting: 0, making: 0, inUse: 1 });
  const second = pool.acquire();
  await settled();
  expect(pool.status()).toEqual({ waiting: 1, making: 0, inUse: 1 });
  await first.close();
  expect(await second).toMatchObject({ wasWaiting: true, warm: { number: 2 } });
  await (await second).close();
  await settled();
  expect(pool.status()).toEqual({ waiting: 1, making: 0, inUse: 0 });
  await pool.close();
});

it('gives the one in the making to who comes first, and makes another for who comes next', async () => {
  const { pool, warmed, made } = world({ byHand: true });
  await settled();
  const [first, second] = [pool.acquire(), pool.acquire()];
  await settled();
  expect(made).toHaveLength(2);
  warmed();
  expect(await first).toMatchObject({ wasWaiting: false, warm: { number: 1 } });
  warmed();
  expect(await second).toMatchObject({ wasWaiting: false, warm: { number: 2 } });
  for (const taken of [first, second]) await (await taken).close();
  const closed = pool.close();
  warmed();
  await closed;
});

it('keeps the one in the making for the next where who waits for it gives up', async () => {
  const { pool, warmed, made } = world({ byHand: true });
  await settled();
  const giving = new AbortController();
  const given = pool.acquire(giving.signal);
  giving.abort(new Error('no longer'));
  warmed();
  await expect(given).rejects.toThrow('no longer');
  expect(await pool.acquire()).toMatchObject({ wasWaiting: true, warm: { number: 1 } });
  expect(made.length).toBeLessThanOrEqual(2);
  const closed = pool.close();
  warmed();
  await closed;
});

it('keeps neither its turn nor the one in the making for who gives up', async () => {
  const { pool, warmed, made } = world({ byHand: true, most: 1, makeWhileInUse: 0 });
  await settled();
  const giving = new AbortController();
  const given = pool.acquire(giving.signal);
  await settled();
  const next = pool.acquire();
  giving.abort(new Error('no longer'));
  await expect(given).rejects.toThrow('no longer');
  await settled();
  expect(pool.status()).toMatchObject({ making: 1, inUse: 1 });
  warmed();
  expect(await next).toMatchObject({ warm: { number: 1 } });
  expect(made).toHaveLength(1);
  await pool.close();
});

it('closes what is being made, what waits and what is in use, and refuses who comes or waits', async () => {
  const { pool, open } = world({ size: 1, most: 1, byHand: true });
  const own = pool.acquire();
  await settled();
  const queued = pool.acquire();
  const refused = Promise.all(
    [own, queued].map((taking) => expect(taking).rejects.toThrow('the pool of cells is closed')),
  );
  const closed = pool.close();
  await expect(pool.acquire()).rejects.toThrow('the pool of cells is closed');
  // The one that was begun to wait is made for who came first: it is not forgotten, and nobody waits until it is made.
  await closed;
  expect(open()).toEqual([]);
  await refused;
});

it('starts nothing in a cell that comes once it is closed, and says nothing of it', async () => {
  const { pool, made, errors, open, warmed } = world({ byHand: true });
  await pool.close();
  expect(made).toHaveLength(1);
  expect(open()).toEqual([]);
  expect(errors).toEqual([]);
  expect(warmed()).toBeUndefined();
});

it('never lends a cell twice, nor more than may be in use, whatever happens', async () => {
  const deeds = fc.array(fc.constantFrom('take', 'take and give up', 'close one', 'kill', 'settle'), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(deeds, fc.integer({ min: 1, max: 3 }), fc.nat(2), async (what, most, size) => {
      const { pool, made, open } = world({ size, most, fails: (number) => number % 5 === 0 });
      const inUse: { readonly warm: Made; close(): Promise<void> }[] = [];
      const take = (signal?: AbortSignal) =>
        pool.acquire(signal).then(
          (cell) => {
            cell.warm.uses += 1;
            inUse.push(cell);
            expect(inUse.length).toBeLessThanOrEqual(most);
          },
          () => {},
        );
      const takings: Promise<void>[] = [];
      for (const deed of what) {
        if (deed === 'take') takings.push(take());
        if (deed === 'take and give up') {
          const giving = new AbortController();
          takings.push(take(giving.signal));
          giving.abort(new Error('no longer'));
        }
        if (deed === 'close one') await inUse.shift()?.close();
        if (deed === 'kill') for (const one of made) if (one.uses === 0) one.isAlive = false;
        if (deed === 'settle') await settled();
      }
      await pool.close();
      await Promise.all(takings);
      expect(made.filter(({ uses }) => uses > 1)).toEqual([]);
      expect(open()).toEqual([]);
    }),
    { numRuns: runs(50, 300) },
  );
});
