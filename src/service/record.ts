/** The note that a running service leaves in its data folder, so that other processes find it: who it is, and where. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/folder.ts';

const doorFile = (dataFolder: string): string => join(dataFolder, 'service.door');

/** Leaves the secret by which the owner of the folder is known to the service that runs (0600). */
export async function writeDoor(dataFolder: string, secret: string): Promise<void> {
  makeFolder(dataFolder);
  const file = doorFile(dataFolder);
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  await rename(`${file}.new`, file);
}

/** The secret of the service that runs; undefined where none was left. */
export async function readDoor(dataFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(doorFile(dataFolder), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

export interface ServiceRecord {
  readonly pid: number;
  /** Where it is reached from this machine. */
  readonly url: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly version: string;
}

const recordFile = (dataFolder: string): string => join(dataFolder, 'service.json');

/** Leaves the note; the file is there whole or not at all. */
export async function writeRecord(dataFolder: string, record: ServiceRecord): Promise<void> {
  makeFolder(dataFolder);
  const file = recordFile(dataFolder);
  await writeFile(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The note of a data folder, or undefined where there is none that can be read. It may be of a service that was killed. */
export async function readRecord(dataFolder: string): Promise<ServiceRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(recordFile(dataFolder), 'utf8')) as Partial<ServiceRecord>;
    const { pid, url, startedAt = '', version = '' } = record;
    return typeof pid === 'number' && pid > 0 && typeof url === 'string'
      ? { pid, url, startedAt, version }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the note away, where it is of this process. */
export async function removeRecord(dataFolder: string, pid: number): Promise<void> {
  if ((await readRecord(dataFolder))?.pid !== pid) return;
  await rm(recordFile(dataFolder), { force: true });
  await rm(doorFile(dataFolder), { force: true });
}

/** What a service says of itself at GET /health. */
export interface Health {
  readonly pid?: number;
  readonly [field: string]: unknown;
}

/** What answers at the record's address as the process of the record, or undefined: a pid alone may be anybody's by now. */
export async function healthOf(record: ServiceRecord): Promise<Health | undefined> {
  try {
    const answer = await fetch(`${record.url}/health`, { signal: AbortSignal.timeout(3000) });
    const health = (await answer.json()) as Health;
    return health.pid === record.pid ? health : undefined;
  } catch {
    return undefined;
  }
}
