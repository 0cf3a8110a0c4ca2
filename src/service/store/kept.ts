/** Statements that are composed once: what is asked with every request, and of every check, is not put together each time. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { StoreContext } from './context.ts';
import type { DialectName, Executor } from './tables.ts';

type Value = string | number | null;
/** A list is of values, or of rows: those of one list have the same columns. */
type Given = Value | readonly Value[] | readonly object[];

/** Stands in a composed statement where a value goes. */
class Slot {
  readonly of: (given: readonly Given[]) => unknown;
  constructor(of: (given: readonly Given[]) => unknown) {
    this.of = of;
  }
}

/** A list is filled up to one of these lengths by its last item, and a longer one to a multiple of the longest. */
const LENGTHS = [1, 4, 16, 64];
const LONGEST = 64;

/**
 * Asks the statement that `compose` makes, with other values each time. `compose` is called once a dialect and length of
 * lists, with what stands for the values: it hands them on to where they go, and looks at none. A list may be filled up by
 * repeating its last item: it fits where an item that is there twice means the same, or comes from `portions`. No list may be
 * empty.
 */
export function kept<Values extends readonly Given[], Row>(
  compose: (db: Executor, ...values: Values) => Compilable<Row>,
): (context: Pick<StoreContext, 'db' | 'dialect' | 'atOnce'>, ...values: Values) => Promise<Row[]> {
  const composed = new Map<string, { readonly statement: CompiledQuery<Row>; readonly isRead: boolean }>();
  return async ({ db, dialect, atOnce }, ...values) => {
    const form = formOf(dialect, values);
    let found = composed.get(form);
    if (found === undefined) {
      const statement = compose(db, ...(values.map(slotsFor) as readonly unknown[] as Values)).compile();
      found = { statement, isRead: /^\s*select\b/i.test(statement.sql) };
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
    const length = LENGTHS.findLast((one) => one <= rows.length - from) ?? 1;
    yield rows.slice(from, from + length);
    from += length;
  }
}

const isList = (given: Given): given is readonly Value[] | readonly object[] => Array.isArray(given);
const lengthFor = (length: number) =>
  LENGTHS.find((one) => one >= length) ?? Math.ceil(length / LONGEST) * LONGEST;

function formOf(dialect: DialectName, values: readonly Given[]): string {
  let form: string = dialect;
  for (const given of values) if (isList(given)) form += ` ${lengthFor(given.length)}`;
  return form;
}

function slotsFor(given: Given, argument: number): Slot | readonly unknown[] {
  if (!isList(given)) return new Slot((values) => values[argument]);
  const [first] = given;
  const item = (values: readonly Given[], place: number): unknown => {
    const list = values[argument] as readonly unknown[];
    return list[Math.min(place, list.length - 1)];
  };
  return Array.from({ length: lengthFor(given.length) }, (_, place) => {
    if (typeof first !== 'object' || first === null) return new Slot((values) => item(values, place));
    const columns = Object.keys(first).map((name) => [
      name,
      new Slot((values) => (item(values, place) as Readonly<Record<string, unknown>>)[name]),
    ]);
    return Object.fromEntries(columns);
  });
}
