/** Sends lists in pieces and schedules them fairly, so that large lists neither block the service nor fill its memory. */
import { Readable } from 'node:stream';
import type { Listing } from '../../store/index.ts';
import { Problem } from './problem.ts';

/** The rows of a response: a list, or the entries of a page if `nextId` is defined. */
export class Rows<Row> {
  readonly chunks: AsyncIterable<readonly Row[]>;
  readonly nextId: string | null | undefined;

  constructor(chunks: AsyncIterable<readonly Row[]>, nextId?: string | null) {
    this.chunks = chunks;
    this.nextId = nextId;
  }
}

/** Converts the rows of a listing to responses, chunk by chunk as they are read. */
export async function* presentRows<Row, Shown>(
  { chunks }: Pick<Listing<Row>, 'chunks'>,
  present: (rows: readonly Row[]) => Shown[] | Promise<Shown[]>,
): AsyncGenerator<Shown[]> {
  for await (const chunk of chunks) yield await present(chunk);
}

/** Maximum number of pieces that are written concurrently, per account and in total, and of waiting lists per account. */
export const LIST_LIMITS = { perAccount: 2, total: 4, maxWaiting: 50 };

/** Size of a piece in characters, unless one row is larger. A shorter response is sent at once. */
const PIECE_CHARACTERS = 512 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a queue that alternates between accounts, and between the lists of each. It yields to the event loop after
 * each task.
 */
function createFairQueue({ perAccount, total, maxWaiting }: typeof LIST_LIMITS) {
  const queues = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let runningTotal = 0;

  function change(accountId: string, by: 1 | -1): void {
    const count = (running.get(accountId) ?? 0) + by;
    runningTotal += by;
    if (count === 0) running.delete(accountId);
    else running.set(accountId, count);
  }
  function next(): void {
    for (const [accountId, queue] of queues) {
      if (runningTotal >= total) return;
      if ((running.get(accountId) ?? 0) >= perAccount) continue;
      const start = queue.shift();
      // The account moves behind the other accounts.
      queues.delete(accountId);
      if (queue.length > 0) queues.set(accountId, queue);
      change(accountId, 1);
      start?.();
    }
  }

  return {
    assertRoom(accountId: string): void {
      if ((queues.get(accountId)?.length ?? 0) < maxWaiting) return;
      const message = `Too many concurrent list requests: ${maxWaiting} requests of this account are waiting`;
      throw new Problem(503, message, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
    },
    async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((start) => {
        const queue = queues.get(accountId);
        if (queue) queue.push(start);
        else queues.set(accountId, [start]);
        next();
      });
      try {
        return await work();
      } finally {
        setImmediate(() => {
          change(accountId, -1);
          next();
        });
      }
    },
  };
}

/** Creates a writer that converts the rows to JSON in pieces. `isLast` means that no piece follows. */
function createPieceWriter({ chunks }: Rows<unknown>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rows: unknown[] = [];
  let count = 0;
  return {
    count: () => count,
    async next(): Promise<{ readonly text: string; readonly isLast: boolean }> {
      let text = '';
      while (text.length < PIECE_CHARACTERS) {
        const row = rows.pop();
        if (row === undefined) {
          const chunk = await iterator.next();
          if (chunk.done) return { text, isLast: true };
          rows = [...chunk.value].reverse();
        } else {
          text += `${count > 0 ? ',' : ''}${JSON.stringify(row)}`;
          count += 1;
        }
      }
      return { text, isLast: false };
    },
  };
}

/** Returns the function that sends lists. All its lists share one queue. */
export function createListResponder(limits = LIST_LIMITS) {
  const queue = createFairQueue(limits);
  /** `isGone` returns whether the client has disconnected. */
  return async (
    accountId: string,
    rows: Rows<unknown>,
    isGone: () => boolean,
  ): Promise<string | Readable> => {
    queue.assertRoom(accountId);
    const { next, count } = createPieceWriter(rows);
    const nextPiece = () =>
      queue.run(accountId, async () => (isGone() ? { text: '', isLast: true } : await next()));
    const { nextId } = rows;
    const { text, isLast: isComplete } = await nextPiece();
    if (isComplete)
      return nextId === undefined
        ? `[${text}]`
        : `{"length":${count()},"entries":[${text}],"nextId":${JSON.stringify(nextId)}}`;

    async function* writePieces(first: Buffer) {
      yield Buffer.from(nextId === undefined ? '[' : '{"entries":[');
      yield first;
      for (let isLast = false; !isLast; ) {
        const piece = await nextPiece();
        isLast = piece.isLast;
        yield Buffer.from(piece.text);
      }
      // The count is known only now, because rows may have been deleted in the meantime.
      yield Buffer.from(
        nextId === undefined ? ']' : `],"length":${count()},"nextId":${JSON.stringify(nextId)}}`,
      );
    }
    // No read-ahead: the next piece is written when this one has been sent.
    return Readable.from(writePieces(Buffer.from(text)), { objectMode: false, highWaterMark: 1 });
  };
}
