/** Reads lists whose rows may be large: first their IDs and sizes, then a few rows at a time. */

/** How many bytes of rows are read at once; a row that is larger is read alone. */
const PORTION_BYTES = 512 * 1024;

/** A list, or a page of one. */
export interface Listing<Row> {
  /** How many rows were found. One that is deleted before it is read is left out. */
  readonly length: number;
  /** What a list by cursor continues with; null on its last page. */
  readonly nextId: string | null;
  /** The rows in their order. Read once. */
  readonly portions: AsyncIterable<readonly Row[]>;
}

/** A row before it is read. */
export interface Found<Id> {
  readonly id: Id;
  readonly bytes: number;
}

/** Reads the rows in portions. `read` returns those of some ids, in the order of the list. */
export async function* inPortions<Id, Row>(
  found: readonly Found<Id>[],
  read: (ids: readonly Id[]) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let ids: Id[] = [];
  let size = 0;
  for (const { id, bytes } of found) {
    if (ids.length > 0 && size + Number(bytes) > PORTION_BYTES) {
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
export async function rowsOf<Row>({ portions }: Pick<Listing<Row>, 'portions'>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const portion of portions) rows.push(...portion);
  return rows;
}
