/** Opens the SQLite database through libsql: durable after each commit, and locked by a single service. */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely';
import type Libsql from 'libsql';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/files.ts';
import { type ChangeCounter, type ChangeCounts, createChangeCounter } from './change-counter.ts';
import type { ReadSync } from './context.ts';
import { codeOf } from './errors.ts';
import { toBindable } from './guard-dialect.ts';

/** How long to wait for the lock of a service that is just stopping, in ms. */
const BUSY_TIMEOUT_MS = 1_000;

/** Creates a missing folder (0700) and file (0600). Never opens an existing file, because closing it would drop its locks. */
export function prepareFile(file: string): void {
  makeFolder(path.dirname(file));
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) closeSync(openSync(file, 'ax', 0o600));
  else if (!stats.isFile()) throw notWritable(file);
  else if ((stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function notWritable(file: string, cause?: unknown): UsageError {
  return new UsageError(`the database ${file} cannot be written`, {
    hint: 'choose a writable folder with --data',
    cause,
  });
}

function fileExists(file: string): UsageError {
  return new UsageError(`${file} already exists`, { hint: 'choose a file name that does not exist yet' });
}

const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/** Converts an error of SQLite to a UsageError for the operator; returns other errors unchanged. */
export function toUsageError(file: string, error: unknown): unknown {
  const code = codeOf(error) ?? '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new UsageError(`the database ${file} is in use by another service`, {
      hint: 'stop the other service, or use another folder with --data',
      cause: error,
    });
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new UsageError(`${file} is not a sonde database, or it is damaged`, {
      hint: 'restore a backup, or use another folder with --data',
      cause: error,
    });
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new UsageError(`the database ${file} cannot be written: no space is left on the device`, {
      hint: 'free disk space, or use another folder with --data',
      cause: error,
    });
  }
  // libsql reports a failure to open (SQLite's code 14) only in its message.
  const cannotOpen = error instanceof Error && error.message.includes('Unable to open connection');
  // On a read-only disk an existing file can be opened but not locked.
  const isDiskFault = code.startsWith('SQLITE_IOERR');
  if (cannotOpen || isDiskFault || NOT_WRITABLE.includes(code)) return notWritable(file, error);
  return error;
}

/** Checkpoint after 16 MB: pages that every batch changes are then written to the file once for many batches. */
const LOG_PAGES = 4000;
/** Maximum number of prepared statements. */
const MAX_STATEMENTS = 200;
/** Longer statements contain many rows and are rarely reused, except for full batches. */
const LONG_STATEMENT = 2000;
const MAX_LONG_STATEMENTS = 8;

/**
 * Prepares a libsql statement. It reads rows as arrays, because libsql is 50 % slower with column names. It never uses `get`,
 * which leaves the statement open: it may then return the row of earlier parameters.
 */
function statementOf(database: Libsql.Database, changes: ChangeCounter, text: string): SqliteStatement {
  const countChange = changes.counterFor(text);
  const statement = database.prepare(text);
  const { reader } = statement;
  if (reader) statement.raw();
  const names = reader ? statement.columns().map(({ name }) => name) : [];
  const row = (values: readonly unknown[]) => {
    const named: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) named[names[index] ?? ''] = values[index];
    return named;
  };
  return {
    reader,
    all(parameters) {
      countChange?.();
      return (statement.all(parameters) as unknown[][]).map(row);
    },
    run(parameters) {
      countChange?.();
      return statement.run(parameters);
    },
    *iterate(parameters) {
      countChange?.();
      for (const values of statement.iterate(parameters)) yield row(values as unknown[]);
    },
  };
}

/** Caches prepared statements, because the engine repeats a few of them. Evicts the least recently used. */
function cacheStatements(prepare: (text: string) => SqliteStatement): (text: string) => SqliteStatement {
  const short = cacheRecent(MAX_STATEMENTS, prepare);
  const long = cacheRecent(MAX_LONG_STATEMENTS, prepare);
  return (text) => (text.length > LONG_STATEMENT ? long : short)(text);
}

/** Caches the results of `make` for the `most` most recently used texts. */
function cacheRecent<T>(most: number, make: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    const known = cache.get(text);
    const value = known ?? make(text);
    if (known !== undefined) cache.delete(text);
    cache.set(text, value);
    const [oldest] = cache.keys();
    if (cache.size > most && oldest !== undefined) cache.delete(oldest);
    return value;
  };
}

/**
 * Opens the file. WAL with synchronous=FULL makes each commit durable. locking_mode=EXCLUSIVE, set before WAL, admits one
 * service per file and needs no shared memory file.
 * @throws UsageError if another service uses the file, it is not a store, or it cannot be written.
 */
export async function openSqliteFile(file: string) {
  const { default: Database } = await import('libsql');
  try {
    prepareFile(file);
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec('PRAGMA locking_mode = EXCLUSIVE');
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = FULL');
      database.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
      database.exec('PRAGMA foreign_keys = ON');
      database.exec('BEGIN EXCLUSIVE; COMMIT');
    } catch (error) {
      database.close();
      throw error;
    }
    let isOpen = true;
    const opened = statSync(file);
    const changes = createChangeCounter(
      (table) =>
        database
          .prepare(
            `SELECT DISTINCT child.name FROM sqlite_schema child, pragma_foreign_key_list(child.name) key
             WHERE child.type = 'table' AND key."table" = ?`,
          )
          .pluck()
          .all(table) as string[],
    );
    const prepare = cacheStatements((text) => statementOf(database, changes, text));
    const close = () => {
      if (isOpen) database.close();
      isOpen = false;
    };
    /** Runs a read synchronously. Call it only while the connection is idle. */
    const readSync: ReadSync = (text, parameters) => {
      try {
        return isOpen ? prepare(text).all(parameters.map(toBindable)) : undefined;
      } catch {
        // The caller queues the statement, which then fails again with a proper error.
        return undefined;
      }
    };
    const dialect: Dialect = new SqliteDialect({
      database: {
        prepare(text) {
          // Callers may still get the connection after it is closed, and libsql would end the process.
          if (!isOpen) throw new Error('the store is closed');
          return prepare(text);
        },
        close,
      },
    });
    return {
      /** Counts of writes by table. Complete, because no other process opens the file. */
      changes: changes as ChangeCounts,
      readSync,
      dialect,
      /** Returns a problem if the file was removed or replaced: later writes are lost when the process ends. */
      problem() {
        const stats = statSync(file, { throwIfNoEntry: false });
        return stats?.ino === opened.ino ? undefined : 'the file of the database was removed or replaced';
      },
      isInTransaction: () => isOpen && database.inTransaction,
      /** Checkpoints the write-ahead log and releases the lock, so that another process can open the file immediately. */
      release() {
        try {
          // libsql closes the connection only after garbage collection of its statements, so release the locks now.
          database.exec('PRAGMA journal_mode = DELETE');
          database.exec('PRAGMA locking_mode = NORMAL');
          database.exec('SELECT count(*) FROM sqlite_schema');
        } catch {
          // An unfinished statement prevents it. The next process to open the file recovers the log.
        }
      },
      /** Writes a complete copy of the store atomically. @throws UsageError if the file exists. */
      backup(to: string) {
        if (existsSync(to)) throw fileExists(to);
        const part = `${to}.part`;
        rmSync(part, { force: true });
        // SQLite accepts an existing empty file, so the copy is private from its first byte.
        const descriptor = openSync(part, 'wx', 0o600);
        try {
          database.prepare('VACUUM INTO ?').run(part);
          fsyncSync(descriptor);
          renameSync(part, to);
        } finally {
          closeSync(descriptor);
          rmSync(part, { force: true });
        }
      },
      close,
    };
  } catch (error) {
    throw toUsageError(file, error);
  }
}
