/** Statements that are composed once: what is asked with every request is not put together with every request. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { StoreContext } from './context.ts';
import type { DialectName, Executor } from './tables.ts';

/** Stands in a composed statement where a value goes. */
class Slot {
  readonly place: number;
  constructor(place: number) {
    this.place = place;
  }
}

type Value = string | number;

/**
 * Asks the statement that `compose` makes, with other values each time. `compose` is called once a dialect, with what
 * stands for the values: it hands them on to where they go, and looks at none.
 */
export function kept<Values extends readonly Value[], Row>(
  compose: (db: Executor, ...values: Values) => Compilable<Row>,
): (context: Pick<StoreContext, 'db' | 'dialect' | 'atOnce'>, ...values: Values) => Promise<Row[]> {
  const composed = new Map<DialectName, CompiledQuery<Row>>();
  return async ({ db, dialect, atOnce }, ...values) => {
    let statement = composed.get(dialect);
    if (statement === undefined) {
      const slots = values.map((_, place) => new Slot(place)) as readonly unknown[] as Values;
      statement = compose(db, ...slots).compile();
      composed.set(dialect, statement);
    }
    const parameters = statement.parameters.map((value) =>
      value instanceof Slot ? values[value.place] : value,
    );
    const found = atOnce?.(statement.sql, parameters);
    if (found !== undefined) return found as Row[];
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}
