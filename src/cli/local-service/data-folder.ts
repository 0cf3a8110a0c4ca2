/** Finds the data folder of the embedded service, and the process that is running there. */
import { resolve } from 'node:path';
import { NetworkError, UsageError } from '../../base/errors.ts';
import { dataFolders } from '../../profiles/folders.ts';
import type { RuntimeInfo } from '../../service/admin/runtime-file.ts';
import type { Deps } from '../framework/index.ts';

/** Returns the absolute path of the data folder. */
export const serviceFolder = (
  { env, home, cwd }: Pick<Deps, 'env' | 'home' | 'cwd'>,
  option: string | undefined,
): string => (option === undefined ? dataFolders(env, home).data : resolve(cwd, option));

/** A service that responds as the process in its runtime file. */
export interface RunningService {
  readonly record: RuntimeInfo;
  readonly health: Readonly<Record<string, unknown>>;
}

async function queryService(folder: string) {
  const { readRuntimeFile, readAdminSecret, fetchHealth } = await import(
    '../../service/admin/runtime-file.ts'
  );
  const record = await readRuntimeFile(folder);
  return record && { record, ...(await fetchHealth(record, (await readAdminSecret(folder)) ?? '')) };
}

/** Returns the running service of a data folder. Undefined: none responds. */
export async function findRunningService(folder: string): Promise<RunningService | undefined> {
  const { record, health } = (await queryService(folder)) ?? {};
  return record && health && { record, health };
}

const DISK_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an input/output error',
  SQLITE_FULL: 'no space is left on the device',
};

/** Kinds of errors whose message says what cannot be written. */
const NAMES_FILE = ['usage', 'output'];

/** Returns the reason of a disk fault that an error or one of its causes is. */
function diskFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as NodeJS.ErrnoException;
  return DISK_FAULTS[code] ?? diskFault(error.cause);
}

/** Runs a command of the service. Converts a failure of the disk to a UsageError that names the data folder. */
export async function withDiskErrors<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const reason = diskFault(error);
    const { path, kind = '' } = error as NodeJS.ErrnoException & { readonly kind?: string };
    // An error for the user already names its file. The bundle of the service has its own copies of the classes.
    if (reason === undefined || NAMES_FILE.includes(kind)) throw error;
    throw new UsageError(`the service cannot write ${path ?? `to its data folder ${folder}`}: ${reason}`, {
      hint: 'free disk space, or use another folder with --data',
      cause: error,
    });
  }
}

export function isProcessAlive(kill: Deps['self']['kill'], pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the running service. Throws NetworkError if its process exists but does not respond. */
export async function requireResponse(
  { self }: Pick<Deps, 'self'>,
  folder: string,
): Promise<RunningService | undefined> {
  const { record, health, problem } = (await queryService(folder)) ?? {};
  if (record === undefined) return undefined;
  if (health !== undefined) return { record, health };
  if (problem === undefined || !isProcessAlive(self.kill, record.pid)) return undefined;
  throw new NetworkError(
    `the service on ${record.url} (pid ${record.pid}) did not respond: ${problem}`,
    {},
    { hint: 'the service may be overloaded: try again, or see service.log in its data folder' },
  );
}
