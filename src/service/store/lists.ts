/** Reads lists: slices, pages by cursor, IDs by prefix, and large rows in chunks. */
import { type Expression, type SqlBool, sql } from 'kysely';
import { UUID } from '../../base/short-id.ts';
import { UnknownCursor } from './errors.ts';

/** The requested part of a list. */
export interface Slice {
  /** Maximum number of rows; default: all. */
  readonly limit?: number | undefined;
  /** Number of rows to skip. */
  readonly offset?: number | undefined;
}

// Beyond the end of every list, and within the range of every database's integers.
const MAX_OFFSET = 2 ** 31 - 1;

/** Converts a page number to a limit and an offset. */
export function pageSlice({ limit, page }: { limit: number; page: number }) {
  return { limit, offset: Math.min((page - 1) * limit, MAX_OFFSET) };
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

/** A page of a list that is read by cursor. */
export interface CursorPage<Row> {
  readonly rows: Row[];
  /** The cursor of the next page; null on the last page. */
  readonly nextId: string | null;
}

/** The column of the instant by which a list is sorted, newest first. Rows of the same instant are sorted by ID. */
type SortColumn = 'created_at' | 'started_at';
type Sorted<Column extends SortColumn> = { readonly id: string | number } & Readonly<Record<Column, number>>;

/** Returns the cursor for a position: an instant (ms since the epoch) and an ID. Cursors are opaque to clients. */
export const encodeCursor = (instant: number, id: string | number): string =>
  Buffer.from(`${instant} ${id}`).toString('base64url');

const unknownCursor = () => new UnknownCursor('the cursor is none that a list gave out');

/** Returns the position of a cursor. @throws UnknownCursor */
export function decodeCursor(cursor: string): { readonly instant: number; readonly id: string } {
  const [, instant, id] =
    /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (instant === undefined || id === undefined) throw unknownCursor();
  return { instant: Number(instant), id };
}

/** Returns the page of the first `limit` rows of a query with a limit of `limit` + 1. */
export function cursorPage<Column extends SortColumn, Row extends Sorted<Column>>(
  rows: readonly Row[],
  limit: number,
  column: Column,
): CursorPage<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), nextId: last ? encodeCursor(last[column], last.id) : null };
}

/** Returns the condition for rows after the cursor. @throws UnknownCursor */
export function cursorAfter(
  cursor: string,
  column: SortColumn,
  ids: 'number' | 'uuid' = 'uuid',
): Expression<SqlBool> {
  const { instant, id: text } = decodeCursor(cursor);
  const id = ids === 'number' ? Number(text) : text;
  if (ids === 'number' && !Number.isSafeInteger(id)) throw unknownCursor();
  return sql<SqlBool>`(${sql.ref(column)}, id) < (${instant}, ${id})`;
}

/** A list or a page of a list, whose rows are large: their IDs and sizes are read first, then the rows in chunks. */
export interface Listing<Row> {
  /** Number of rows found. Rows deleted before they are read are missing from the chunks. */
  readonly length: number;
  /** The cursor of the next page; null on the last page. */
  readonly nextId: string | null;
  /** The rows in order. Can be read once. */
  readonly chunks: AsyncIterable<readonly Row[]>;
}

/** The ID and size of a row that is not read yet. */
export interface RowSize<Id> {
  readonly id: Id;
  readonly bytes: number;
}

/** Maximum bytes of a chunk; a larger row is a separate chunk. */
const MAX_CHUNK_BYTES = 512 * 1024;

/** Reads the rows in chunks. `read` returns the rows with the given IDs in list order. */
export async function* readInChunks<Id, Row>(
  rows: readonly RowSize<Id>[],
  read: (ids: readonly Id[]) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let ids: Id[] = [];
  let size = 0;
  for (const { id, bytes } of rows) {
    if (ids.length > 0 && size + Number(bytes) > MAX_CHUNK_BYTES) {
      yield await read(ids);
      ids = [];
      size = 0;
    }
    ids.push(id);
    size += Number(bytes);
  }
  if (ids.length > 0) yield await read(ids);
}

/** Returns all rows at once. */
export async function rowsOf<Row>({ chunks }: Pick<Listing<Row>, 'chunks'>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows;
}

const MIN_UUID = '00000000-0000-0000-0000-000000000000';
const MAX_UUID = MIN_UUID.replaceAll('0', 'f');
/** A shorter prefix matches too many IDs. */
const MIN_PREFIX_LENGTH = 4;

/**
 * Returns the first and the last UUID with the prefix, ignoring case, so that both databases use their index; undefined if it
 * is not a prefix of a UUID.
 */
export function uuidRange(text: string): { readonly first: string; readonly last: string } | undefined {
  const prefix = text.toLowerCase();
  const first = prefix + MIN_UUID.slice(prefix.length);
  if (prefix.length < MIN_PREFIX_LENGTH || !UUID.test(first)) return undefined;
  return { first, last: prefix + MAX_UUID.slice(prefix.length) };
}
