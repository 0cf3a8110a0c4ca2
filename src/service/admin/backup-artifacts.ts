/** Pictures and traces of runs in a backup: one file holds all, in parts, of which one is in memory at a time. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type Libsql from 'libsql';
import { artifactPath, isArtifactId } from '../engine/artifacts/artifact-files.ts';

type Database = InstanceType<typeof Libsql>;

/** The tables that a backup has besides those of a store. */
const TABLE = 'backup_artifacts';
const PARTS = 'backup_artifact_parts';
const PART_BYTES = 1024 * 1024;
/** So many are written before the disk has to have them. */
const BATCH = 100;

export interface ArtifactsKept {
  readonly kept: number;
  /** Those whose file was no longer there, or no longer whole. */
  readonly missing: number;
}

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
  database.exec(`create table ${TABLE} (id text primary key, sha256 text not null)`);
  database.exec(
    `create table ${PARTS} (id text not null, place integer not null, contents blob not null, primary key (id, place)) without rowid`,
  );
  const insert = database.prepare(`insert into ${TABLE} (id, sha256) values (?, ?)`);
  const insertPart = database.prepare(`insert into ${PARTS} (id, place, contents) values (?, ?, ?)`);
  const named = database.prepare('select id, bytes from artifacts where id > ? order by id limit ?');

  /** Its digest, once all of it is in; undefined where it is not what its result says. */
  async function put(id: string, bytes: number): Promise<string | undefined> {
    const file = isArtifactId(id) ? await open(artifactPath(folder, id)).catch(() => undefined) : undefined;
    if (file === undefined) return undefined;
    const hash = createHash('sha256');
    try {
      if ((await file.stat()).size !== bytes) return undefined;
      const part = Buffer.alloc(PART_BYTES);
      for (let at = 0, place = 0; at < bytes; place += 1) {
        const { bytesRead } = await file.read(part, 0, PART_BYTES, at);
        if (bytesRead === 0) return undefined;
        const contents = part.subarray(0, bytesRead);
        hash.update(contents);
        insertPart.run(id, place, contents);
        at += bytesRead;
      }
      return hash.digest('hex');
    } finally {
      await file.close();
    }
  }

  let [kept, missing, last] = [0, 0, ''];
  for (;;) {
    const rows = named.all(last, BATCH) as { id: string; bytes: number }[];
    if (rows.length === 0) return { kept, missing };
    database.exec('begin');
    for (const { id, bytes } of rows) {
      const sha256 = await put(id, Number(bytes));
      if (sha256 === undefined) {
        database.prepare(`delete from ${PARTS} where id = ?`).run(id);
        missing += 1;
      } else {
        insert.run(id, sha256);
        kept += 1;
      }
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
  const next = database.prepare(`select id, sha256 from ${TABLE} where id > ? order by id limit 1`);
  const partOf = database.prepare(`select contents from ${PARTS} where id = ? and place = ?`);

  async function take(id: string, to: FileHandle): Promise<string> {
    const hash = createHash('sha256');
    for (let place = 0; ; place += 1) {
      const row = partOf.get(id, place) as { contents: Buffer } | undefined;
      if (row === undefined) return hash.digest('hex');
      const contents = Buffer.from(row.contents);
      hash.update(contents);
      await to.writeFile(contents);
    }
  }

  for (let last = ''; ; ) {
    const row = next.get(last) as { id: string; sha256: string } | undefined;
    if (row === undefined) break;
    const { id, sha256 } = row;
    if (!isArtifactId(id)) throw new Error(`${id} is damaged`);
    const path = artifactPath(folder, id);
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx', 0o600);
    try {
      if ((await take(id, file)) !== sha256) throw new Error(`${id} is damaged`);
    } finally {
      await file.close();
    }
    last = id;
  }
  database.exec(`drop table ${PARTS}`);
  database.exec(`drop table ${TABLE}`);
  database.exec('vacuum');
}
