/** Takes rows together as they come: what is there already in one batch, so that a page is on its way before the next is asked for. */

/** Rows in a batch at most. */
const MOST = 500;

/** Batches of rows, none empty; a row never waits for one that has yet to arrive. */
export async function* batchesOf<T>(rows: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let isDone = false;
  try {
    let batch: T[] = [];
    let idle = turn();
    for (let next = Promise.resolve(iterator.next()); ; ) {
      const found = await Promise.race([next, idle]);
      if (found === undefined) {
        // The event loop has turned: what comes next is waited for.
        if (batch.length > 0) yield batch;
        batch = [];
        await next;
        idle = turn();
        continue;
      }
      isDone = found.done === true;
      if (found.done) break;
      batch.push(found.value);
      if (batch.length >= MOST) {
        yield batch;
        batch = [];
        idle = turn();
      }
      next = Promise.resolve(iterator.next());
    }
    if (batch.length > 0) yield batch;
  } finally {
    if (!isDone) await iterator.return?.();
  }
}

/** Resolves when all has been done that could be done without waiting for the system. */
const turn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined));
