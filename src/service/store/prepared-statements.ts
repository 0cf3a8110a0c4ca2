/** Statements that are composed once: what is asked with every request, and of every check, is not put together each time. */
import { type Compilable, CompiledQuery } from 'kysely';
import type { StoreContext } from './context.ts';
import type { DialectName, Executor } from './tables.ts';

type Value = string | number | null;
/** A list is of values, or of rows: those of one list have the same columns. */
type Given = Value | readonly Value[] | readonly object[];

/** Stands in a composed statement where a value goes: which of those given, of a list its item, of a row its column. */
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

/** A list is filled up to one of these lengths by its last item, and a longer one to a multiple of the longest. */
const LENGTHS = [1, 4, 16, 64, 128, 256, 512, 1024];
const LONGEST = 1024;
/** So many rows at most are written by one statement. */
const PORTION = 64;

/**
 * Asks the statement that `compose` makes, with other values each time. `compose` is called once a dialect and length of
 * lists, with what stands for the values: it hands them on to where they go, and looks at none. A list may be filled up by
 * repeating its last item: it fits where an item that is there twice means the same, or comes from `portions`. No list may be
 * empty.
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
      // Its text alone: the tree that it was made of is many times as large.
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

/** Rows in portions whose lengths are those of lists: each is written by a statement that is kept. */
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
