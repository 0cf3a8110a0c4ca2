/** Backups as files: what is in one, whether it is sound, and putting one in the place of a store. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/folder.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { countArtifacts, putArtifacts, takeArtifacts } from './backup-artifacts.ts';

/** What a backup holds. */
export interface BackupContents {
  /** The last change of the tables that it has had. */
  readonly schema: string;
  readonly accounts: number;
  readonly checks: number;
  readonly results: number;
  /** Pictures and traces of runs; undefined where it was made without them. */
  readonly artifacts: number | undefined;
  readonly bytes: number;
}

const noBackup = (file: string, cause?: unknown) =>
  new UsageError(`${file} is not a backup of a sonde service, or it is damaged`, {
    hint: 'use a file that was created with: sonde service backup',
    cause,
  });

/**
 * Reads a backup through and says what is in it.
 * @throws UsageError where it is none, is damaged, or was made by a newer program.
 */
export async function inspectBackup(file: string): Promise<BackupContents> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`backup ${file} not found`);
  const { default: Libsql } = await import('libsql');
  let database: InstanceType<typeof Libsql> | undefined;
  try {
    database = new Libsql(file);
    const value = (sql: string): unknown => Object.values(database?.prepare(sql).get() as object)[0];
    if (value('PRAGMA integrity_check') !== 'ok') throw noBackup(file);
    const names = (
      database.prepare('select name from schema_migrations order by name').all() as { name: string }[]
    ).map(({ name }) => name);
    const unknown = names.filter((name) => !MIGRATIONS.some((migration) => migration.name === name));
    if (unknown.length > 0) {
      throw new UsageError(
        `the backup was created by a newer version of sonde (unknown migrations: ${unknown.join(', ')})`,
        {
          hint: 'restore it with that version',
        },
      );
    }
    const count = (table: string) => Number(value(`select count(*) from ${table}`));
    return {
      schema: names.at(-1) ?? 'none',
      ...{ accounts: count('accounts'), checks: count('checks'), results: count('results') },
      artifacts: countArtifacts(database),
      bytes: found.size,
    };
  } catch (error) {
    throw error instanceof UsageError ? error : noBackup(file, error);
  } finally {
    database?.close();
  }
}

/** Opens a file that is nobody else's yet, for writing without a log beside it. */
async function openPart(part: string) {
  const { default: Libsql } = await import('libsql');
  const database = new Libsql(part);
  database.exec('pragma journal_mode = off');
  database.exec('pragma synchronous = off');
  return database;
}

/** Waits until the disk has a file. */
function settle(path: string): void {
  const opened = openSync(path, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

const removeParts = (part: string): void => {
  for (const left of [part, `${part}-wal`, `${part}-shm`]) rmSync(left, { force: true });
};

export interface BackupWritten extends BackupContents {
  /** Pictures and traces that results name and that were no longer there. */
  readonly missing: number;
}

/**
 * Writes a backup (0600), which is there only once it is whole and was read through. `copy` writes the store as it is now into a new
 * file; `artifacts`: the folder of pictures and traces, where they are to be in it.
 * @throws UsageError where the file is there already
 */
export async function writeBackup(
  file: string,
  copy: (to: string) => Promise<void>,
  artifacts: string | undefined,
): Promise<BackupWritten> {
  if (existsSync(file)) {
    throw new UsageError(`${file} already exists`, {
      hint: 'use another file name, or move the existing file',
    });
  }
  const part = `${file}.making`;
  removeParts(part);
  try {
    await copy(part);
    let missing = 0;
    if (artifacts !== undefined) {
      const database = await openPart(part);
      try {
        ({ missing } = await putArtifacts(database, artifacts));
      } finally {
        database.close();
      }
    }
    const contents = await inspectBackup(part);
    settle(part);
    renameSync(part, file);
    return { ...contents, missing };
  } finally {
    removeParts(part);
  }
}

/** What a restore put aside; undefined where nothing stood there. */
export interface PutAside {
  readonly store: string | undefined;
  readonly artifacts: string | undefined;
}

/**
 * Puts a backup in the place of a store that nobody uses, and its pictures and traces, where it holds them, in the place of theirs. What stood
 * there is kept beside it, under the names that are answered. The store is the old one or the new one, whole, whenever it is
 * interrupted; the same restore again then brings the rest.
 */
export async function restoreBackup(
  file: string,
  { store, artifacts, stamp }: { readonly store: string; readonly artifacts: string; readonly stamp: string },
): Promise<PutAside> {
  makeFolder(dirname(store));
  const part = `${store}.restoring`;
  const folder = `${artifacts}.restoring`;
  removeParts(part);
  rmSync(folder, { recursive: true, force: true });
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    const { artifacts: count } = await inspectBackup(part);
    if (count !== undefined) {
      makeFolder(folder);
      const database = await openPart(part);
      try {
        await takeArtifacts(database, folder);
      } catch (error) {
        throw noBackup(file, error);
      } finally {
        database.close();
      }
    }
    settle(part);
    const aside = existsSync(store) ? `${store}.before-${stamp}` : undefined;
    if (aside !== undefined) {
      // The log of what stood there goes with it: it belongs to no other file.
      if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${aside}-wal`);
      renameSync(store, aside);
    }
    rmSync(`${store}-shm`, { force: true });
    renameSync(part, store);
    // A backup without them says nothing of those that lie there.
    if (count === undefined) return { store: aside, artifacts: undefined };
    const others = existsSync(artifacts) ? `${artifacts}.before-${stamp}` : undefined;
    if (others !== undefined) renameSync(artifacts, others);
    renameSync(folder, artifacts);
    return { store: aside, artifacts: others };
  } finally {
    removeParts(part);
    rmSync(folder, { recursive: true, force: true });
  }
}
