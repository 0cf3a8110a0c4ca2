/** Cursors of lists that show what started last first. */
import { type Expression, type SqlBool, sql } from 'kysely';
import { UnknownCursor } from '../errors.ts';

/** A page of rows, and what the next one continues with; null on the last page. */
export interface Keyset<Row> {
  readonly rows: Row[];
  readonly nextId: string | null;
}

/** Where a list stands: an instant (ms since the epoch), and what tells those of one instant apart. */
interface Place {
  readonly instant: number;
  readonly id: string;
}

/** The cursor to a place: opaque to those who carry it. */
export const cursorTo = ({ instant, id }: Place): string =>
  Buffer.from(`${instant} ${id}`).toString('base64url');

/** The place that a cursor leads to. @throws UnknownCursor */
export function placeOf(cursor: string): Place {
  const [, instant, id] =
    /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (instant === undefined || id === undefined) {
    throw new UnknownCursor('the cursor is none that a list gave out');
  }
  return { instant: Number(instant), id };
}

/** The page of a query that asked for one row more than `limit`. */
export function keysetOf<Row extends { readonly started_at: number; readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): Keyset<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const nextId = last ? cursorTo({ instant: last.started_at, id: last.id }) : null;
  return { rows: rows.slice(0, limit), nextId };
}

/** What holds of the rows behind the cursor. @throws UnknownCursor */
export function keysetAfter(cursor: string): Expression<SqlBool> {
  const { instant, id } = placeOf(cursor);
  return sql<SqlBool>`(started_at, id) < (${instant}, ${id})`;
}
