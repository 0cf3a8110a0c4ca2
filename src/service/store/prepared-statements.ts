/** Compiles frequent statements once and reuses their SQL with other values. */
import { type Compilable, CompiledQuery, type RawBuilder } from 'kysely';
import type { DialectName, Executor, StoreContext } from './context.ts';

type Value = string | number | null;
/** A list contains values, or rows that all have the same columns. */
type Argument = Value | readonly Value[] | readonly object[];

/** A placeholder in a compiled statement: refers to an argument, to an item of a list, or to a column of a row in it. */
class Placeholder {
  readonly argument: number;
  readonly index: number;
  readonly column: string | undefined;
  constructor(argument: number, index = 0, column?: string) {
    this.argument = argument;
    this.index = index;
    this.column = column;
  }

  resolve(values: readonly Argument[]): unknown {
    const value = values[this.argument];
    if (!isList(value)) return value;
    const item: unknown = value[Math.min(this.index, value.length - 1)];
    return this.column === undefined ? item : (item as Readonly<Record<string, unknown>>)[this.column];
  }
}

/** A list is padded with its last item to one of these lengths, and a longer list to a multiple of the longest. */
const PADDED_LENGTHS = [1, 4, 16, 64, 128, 256, 512, 1024];
const MAX_PADDED_LENGTH = 1024;
/** Maximum number of rows that one statement writes. */
const MAX_CHUNK_ROWS = 64;

/**
 * Returns a function that runs the statement of `build` with other values each time. `build` runs once for each dialect
 * and list length, with placeholders instead of values: it must only pass them on. Lists are padded by repeating the last
 * item, so a repeated item must not change the result unless the list comes from `splitIntoChunks`. Lists must not be empty.
 */
export function prepareStatement<Values extends readonly Argument[], Row>(
  build: (db: Executor, ...values: Values) => Compilable<Row>,
): (context: Pick<StoreContext, 'db' | 'dialect' | 'readSync'>, ...values: Values) => Promise<Row[]> {
  const cache = new Map<string, { readonly statement: CompiledQuery; readonly isRead: boolean }>();
  return async ({ db, dialect, readSync }, ...values) => {
    const key = cacheKeyOf(dialect, values);
    let prepared = cache.get(key);
    if (prepared === undefined) {
      const { sql, parameters } = build(
        db,
        ...(values.map(placeholdersFor) as readonly unknown[] as Values),
      ).compile();
      // Only the SQL text is stored: the query tree is many times as large.
      prepared = { statement: CompiledQuery.raw(sql, [...parameters]), isRead: /^\s*select\b/i.test(sql) };
      cache.set(key, prepared);
    }
    const { statement, isRead } = prepared;
    const parameters = statement.parameters.map((value) =>
      value instanceof Placeholder ? value.resolve(values) : value,
    );
    const rows = isRead ? readSync?.(statement.sql, parameters) : undefined;
    if (rows !== undefined) return rows as Row[];
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}

/** Prepares a raw statement; see {@link prepareStatement}. */
export const prepareSql = <Values extends readonly Argument[], Row>(
  build: (...values: Values) => RawBuilder<Row>,
) => prepareStatement((db, ...values: Values) => ({ compile: () => build(...values).compile(db) }));

/** Splits rows into chunks of the padded lengths, so that each chunk matches a prepared statement. */
export function* splitIntoChunks<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; ) {
    const most = Math.min(MAX_CHUNK_ROWS, rows.length - from);
    const length = PADDED_LENGTHS.findLast((one) => one <= most) ?? 1;
    yield rows.slice(from, from + length);
    from += length;
  }
}

const isList = (value: Argument | undefined): value is readonly Value[] | readonly object[] =>
  Array.isArray(value);
const paddedLength = (length: number) =>
  PADDED_LENGTHS.find((one) => one >= length) ?? Math.ceil(length / MAX_PADDED_LENGTH) * MAX_PADDED_LENGTH;

function cacheKeyOf(dialect: DialectName, values: readonly Argument[]): string {
  let key: string = dialect;
  for (const value of values) if (isList(value)) key += ` ${paddedLength(value.length)}`;
  return key;
}

function placeholdersFor(value: Argument, argument: number): Placeholder | readonly unknown[] {
  if (!isList(value)) return new Placeholder(argument);
  const [first] = value;
  return Array.from({ length: paddedLength(value.length) }, (_, index) => {
    if (typeof first !== 'object' || first === null) return new Placeholder(argument, index);
    const columns = Object.keys(first).map((name) => [name, new Placeholder(argument, index, name)]);
    return Object.fromEntries(columns);
  });
}
