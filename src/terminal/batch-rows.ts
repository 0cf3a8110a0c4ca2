/** Batches rows as they arrive, so that one page is written before the next is requested. */

/** The most rows in a batch. */
const MAX_ROWS = 500;

/** Yields batches of rows, none empty. A row never waits for a later one. */
export async function* batchRows<T>(rows: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let isDone = false;
  try {
    let batch: T[] = [];
    let idle = nextTurn();
    for (let next = Promise.resolve(iterator.next()); ; ) {
      const result = await Promise.race([next, idle]);
      if (result === undefined) {
        // No further row was ready within one turn of the event loop.
        if (batch.length > 0) yield batch;
        batch = [];
        await next;
        idle = nextTurn();
        continue;
      }
      isDone = result.done === true;
      if (result.done) break;
      batch.push(result.value);
      if (batch.length >= MAX_ROWS) {
        yield batch;
        batch = [];
        idle = nextTurn();
      }
      next = Promise.resolve(iterator.next());
    }
    if (batch.length > 0) yield batch;
  } finally {
    if (!isDone) await iterator.return?.();
  }
}

/** Resolves after all work that does not wait for I/O. */
const nextTurn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined));
