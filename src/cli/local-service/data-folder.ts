/** Where the embedded service keeps its data, and which process serves it now. */
import { resolve } from 'node:path';
import { NetworkError } from '../../base/errors.ts';
import { dataFolders } from '../../profiles/folders.ts';
import type { RuntimeInfo } from '../../service/admin/runtime-file.ts';
import { type Deps, text } from '../framework/index.ts';

/** `--data`: the same for every command about the service. */
export const dataOption = text('Data folder of the service (default: sonde in your data folder)', {
  placeholder: 'folder',
});

/** The data folder, absolute. */
export const serviceFolder = (
  { env, home, cwd }: Pick<Deps, 'env' | 'home' | 'cwd'>,
  given: string | undefined,
): string => (given === undefined ? dataFolders(env, home).data : resolve(cwd, given));

/** A service that answers as the process that its note names. */
export interface RunningService {
  readonly record: RuntimeInfo;
  readonly health: Readonly<Record<string, unknown>>;
}

/** The note that a service left in a data folder, and what it answers. */
async function asked(folder: string) {
  const { readRuntimeFile, readAdminSecret, fetchHealth } = await import(
    '../../service/admin/runtime-file.ts'
  );
  const record = await readRuntimeFile(folder);
  return record && { record, ...(await fetchHealth(record, (await readAdminSecret(folder)) ?? '')) };
}

/** The service that runs over a data folder, or undefined where none answers. */
export async function runningService(folder: string): Promise<RunningService | undefined> {
  const { record, health } = (await asked(folder)) ?? {};
  return record && health && { record, health };
}

/** Whether a process exists. */
export function isThere(kill: Deps['self']['kill'], pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The same, but throws NetworkError where the process is there and does not answer. */
export async function reachedService(
  { self }: Pick<Deps, 'self'>,
  folder: string,
): Promise<RunningService | undefined> {
  const { record, health, problem } = (await asked(folder)) ?? {};
  if (record === undefined) return undefined;
  if (health !== undefined) return { record, health };
  if (problem === undefined || !isThere(self.kill, record.pid)) return undefined;
  throw new NetworkError(
    `the service on ${record.url} (pid ${record.pid}) did not respond: ${problem}`,
    {},
    { hint: 'the service may be overloaded: try again, or see service.log in its data folder' },
  );
}
