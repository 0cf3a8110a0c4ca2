/** Answers lists a piece at a time, in turns: a list of large rows occupies neither the service nor its memory. */
import { Readable } from 'node:stream';
import type { Listing } from '../../store/index.ts';
import { Problem } from './problem.ts';

/** The rows of an answer: a list, or the entries of a page where `nextId` is given. */
export class Rows<Row> {
  readonly portions: AsyncIterable<readonly Row[]>;
  readonly nextId: string | null | undefined;

  constructor(portions: AsyncIterable<readonly Row[]>, nextId?: string | null) {
    this.portions = portions;
    this.nextId = nextId;
  }
}

/** Presents the rows of a listing, each chunk when it is read. */
export async function* presented<Row, Shown>(
  { chunks }: Pick<Listing<Row>, 'chunks'>,
  present: (rows: readonly Row[]) => Shown[] | Promise<Shown[]>,
): AsyncGenerator<Shown[]> {
  for await (const chunk of chunks) yield await present(chunk);
}

export interface ListLimits {
  /** How many pieces are made at once, for one account and for all. */
  readonly perAccount: number;
  readonly inAll: number;
  /** How many lists of an account may wait for their turn. */
  readonly waiting: number;
}

export const LIST_LIMITS: ListLimits = { perAccount: 2, inAll: 4, waiting: 50 };

/** How many characters are made in a turn, but for a row that is larger. A shorter answer is sent at once. */
const PIECE = 512 * 1024;
const RETRY_SECONDS = 5;

/** Runs work in turns: accounts take turns, and so do the lists of each. The event loop is free between two turns. */
function inTurns({ perAccount, inAll, waiting }: ListLimits) {
  const queues = new Map<string, (() => void)[]>();
  const atWork = new Map<string, number>();
  let all = 0;

  function change(accountId: string, by: 1 | -1): void {
    const count = (atWork.get(accountId) ?? 0) + by;
    all += by;
    if (count === 0) atWork.delete(accountId);
    else atWork.set(accountId, count);
  }
  function next(): void {
    for (const [accountId, queue] of queues) {
      if (all >= inAll) return;
      if ((atWork.get(accountId) ?? 0) >= perAccount) continue;
      const begin = queue.shift();
      // The other accounts come before its next one.
      queues.delete(accountId);
      if (queue.length > 0) queues.set(accountId, queue);
      change(accountId, 1);
      begin?.();
    }
  }

  return {
    assertRoom(accountId: string): void {
      if ((queues.get(accountId)?.length ?? 0) < waiting) return;
      throw new Problem(
        503,
        `Too many concurrent list requests: ${waiting} requests of this account are waiting`,
        {
          headers: { 'retry-after': String(RETRY_SECONDS) },
        },
      );
    },
    async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((begin) => {
        const queue = queues.get(accountId);
        if (queue) queue.push(begin);
        else queues.set(accountId, [begin]);
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

/** Writes the rows as JSON, a piece at a time; `isLast`: no piece follows. */
function pieces({ portions }: Rows<unknown>) {
  const reading = portions[Symbol.asyncIterator]();
  let rows: unknown[] = [];
  let count = 0;
  return {
    count: () => count,
    async next(): Promise<{ readonly text: string; readonly isLast: boolean }> {
      let text = '';
      while (text.length < PIECE) {
        const row = rows.pop();
        if (row === undefined) {
          const portion = await reading.next();
          if (portion.done) return { text, isLast: true };
          rows = [...portion.value].reverse();
        } else {
          text += `${count > 0 ? ',' : ''}${JSON.stringify(row)}`;
          count += 1;
        }
      }
      return { text, isLast: false };
    },
  };
}

/** Returns the function that answers lists; all lists that it answers take turns. */
export function listAnswers(limits = LIST_LIMITS) {
  const turns = inTurns(limits);
  /** `isGone`: the client is gone. */
  return async (
    accountId: string,
    rows: Rows<unknown>,
    isGone: () => boolean,
  ): Promise<string | Readable> => {
    turns.assertRoom(accountId);
    const { next, count } = pieces(rows);
    const turn = () =>
      turns.take(accountId, async () => (isGone() ? { text: '', isLast: true } : await next()));
    const { nextId } = rows;
    const { text, isLast: isShort } = await turn();
    if (isShort)
      return nextId === undefined
        ? `[${text}]`
        : `{"length":${count()},"entries":[${text}],"nextId":${JSON.stringify(nextId)}}`;

    async function* all(first: Buffer) {
      yield Buffer.from(nextId === undefined ? '[' : '{"entries":[');
      yield first;
      for (let isLast = false; !isLast; ) {
        const piece = await turn();
        isLast = piece.isLast;
        yield Buffer.from(piece.text);
      }
      // How many there are is certain only now: one may have been deleted in between.
      yield Buffer.from(
        nextId === undefined ? ']' : `],"length":${count()},"nextId":${JSON.stringify(nextId)}}`,
      );
    }
    // Without reading ahead: the next piece is made when this one is on its way.
    return Readable.from(all(Buffer.from(text)), { objectMode: false, highWaterMark: 1 });
  };
}
