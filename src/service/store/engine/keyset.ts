/** Builds pages of lists that are sorted by start time, newest first. */
import { type Expression, type SqlBool, sql } from 'kysely';
import { decodeCursor, encodeCursor } from '../cursor.ts';

/** A page of rows, and the cursor of the next page; null on the last page. */
export interface Keyset<Row> {
  readonly rows: Row[];
  readonly nextId: string | null;
}

/** Returns the page from the rows of a query with a limit of `limit` + 1. */
export function keysetOf<Row extends { readonly started_at: number; readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): Keyset<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const nextId = last ? encodeCursor(last.started_at, last.id) : null;
  return { rows: rows.slice(0, limit), nextId };
}

/** Returns the condition for rows after the cursor. @throws UnknownCursor */
export function keysetAfter(cursor: string): Expression<SqlBool> {
  const { instant, id } = decodeCursor(cursor);
  return sql<SqlBool>`(started_at, id) < (${instant}, ${id})`;
}
