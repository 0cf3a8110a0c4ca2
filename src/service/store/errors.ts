/** What the store refuses by name, and how the databases' own errors are told apart. */

import { asFault } from './faults.ts';

/** A rule of the data stands against the write; the transaction it happened in cannot be committed any more. */
export class StoreConflict extends Error {
  /** `unique`: another row has the value already. `reference`: a row it names isn't there, or others still name it. */
  readonly reason: 'unique' | 'reference';
  /** The table whose rule it is, where the database tells. */
  readonly table: string | undefined;

  constructor(reason: 'unique' | 'reference', table: string | undefined, cause: unknown) {
    super(reason === 'unique' ? 'the value is taken' : 'a row that is named is missing, or still named', {
      cause,
    });
    this.name = 'StoreConflict';
    this.reason = reason;
    this.table = table;
  }
}

/** A cursor that no list has given out. */
export class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor';
}

const UNIQUE = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']);
const REFERENCE = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', '23503']);
const RETRYABLE = new Set(['40001', '40P01']);

function field(error: unknown, name: 'code' | 'table' | 'message'): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** The code of a database's error: SQLite's name (`SQLITE_BUSY`) or Postgres' five characters. */
export const codeOf = (error: unknown): string | undefined => field(error, 'code');

/** Whether the same transaction, done again, may succeed: Postgres gave it up for another's sake. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(codeOf(error) ?? '');
}

/** A database's error as a StoreConflict or a DatabaseFault where it is one, else as it came. `isWrite`: of {@link asFault}. */
export function translated(error: unknown, isWrite: boolean): unknown {
  const code = codeOf(error) ?? '';
  const table =
    field(error, 'table') ?? /^UNIQUE constraint failed: (\w+)\./.exec(field(error, 'message') ?? '')?.[1];
  if (UNIQUE.has(code)) return new StoreConflict('unique', table, error);
  if (REFERENCE.has(code)) return new StoreConflict('reference', table, error);
  return asFault(error, isWrite);
}
