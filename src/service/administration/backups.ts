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

/** What a backup holds. */
export interface BackupContents {
  /** The last change of the tables that it has had. */
  readonly schema: string;
  readonly accounts: number;
  readonly checks: number;
  readonly results: number;
  readonly bytes: number;
}

const noBackup = (file: string, cause?: unknown) =>
  new UsageError(`${file} is not a backup of a service, or it is damaged`, {
    hint: 'name a file that "sonde service backup" wrote',
    cause,
  });

/**
 * Reads a backup through and says what is in it.
 * @throws UsageError where it is none, is damaged, or was made by a newer program.
 */
export async function inspectBackup(file: string): Promise<BackupContents> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`there is no backup ${file}`);
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
      throw new UsageError(`the backup was made by a newer sonde (it has had ${unknown.join(', ')})`, {
        hint: 'restore it with that version',
      });
    }
    const count = (table: string) => Number(value(`select count(*) from ${table}`));
    return {
      schema: names.at(-1) ?? 'none',
      ...{ accounts: count('accounts'), checks: count('checks'), results: count('results') },
      bytes: found.size,
    };
  } catch (error) {
    throw error instanceof UsageError ? error : noBackup(file, error);
  } finally {
    database?.close();
  }
}

/**
 * Puts a backup in the place of a store that nobody uses. What stood there is kept beside it, under the name that is
 * answered (undefined: nothing stood there). The store is the old one or the new one, whole, whenever it is interrupted.
 */
export async function restoreBackup(file: string, store: string, stamp: string): Promise<string | undefined> {
  makeFolder(dirname(store));
  const part = `${store}.restoring`;
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    const copied = openSync(part, 'r+');
    fsyncSync(copied);
    closeSync(copied);
    await inspectBackup(part);
    const aside = existsSync(store) ? `${store}.before-${stamp}` : undefined;
    if (aside !== undefined) {
      // The log of what stood there goes with it: it belongs to no other file.
      if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${aside}-wal`);
      renameSync(store, aside);
    }
    rmSync(`${store}-shm`, { force: true });
    renameSync(part, store);
    return aside;
  } finally {
    for (const left of [part, `${part}-wal`, `${part}-shm`]) rmSync(left, { force: true });
  }
}
