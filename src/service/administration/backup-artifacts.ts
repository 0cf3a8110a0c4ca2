/** Pictures and traces of runs in a backup: one file holds all, and no two of them are in memory at once. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Libsql from 'libsql';
import { artifactPath, isArtifactId } from '../artifacts/files.ts';

type Database = InstanceType<typeof Libsql>;

/** The table that a backup has besides those of a store. */
const TABLE = 'backup_artifacts';
/** So many are written before the disk has to have them. */
const BATCH = 100;

export interface ArtifactsKept {
  readonly kept: number;
  /** Those whose file was no longer there, or no longer whole. */
  readonly missing: number;
}

const digest = (contents: Buffer): string => createHash('sha256').update(contents).digest('hex');

/** How many a backup holds; undefined where it was made without them. */
export function countArtifacts(database: Database): number | undefined {
  const isThere = database
    .prepare("select count(*) as count from sqlite_schema where type = 'table' and name = ?")
    .get(TABLE) as { count: number };
  if (Number(isThere.count) === 0) return undefined;
  return Number(
    (database.prepare(`select count(*) as count from ${TABLE}`).get() as { count: number }).count,
  );
}

/** Puts the files of a folder that the results of a fresh backup name into it. */
export async function putArtifacts(database: Database, folder: string): Promise<ArtifactsKept> {
  database.exec(`create table ${TABLE} (id text primary key, sha256 text not null, contents blob not null)`);
  const insert = database.prepare(`insert into ${TABLE} (id, sha256, contents) values (?, ?, ?)`);
  const named = database.prepare('select id, bytes from artifacts where id > ? order by id limit ?');
  let [kept, missing, last] = [0, 0, ''];
  for (;;) {
    const rows = named.all(last, BATCH) as { id: string; bytes: number }[];
    if (rows.length === 0) return { kept, missing };
    database.exec('begin');
    for (const { id, bytes } of rows) {
      const contents = isArtifactId(id)
        ? await readFile(artifactPath(folder, id)).catch(() => undefined)
        : undefined;
      if (contents?.length === Number(bytes)) {
        insert.run(id, digest(contents), contents);
        kept += 1;
      } else missing += 1;
      last = id;
    }
    database.exec('commit');
  }
}

/**
 * Writes those of a backup into a folder that is not there yet, and takes them out of the copy of the backup that becomes the
 * store. Throws where one is damaged.
 */
export async function takeArtifacts(database: Database, folder: string): Promise<void> {
  const next = database.prepare(`select id, sha256, contents from ${TABLE} where id > ? order by id limit 1`);
  for (let last = ''; ; ) {
    const row = next.get(last) as { id: string; sha256: string; contents: Buffer } | undefined;
    if (row === undefined) break;
    const contents = Buffer.from(row.contents);
    if (!isArtifactId(row.id) || digest(contents) !== row.sha256) throw new Error(`${row.id} is damaged`);
    const path = artifactPath(folder, row.id);
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(path, contents, { mode: 0o600, flag: 'wx' });
    last = row.id;
  }
  database.exec(`drop table ${TABLE}`);
  database.exec('vacuum');
}
