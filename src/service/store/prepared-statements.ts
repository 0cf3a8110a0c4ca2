/** Compiles frequent statements once and reuses their SQL with other values. */
import { type Compilable, CompiledQuery } from 'kysely';
import type { StoreContext } from './context.ts';
import type { DialectName, Executor } from './tables.ts';

type Value = string | number | null;
/** A list contains values, or rows that all have the same columns. */
type Given = Value | readonly Value[] | readonly object[];

/** A placeholder in a compiled statement: refers to an argument, to an item of a list, or to a column of a row in it. */
class Slot {
  readonly argument: number;
  readonly place: number;
  readonly column: string | undefined;
  constructor(argument: number, place = 0, column?: string) {
    this.argument = argument;
    this.place = place;
    this.column = column;
  }

  of(values: readonly Given[]): unknown {
    const given = values[this.argument];
    if (!isList(given)) return given;
    const item: unknown = given[Math.min(this.place, given.length - 1)];
    return this.column === undefined ? item : (item as Readonly<Record<string, unknown>>)[this.column];
  }
}

/** A list is padded with its last item to one of these lengths, and a longer list to a multiple of the longest. */
const LENGTHS = [1, 4, 16, 64, 128, 256, 512, 1024];
const LONGEST = 1024;
/** Maximum number of rows that one statement writes. */
const PORTION = 64;

/**
 * Returns a function that runs the statement of `compose` with other values each time. `compose` runs once for each dialect
 * and list length, with placeholders instead of values: it must only pass them on. Lists are padded by repeating the last
 * item, so a repeated item must not change the result unless the list comes from `portions`. Lists must not be empty.
 */
export function kept<Values extends readonly Given[], Row>(
  compose: (db: Executor, ...values: Values) => Compilable<Row>,
): (context: Pick<StoreContext, 'db' | 'dialect' | 'atOnce'>, ...values: Values) => Promise<Row[]> {
  const composed = new Map<string, { readonly statement: CompiledQuery; readonly isRead: boolean }>();
  return async ({ db, dialect, atOnce }, ...values) => {
    const form = formOf(dialect, values);
    let found = composed.get(form);
    if (found === undefined) {
      const { sql, parameters } = compose(
        db,
        ...(values.map(slotsFor) as readonly unknown[] as Values),
      ).compile();
      // Only the SQL text is stored: the query tree is many times as large.
      found = { statement: CompiledQuery.raw(sql, [...parameters]), isRead: /^\s*select\b/i.test(sql) };
      composed.set(form, found);
    }
    const { statement, isRead } = found;
    const parameters = statement.parameters.map((value) =>
      value instanceof Slot ? value.of(values) : value,
    );
    const rows = isRead ? atOnce?.(statement.sql, parameters) : undefined;
    if (rows !== undefined) return rows as Row[];
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}

/** Splits rows into chunks of the padded lengths, so that each chunk matches a prepared statement. */
export function* portions<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; ) {
    const most = Math.min(PORTION, rows.length - from);
    const length = LENGTHS.findLast((one) => one <= most) ?? 1;
    yield rows.slice(from, from + length);
    from += length;
  }
}

const isList = (given: Given | undefined): given is readonly Value[] | readonly object[] =>
  Array.isArray(given);
const lengthFor = (length: number) =>
  LENGTHS.find((one) => one >= length) ?? Math.ceil(length / LONGEST) * LONGEST;

function formOf(dialect: DialectName, values: readonly Given[]): string {
  let form: string = dialect;
  for (const given of values) if (isList(given)) form += ` ${lengthFor(given.length)}`;
  return form;
}

function slotsFor(given: Given, argument: number): Slot | readonly unknown[] {
  if (!isList(given)) return new Slot(argument);
  const [first] = given;
  return Array.from({ length: lengthFor(given.length) }, (_, place) => {
    if (typeof first !== 'object' || first === null) return new Slot(argument, place);
    const columns = Object.keys(first).map((name) => [name, new Slot(argument, place, name)]);
    return Object.fromEntries(columns);
  });
}
