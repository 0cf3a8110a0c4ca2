/** Encodes cursors of lists by creation time, newest first, and limits queries to a slice. */
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Slice } from './context.ts';
import { UnknownCursor } from './errors.ts';

/** The sort key of a row. Cursors are opaque to clients. */
interface Place {
  readonly created_at: number;
  readonly id: string | number;
}

/** Returns the cursor after the first `limit` rows; null if there are no more. */
export function cursorOf(rows: readonly Place[], limit: number): string | null {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null;
}

/** Returns the condition for rows after the cursor. @throws UnknownCursor */
export function cursorAfter(cursor: string, ids: 'number' | 'uuid'): Expression<SqlBool> {
  const [, instant, text] =
    /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const id = ids === 'number' ? Number(text) : text;
  if (instant === undefined || id === undefined || (ids === 'number' && !Number.isSafeInteger(id))) {
    throw new UnknownCursor('the cursor is none that a list gave out');
  }
  return sql<SqlBool>`(created_at, id) < (${Number(instant)}, ${id})`;
}

/** Limits a query to a slice. SQLite requires a limit with an offset, so the default limit is the largest number. */
export function sliced<Q extends { limit(limit: number): Q; offset(offset: number): Q }>(
  query: Q,
  { limit, offset }: Slice,
): Q {
  const limited =
    limit === undefined && offset === undefined ? query : query.limit(limit ?? Number.MAX_SAFE_INTEGER);
  return offset === undefined ? limited : limited.offset(offset);
}
