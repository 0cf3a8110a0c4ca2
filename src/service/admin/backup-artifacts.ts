/** Stores screenshots and traces in a backup file, in parts, with one part in memory at a time. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type Libsql from 'libsql';
import { artifactPath, isArtifactId } from '../engine/artifacts/artifact-files.ts';

type Database = InstanceType<typeof Libsql>;

const TABLE = 'backup_artifacts';
const PARTS = 'backup_artifact_parts';
const PART_BYTES = 1024 * 1024;
const BATCH = 100;

export interface ArtifactCounts {
  readonly stored: number;
  /** Artifacts with a missing or incomplete file. */
  readonly missing: number;
}

/** Returns the number of artifacts in a backup; undefined if it excludes them. */
export function countArtifacts(database: Database): number | undefined {
  const table = database
    .prepare("select count(*) as count from sqlite_schema where type = 'table' and name = ?")
    .get(TABLE) as { count: number };
  if (Number(table.count) === 0) return undefined;
  return Number(
    (database.prepare(`select count(*) as count from ${TABLE}`).get() as { count: number }).count,
  );
}

/** Copies the artifacts that the results of a new backup name from a folder into the backup. */
export async function addArtifacts(database: Database, folder: string): Promise<ArtifactCounts> {
  database.exec(`create table ${TABLE} (id text primary key, sha256 text not null)`);
  database.exec(
    `create table ${PARTS} (id text not null, place integer not null, contents blob not null, primary key (id, place)) without rowid`,
  );
  const insert = database.prepare(`insert into ${TABLE} (id, sha256) values (?, ?)`);
  const insertPart = database.prepare(`insert into ${PARTS} (id, place, contents) values (?, ?, ?)`);
  const selectArtifacts = database.prepare(
    'select id, bytes from artifacts where id > ? order by id limit ?',
  );

  /** Returns the digest of the stored file; undefined if the file does not match its result. */
  async function addFile(id: string, bytes: number): Promise<string | undefined> {
    const file = isArtifactId(id) ? await open(artifactPath(folder, id)).catch(() => undefined) : undefined;
    if (file === undefined) return undefined;
    const hash = createHash('sha256');
    try {
      if ((await file.stat()).size !== bytes) return undefined;
      const part = Buffer.alloc(PART_BYTES);
      for (let at = 0, partIndex = 0; at < bytes; partIndex += 1) {
        const { bytesRead } = await file.read(part, 0, PART_BYTES, at);
        if (bytesRead === 0) return undefined;
        const contents = part.subarray(0, bytesRead);
        hash.update(contents);
        insertPart.run(id, partIndex, contents);
        at += bytesRead;
      }
      return hash.digest('hex');
    } finally {
      await file.close();
    }
  }

  let [stored, missing, last] = [0, 0, ''];
  for (;;) {
    const rows = selectArtifacts.all(last, BATCH) as { id: string; bytes: number }[];
    if (rows.length === 0) return { stored, missing };
    database.exec('begin');
    for (const { id, bytes } of rows) {
      const sha256 = await addFile(id, Number(bytes));
      if (sha256 === undefined) {
        database.prepare(`delete from ${PARTS} where id = ?`).run(id);
        missing += 1;
      } else {
        insert.run(id, sha256);
        stored += 1;
      }
      last = id;
    }
    database.exec('commit');
  }
}

/**
 * Extracts the artifacts of a backup into a new folder and removes them from the copy that becomes the store. Throws
 * if one is damaged.
 */
export async function extractArtifacts(database: Database, folder: string): Promise<void> {
  const selectNext = database.prepare(`select id, sha256 from ${TABLE} where id > ? order by id limit 1`);
  const selectPart = database.prepare(`select contents from ${PARTS} where id = ? and place = ?`);

  async function extractFile(id: string, target: FileHandle): Promise<string> {
    const hash = createHash('sha256');
    for (let partIndex = 0; ; partIndex += 1) {
      const row = selectPart.get(id, partIndex) as { contents: Buffer } | undefined;
      if (row === undefined) return hash.digest('hex');
      const contents = Buffer.from(row.contents);
      hash.update(contents);
      await target.writeFile(contents);
    }
  }

  for (let last = ''; ; ) {
    const row = selectNext.get(last) as { id: string; sha256: string } | undefined;
    if (row === undefined) break;
    const { id, sha256 } = row;
    if (!isArtifactId(id)) throw new Error(`${id} is damaged`);
    const path = artifactPath(folder, id);
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx', 0o600);
    try {
      if ((await extractFile(id, file)) !== sha256) throw new Error(`${id} is damaged`);
    } finally {
      await file.close();
    }
    last = id;
  }
  database.exec(`drop table ${PARTS}`);
  database.exec(`drop table ${TABLE}`);
  database.exec('vacuum');
}
