/** Writes, inspects and restores backup files. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
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
import { fileFaultCode, toFileError } from '../../base/file-fault.ts';
import { makeFolder } from '../../base/files.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { toBackupError } from './administration.ts';
import { addArtifacts, countArtifacts, extractArtifacts } from './backup-artifacts.ts';

export interface BackupContents {
  readonly schema: string;
  readonly accounts: number;
  readonly checks: number;
  readonly results: number;
  /** Number of screenshots and traces; undefined if the backup excludes them. */
  readonly artifacts: number | undefined;
  readonly bytes: number;
}

const invalidBackup = (file: string, cause?: unknown) =>
  new UsageError(`${file} is not a backup of a sonde service, or it is damaged`, {
    hint: 'use a file that was created with: sonde service backup',
    cause,
  });

/** Returns the stats of a file; undefined if there is none. @throws UsageError if the file cannot be read. */
function readStats(file: string) {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined) accessSync(file, constants.R_OK);
    return stats;
  } catch (error) {
    throw toFileError(`read the backup ${file}`, error, 'pass a file that you may read');
  }
}

/**
 * Verifies a backup and returns its contents.
 * @throws UsageError if it is no backup, is damaged, or was made by a newer version.
 */
export async function inspectBackup(file: string): Promise<BackupContents> {
  const stats = readStats(file);
  if (!stats?.isFile()) throw new UsageError(`backup ${file} not found`);
  const { default: Libsql } = await import('libsql');
  let database: InstanceType<typeof Libsql> | undefined;
  try {
    database = new Libsql(file);
    const value = (sql: string): unknown => Object.values(database?.prepare(sql).get() as object)[0];
    if (value('PRAGMA integrity_check') !== 'ok') throw invalidBackup(file);
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
      accounts: count('accounts'),
      checks: count('checks'),
      results: count('results'),
      artifacts: countArtifacts(database),
      bytes: stats.size,
    };
  } catch (error) {
    throw error instanceof UsageError ? error : invalidBackup(file, error);
  } finally {
    database?.close();
  }
}

/** Opens a partial file for writing, without a journal: nobody else reads it yet. */
async function openPartialFile(part: string) {
  const { default: Libsql } = await import('libsql');
  const database = new Libsql(part);
  database.exec('pragma journal_mode = off');
  database.exec('pragma synchronous = off');
  return database;
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const removePartialFiles = (part: string): void => {
  for (const path of [part, `${part}-wal`, `${part}-shm`]) rmSync(path, { force: true });
};

interface BackupResult extends BackupContents {
  /** Number of screenshots and traces that results name but that no longer exist. */
  readonly missing: number;
}

/**
 * Writes a backup (0600). The file appears only after it is complete and verified. `copy` writes a snapshot of the
 * store to a new file; `artifacts` is the folder of screenshots and traces, if the backup includes them.
 * @throws UsageError if the file exists or cannot be written
 */
export async function writeBackup(
  file: string,
  copy: (to: string) => Promise<void>,
  artifacts: string | undefined,
): Promise<BackupResult> {
  if (existsSync(file)) {
    throw new UsageError(`${file} already exists`, {
      hint: 'use another file name, or move the existing file',
    });
  }
  try {
    return await writePart(file, copy, artifacts);
  } catch (error) {
    throw toBackupError(file, error);
  }
}

async function writePart(...[file, copy, artifacts]: Parameters<typeof writeBackup>): Promise<BackupResult> {
  const part = `${file}.making`;
  removePartialFiles(part);
  try {
    await copy(part);
    let missing = 0;
    if (artifacts !== undefined) {
      const database = await openPartialFile(part);
      try {
        ({ missing } = await addArtifacts(database, artifacts));
      } finally {
        database.close();
      }
    }
    const contents = await inspectBackup(part);
    syncFile(part);
    renameSync(part, file);
    return { ...contents, missing };
  } finally {
    removePartialFiles(part);
  }
}

interface RestoreTarget {
  readonly store: string;
  readonly artifacts: string;
  readonly stamp: string;
}

/** Paths of the data that a restore replaced; undefined if there was none. */
interface PreviousData {
  readonly store: string | undefined;
  readonly artifacts: string | undefined;
}

/**
 * Replaces an unused store, and its screenshots and traces if the backup has them. Moves the previous data aside and
 * returns its paths. An interruption leaves either the old or the new store complete; repeat the restore to finish.
 * @throws UsageError if the folder of the store cannot be written
 */
export async function restoreBackup(file: string, target: RestoreTarget): Promise<PreviousData> {
  try {
    return await replaceStore(file, target);
  } catch (error) {
    const folder = dirname(target.store);
    throw toFileError(
      `restore into ${folder}`,
      error,
      'free disk space, or choose a writable folder with --data',
    );
  }
}

async function replaceStore(file: string, { store, artifacts, stamp }: RestoreTarget): Promise<PreviousData> {
  makeFolder(dirname(store));
  const part = `${store}.restoring`;
  const folder = `${artifacts}.restoring`;
  removePartialFiles(part);
  rmSync(folder, { recursive: true, force: true });
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    const { artifacts: count } = await inspectBackup(part);
    if (count !== undefined) {
      makeFolder(folder);
      const database = await openPartialFile(part);
      try {
        await extractArtifacts(database, folder);
      } catch (error) {
        throw fileFaultCode(error) === undefined ? invalidBackup(file, error) : error;
      } finally {
        database.close();
      }
    }
    syncFile(part);
    const previousStore = existsSync(store) ? `${store}.before-${stamp}` : undefined;
    if (previousStore !== undefined) {
      // The write-ahead log belongs to the previous store and moves with it.
      if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${previousStore}-wal`);
      renameSync(store, previousStore);
    }
    rmSync(`${store}-shm`, { force: true });
    renameSync(part, store);
    // A backup without artifacts leaves the existing ones alone.
    if (count === undefined) return { store: previousStore, artifacts: undefined };
    const previousArtifacts = existsSync(artifacts) ? `${artifacts}.before-${stamp}` : undefined;
    if (previousArtifacts !== undefined) renameSync(artifacts, previousArtifacts);
    renameSync(folder, artifacts);
    return { store: previousStore, artifacts: previousArtifacts };
  } finally {
    removePartialFiles(part);
    rmSync(folder, { recursive: true, force: true });
  }
}
