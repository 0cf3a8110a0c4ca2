/** Matches many values with one parameter: databases limit the number of parameters, and thousands take long to compile. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { StoreContext } from './context.ts';

/** Returns the condition that a column of text has one of the values. */
export const isOneOf = (
  { dialect }: Pick<StoreContext, 'dialect'>,
  column: string,
  values: readonly string[],
): RawBuilder<SqlBool> =>
  dialect === 'postgres'
    ? sql`${sql.ref(column)} = any(${values})`
    : sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
