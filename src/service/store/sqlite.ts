/** The store in one file: SQLite through libsql, written through to the disk and held by one service alone. */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely';
import type Libsql from 'libsql';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/folder.ts';
import { type ChangeCounter, type Changes, changeCounter } from './changes.ts';
import type { AtOnce } from './context.ts';
import { codeOf } from './errors.ts';
import { bindable } from './guard.ts';

/** How long a second opener waits for the first to let go, in ms: a service that is just stopping. */
const BUSY_TIMEOUT_MS = 1_000;

/** The file, opened. */
export interface SqliteFile {
  readonly dialect: Dialect;
  /** What was written through the one connection: nobody else has the file. */
  readonly changes: Changes;
  /** Asks at once: for when nobody has the connection. */
  readonly atOnce: AtOnce;
  /** Whether the file is there no more: what is written then is lost with the process. */
  problem(): string | undefined;
  /** Whether a transaction is open on the one connection. */
  isInTransaction(): boolean;
  /** Empties the write-ahead log and lets the file go, so that another may open it at once. */
  release(): void;
  /** Writes a copy of the whole store, complete or not at all. @throws UsageError where the file is there already. */
  backup(to: string): void;
  close(): void;
}

/** Makes folder (0700) and file (0600) where they are missing; never opens a file that is there: that drops its locks. */
function prepareFile(file: string): void {
  makeFolder(path.dirname(file));
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'ax', 0o600));
  else if (!found.isFile()) throw notWritable(file);
  else if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function notWritable(file: string, cause?: unknown): UsageError {
  return new UsageError(`the database ${file} cannot be written`, {
    hint: 'choose a writable folder with --data',
    cause,
  });
}

function taken(file: string): UsageError {
  return new UsageError(`${file} already exists`, { hint: 'choose a file name that does not exist yet' });
}

const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/** What an error of SQLite means to whoever starts the service; others as they came. */
export function refusal(file: string, error: unknown): unknown {
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
  // libsql tells a failure to open (SQLite's 14) in its message alone.
  const cannotOpen = error instanceof Error && error.message.includes('Unable to open connection');
  // On a read-only disk a file that is there can be opened, and not locked.
  const isDiskFault = code.startsWith('SQLITE_IOERR');
  if (cannotOpen || isDiskFault || NOT_WRITABLE.includes(code)) return notWritable(file, error);
  return error;
}

/** The write-ahead log goes into the file at 16 MB: the pages that every batch changes go there once for many batches. */
const LOG_PAGES = 4000;
/** How many statements are kept prepared. */
const KEPT = 200;
/** Longer ones are many rows at once: seldom the same number of them twice, but for full batches. */
const LONG = 2000;
const KEPT_LONG = 8;

/**
 * A statement of libsql. Its rows come as lists of values: with a name for each value, libsql takes half as long again. Never its
 * `get`: that leaves the statement open, and it may then answer other values with the row of those before.
 */
function statementOf(database: Libsql.Database, changes: ChangeCounter, text: string): SqliteStatement {
  const notice = changes.noticing(text);
  const made = database.prepare(text);
  const { reader } = made;
  if (reader) made.raw();
  const names = reader ? made.columns().map(({ name }) => name) : [];
  const row = (values: readonly unknown[]) => {
    const named: Record<string, unknown> = {};
    for (let place = 0; place < names.length; place += 1) named[names[place] ?? ''] = values[place];
    return named;
  };
  return {
    reader,
    all(parameters) {
      notice?.();
      return (made.all(parameters) as unknown[][]).map(row);
    },
    run(parameters) {
      notice?.();
      return made.run(parameters);
    },
    *iterate(parameters) {
      notice?.();
      for (const values of made.iterate(parameters)) yield row(values as unknown[]);
    },
  };
}

/** Prepares each statement once: the engine asks the same few again and again. The one used longest ago goes first. */
function preparing(prepare: (text: string) => SqliteStatement): (text: string) => SqliteStatement {
  const short = recent(KEPT, prepare);
  const long = recent(KEPT_LONG, prepare);
  return (text) => (text.length > LONG ? long : short)(text);
}

/** What `make` made of the last `most` texts that were asked for. */
function recent<T>(most: number, make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    const made = known ?? make(text);
    if (known !== undefined) kept.delete(text);
    kept.set(text, made);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}

/**
 * Opens the file. WAL with synchronous=FULL: what was committed is on the disk. locking_mode=EXCLUSIVE, set before WAL:
 * one service a file, and no shared memory beside it.
 * @throws UsageError where another service has it, it is no store, or it can't be written.
 */
export async function openSqliteFile(file: string): Promise<SqliteFile> {
  const { default: Opening } = await import('libsql');
  try {
    prepareFile(file);
    const database = new Opening(file, { timeout: BUSY_TIMEOUT_MS });
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
    const changes = changeCounter(
      (table) =>
        database
          .prepare(
            `SELECT DISTINCT child.name FROM sqlite_schema child, pragma_foreign_key_list(child.name) key
             WHERE child.type = 'table' AND key."table" = ?`,
          )
          .pluck()
          .all(table) as string[],
    );
    const prepare = preparing((text) => statementOf(database, changes, text));
    const close = () => {
      if (isOpen) database.close();
      isOpen = false;
    };
    return {
      changes,
      atOnce(text, parameters) {
        try {
          return isOpen ? prepare(text).all(parameters.map(bindable)) : undefined;
        } catch {
          // Asked in its turn it fails again, and says so as everything does.
          return undefined;
        }
      },
      dialect: new SqliteDialect({
        database: {
          prepare(text) {
            // Who was still waiting for the connection gets it after the end: libsql would end the process.
            if (!isOpen) throw new Error('the store is closed');
            return prepare(text);
          },
          close,
        },
      }),
      problem() {
        const found = statSync(file, { throwIfNoEntry: false });
        return found?.ino === opened.ino ? undefined : 'the file of the database was removed or replaced';
      },
      isInTransaction: () => isOpen && database.inTransaction,
      release() {
        try {
          // libsql keeps the connection until its statements are collected: the locks must go before.
          database.exec('PRAGMA journal_mode = DELETE');
          database.exec('PRAGMA locking_mode = NORMAL');
          database.exec('SELECT count(*) FROM sqlite_schema');
        } catch {
          // A statement is unfinished: the log stays for the next opener, the lock until this process ends.
        }
      },
      backup(to) {
        if (existsSync(to)) throw taken(to);
        const part = `${to}.part`;
        rmSync(part, { force: true });
        // SQLite fills an empty file that is there: so it is the owner's alone from its first byte.
        const made = openSync(part, 'wx', 0o600);
        try {
          database.prepare('VACUUM INTO ?').run(part);
          fsyncSync(made);
          renameSync(part, to);
        } finally {
          closeSync(made);
          rmSync(part, { force: true });
        }
      },
      close,
    };
  } catch (error) {
    throw refusal(file, error);
  }
}
