/** Defines the store's errors, and converts database errors to them. */
import { SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';

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

/** Sentences by code: SQLSTATE, SQLite's name, or the system's name. They are public, so they name no host and no file. */
const BY_CODE: readonly (readonly [code: RegExp, sentence: string])[] = [
  [/^(53100|SQLITE_FULL)/, 'the disk of the database is full'],
  [/^53300$/, 'the database accepts no more connections'],
  [/^53/, 'the database lacks resources'],
  [/^(25006|SQLITE_READONLY)/, 'the database is read-only'],
  [/^57P0[123]$/, 'the database is starting or stopping'],
  [/^57P0/, 'the database ended the connection'],
  [/^(57014|55P03|25P03|ETIMEDOUT)$/, 'the database did not respond in time'],
  [/^(08|ECONN|EPIPE|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/, 'the database cannot be reached'],
  [/^SQLITE_(BUSY|LOCKED)/, 'the database is locked by another process'],
  [/^(58030|SQLITE_IOERR|SQLITE_CANTOPEN)/, 'the disk of the database failed'],
];

/** Sentences by message, for errors of the driver without a code. */
const BY_MESSAGE: readonly (readonly [message: RegExp, sentence: string])[] = [
  [/^(Query read timeout|timeout e)|connection timeout/, 'the database did not respond in time'],
  [
    /^(Connection terminated|Client (has encountered|was closed)|Cannot use a pool|driver has already)/,
    'the database cannot be reached',
  ],
];

interface RawError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
}

/** Returns a sentence that describes the fault; undefined if the error is not a database fault. */
export function faultSentence(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message, syscall } = error as RawError;
  if (typeof code === 'string') {
    // The socket file is missing because the server is not running.
    if (code === 'ENOENT') return syscall === 'connect' ? 'the database cannot be reached' : undefined;
    return BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
  }
  return typeof message === 'string' ? BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] : undefined;
}

/** Returns whether the failed statement may have taken effect: the connection was lost before the response. */
function isOutcomeUnknown({ code }: RawError): boolean {
  if (typeof code !== 'string') return true;
  if (code.startsWith('SQLITE_')) return code.startsWith('SQLITE_IOERR');
  const isSqlState = /^\d[\dA-Z]{4}$/.test(code);
  return !isSqlState || /^(08|57P0)/.test(code);
}

/** The database failed. Uncaught at startup, the process exits with 6, and supervisors restart it. */
export class DatabaseFault extends SondeError {
  readonly kind = 'database';
  readonly exitCode = EXIT.unreachable;
  /** The code of the database, the driver or the system. */
  readonly code?: string;
  /** Whether the write may have been stored: the commit was sent, but no response arrived. */
  readonly mayHaveActed: boolean;

  constructor(sentence: string, mayHaveActed: boolean, cause: unknown) {
    super(sentence, { cause });
    const { code } = (cause ?? {}) as RawError;
    if (typeof code === 'string') this.code = code;
    this.mayHaveActed = mayHaveActed;
  }
}

/** Converts an error to a DatabaseFault if it is one; returns other errors unchanged. `isWrite`: the failed operation was a write. */
export function asFault(error: unknown, isWrite: boolean): unknown {
  if (error instanceof DatabaseFault) return error;
  const sentence = faultSentence(error);
  if (sentence === undefined) return error;
  return new DatabaseFault(sentence, isWrite && isOutcomeUnknown(error as RawError), error);
}
