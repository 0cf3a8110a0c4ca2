/** Reads lists of large rows: first their IDs and sizes, then the rows in chunks. */

/** Maximum bytes of a chunk; a larger row is a chunk of its own. */
const MAX_CHUNK_BYTES = 512 * 1024;

/** A list or a page of a list. */
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
