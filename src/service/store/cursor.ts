/** Encodes cursors of lists by creation time, newest first, and limits queries to a slice. */
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Slice } from './context.ts';
import { UnknownCursor } from './errors.ts';

/** The sort key of a row: an instant (ms since the epoch), and an ID to order rows of the same instant. */
interface Position {
  readonly instant: number;
  readonly id: string;
}

/** Returns the cursor for a position. Cursors are opaque to clients. */
export const encodeCursor = (instant: number, id: string | number): string =>
  Buffer.from(`${instant} ${id}`).toString('base64url');

/** Returns the position of a cursor. @throws UnknownCursor */
export function decodeCursor(cursor: string): Position {
  const [, instant, id] =
    /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (instant === undefined || id === undefined) {
    throw new UnknownCursor('the cursor is none that a list gave out');
  }
  return { instant: Number(instant), id };
}

/** Returns the cursor after the first `limit` rows; null if there are no more. */
export function cursorOf(
  rows: readonly { readonly created_at: number; readonly id: string | number }[],
  limit: number,
): string | null {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last ? encodeCursor(last.created_at, last.id) : null;
}

/** Returns the condition for rows after the cursor. @throws UnknownCursor */
export function cursorAfter(cursor: string, ids: 'number' | 'uuid'): Expression<SqlBool> {
  const { instant, id: text } = decodeCursor(cursor);
  const id = ids === 'number' ? Number(text) : text;
  if (ids === 'number' && !Number.isSafeInteger(id)) {
    throw new UnknownCursor('the cursor is none that a list gave out');
  }
  return sql<SqlBool>`(created_at, id) < (${instant}, ${id})`;
}

/** Limits a query to a slice. SQLite requires a limit with an offset, so the default limit is the largest number. */
export function applySlice<Q extends { limit(limit: number): Q; offset(offset: number): Q }>(
  query: Q,
  { limit, offset }: Slice,
): Q {
  const limited =
    limit === undefined && offset === undefined ? query : query.limit(limit ?? Number.MAX_SAFE_INTEGER);
  return offset === undefined ? limited : limited.offset(offset);
}
