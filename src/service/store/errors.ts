/** Defines the store's errors, and converts database errors to them. */
import { asFault } from './faults.ts';

/** A write violates a constraint. Its transaction can no longer be committed. */
export class StoreConflict extends Error {
  /** `unique`: another row has the value. `reference`: a referenced row is missing, or the row is still referenced. */
  readonly reason: 'unique' | 'reference';
  /** The table of the constraint, if the database reports it. */
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

/** A cursor that the store did not create. */
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

/** Returns the code of a database error: SQLite's name (`SQLITE_BUSY`) or the SQLSTATE. */
export const codeOf = (error: unknown): string | undefined => field(error, 'code');

/** Returns whether a retry of the transaction may succeed: it ended with a serialization failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(codeOf(error) ?? '');
}

/** Converts a database error to a StoreConflict or DatabaseFault; returns other errors unchanged. `isWrite`: see {@link asFault}. */
export function toStoreError(error: unknown, isWrite: boolean): unknown {
  const code = codeOf(error) ?? '';
  const table =
    field(error, 'table') ?? /^UNIQUE constraint failed: (\w+)\./.exec(field(error, 'message') ?? '')?.[1];
  if (UNIQUE.has(code)) return new StoreConflict('unique', table, error);
  if (REFERENCE.has(code)) return new StoreConflict('reference', table, error);
  return asFault(error, isWrite);
}
