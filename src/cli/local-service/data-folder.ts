/** Finds the data folder of the embedded service, and the process that is running there. */
import { resolve } from 'node:path';
import { NetworkError } from '../../base/errors.ts';
import { dataFolders } from '../../profiles/folders.ts';
import type { RuntimeInfo } from '../../service/admin/runtime-file.ts';
import { type Deps, text } from '../framework/index.ts';

/** `--data` of all commands for the service. */
export const dataOption = text('Data folder of the service (default: sonde in your data folder)', {
  placeholder: 'folder',
});

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
