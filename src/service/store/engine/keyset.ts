/** Encodes cursors of lists that are sorted by start time, newest first. */
import { type Expression, type SqlBool, sql } from 'kysely';
import { UnknownCursor } from '../errors.ts';

/** A page of rows, and the cursor of the next page; null on the last page. */
export interface Keyset<Row> {
  readonly rows: Row[];
  readonly nextId: string | null;
}

/** The sort key of a row: an instant (ms since the epoch), and an ID to order rows of the same instant. */
interface Place {
  readonly instant: number;
  readonly id: string;
}

/** Returns the cursor for a position. Cursors are opaque to clients. */
export const cursorTo = ({ instant, id }: Place): string =>
  Buffer.from(`${instant} ${id}`).toString('base64url');

/** Returns the position of a cursor. @throws UnknownCursor */
export function placeOf(cursor: string): Place {
  const [, instant, id] =
    /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (instant === undefined || id === undefined) {
    throw new UnknownCursor('the cursor is none that a list gave out');
  }
  return { instant: Number(instant), id };
}

/** Returns the page from the rows of a query with a limit of `limit` + 1. */
export function keysetOf<Row extends { readonly started_at: number; readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): Keyset<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const nextId = last ? cursorTo({ instant: last.started_at, id: last.id }) : null;
  return { rows: rows.slice(0, limit), nextId };
}

/** Returns the condition for rows after the cursor. @throws UnknownCursor */
export function keysetAfter(cursor: string): Expression<SqlBool> {
  const { instant, id } = placeOf(cursor);
  return sql<SqlBool>`(started_at, id) < (${instant}, ${id})`;
}
