/** Reads and writes the files by which other processes find the running service of a data folder. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { makeFolder } from '../../base/files.ts';

/** Header with the admin secret of the data folder. */
export const ADMIN_SECRET_HEADER = 'x-sonde-door';

const adminSecretFile = (dataFolder: string): string => join(dataFolder, 'service.door');

/** Writes the secret that authenticates the owner of the folder to the running service (0600). */
export async function writeAdminSecret(dataFolder: string, secret: string): Promise<void> {
  makeFolder(dataFolder);
  const file = adminSecretFile(dataFolder);
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  await rename(`${file}.new`, file);
}

export async function readAdminSecret(dataFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(adminSecretFile(dataFolder), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

export interface RuntimeInfo {
  readonly pid: number;
  /** URL of the service on this machine. */
  readonly url: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly version: string;
}

const runtimeFile = (dataFolder: string): string => join(dataFolder, 'service.json');

export async function writeRuntimeFile(dataFolder: string, runtimeInfo: RuntimeInfo): Promise<void> {
  makeFolder(dataFolder);
  const file = runtimeFile(dataFolder);
  await writeFile(`${file}.new`, `${JSON.stringify(runtimeInfo)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Returns the runtime file of a data folder, or undefined if it cannot be read. It may belong to a killed service. */
export async function readRuntimeFile(dataFolder: string): Promise<RuntimeInfo | undefined> {
  try {
    const runtimeInfo = JSON.parse(await readFile(runtimeFile(dataFolder), 'utf8')) as Partial<RuntimeInfo>;
    const { pid, url, startedAt = '', version = '' } = runtimeInfo;
    return typeof pid === 'number' && pid > 0 && typeof url === 'string'
      ? { pid, url, startedAt, version }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the runtime file if it belongs to this process. Ignores errors: readers check the process that it names. */
export async function removeRuntimeFile(dataFolder: string, pid: number): Promise<void> {
  if ((await readRuntimeFile(dataFolder))?.pid !== pid) return;
  await rm(runtimeFile(dataFolder), { force: true }).catch(() => {});
  await rm(adminSecretFile(dataFolder), { force: true }).catch(() => {});
}

/** Timeout of a health request, in ms. */
const HEALTH_TIMEOUT_MS = 3000;
/** Error codes of a connection that the other side closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

export interface Health {
  readonly pid?: number;
  readonly [field: string]: unknown;
}

export interface HealthResult {
  /** Missing if the process of the runtime file did not answer. */
  readonly health?: Health;
  /** Why there was no answer although something listens at the address. */
  readonly problem?: string;
}

/**
 * Requests the health at the address of the runtime file and accepts only an answer with the same pid, because the
 * system may have reused the pid. `adminSecret` unlocks the full response.
 */
export async function fetchHealth(runtimeInfo: RuntimeInfo, adminSecret: string): Promise<HealthResult> {
  try {
    // Not fetch: it waits for its timeout if the connection is closed without a response.
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        agent: false,
        headers: { [ADMIN_SECRET_HEADER]: adminSecret },
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      };
      get(`${runtimeInfo.url}/health`, options, resolve).on('error', reject);
    });
    const health = (await json(answer)) as Health;
    if (health.pid === runtimeInfo.pid) return { health };
    return answer.statusCode === 503 ? { problem: String(health.message) } : {};
  } catch (error) {
    const problem = describeProblem(error as NodeJS.ErrnoException);
    return problem === undefined ? {} : { problem };
  }
}

function describeProblem({ name, code }: NodeJS.ErrnoException): string | undefined {
  if (name === 'AbortError') return `no response within ${HEALTH_TIMEOUT_MS / 1000} s`;
  return CLOSED_CODES.has(code) ? 'the connection was closed without a response' : undefined;
}
