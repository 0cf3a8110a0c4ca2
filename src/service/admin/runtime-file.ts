/** The note that a running service leaves in its data folder, so that other processes find it: who it is, and where. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { makeFolder } from '../../base/folder.ts';

/** The header that carries the secret of the data folder. */
export const DOOR_HEADER = 'x-sonde-door';

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

/** Removes the record if it is of this process. On a disk that became read-only it stays: its readers ask the process that it names. */
export async function removeRecord(dataFolder: string, pid: number): Promise<void> {
  if ((await readRecord(dataFolder))?.pid !== pid) return;
  await rm(recordFile(dataFolder), { force: true }).catch(() => {});
  await rm(doorFile(dataFolder), { force: true }).catch(() => {});
}

/** A service that runs says how it does within this time, in ms. */
const HEALTH_MS = 3000;
/** As the system calls a connection that the other side closed. */
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** What a service says of itself at GET /health. */
export interface Health {
  readonly pid?: number;
  readonly [field: string]: unknown;
}

/** What came of asking a service for its health. */
export interface Asked {
  /** Left out: the process of the record did not answer. */
  readonly health?: Health;
  /** Why there was no answer, where something listens at the address. */
  readonly problem?: string;
}

/**
 * Asks what listens at the record's address, and takes no answer but that of the record's process: a pid alone may be anybody's by
 * now. `door`: the secret of its data folder, to whose owner the service tells all.
 */
export async function askHealth(record: ServiceRecord, door: string): Promise<Asked> {
  try {
    // Not fetch: it waits for its time limit where the connection is closed without a response.
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        agent: false,
        headers: { [DOOR_HEADER]: door },
        signal: AbortSignal.timeout(HEALTH_MS),
      };
      get(`${record.url}/health`, options, resolve).on('error', reject);
    });
    const health = (await json(answer)) as Health;
    if (health.pid === record.pid) return { health };
    return answer.statusCode === 503 ? { problem: String(health.message) } : {};
  } catch (error) {
    const problem = problemOf(error as NodeJS.ErrnoException);
    return problem === undefined ? {} : { problem };
  }
}

function problemOf({ name, code }: NodeJS.ErrnoException): string | undefined {
  if (name === 'AbortError') return `no response within ${HEALTH_MS / 1000} s`;
  return CLOSED.has(code) ? 'the connection was closed without a response' : undefined;
}
