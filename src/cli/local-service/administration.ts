/** Manages the keys and backups of a local service, through the running service or directly in its database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkError, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { plural } from '../../base/plural.ts';
import type { Administration } from '../../service/admin/administration.ts';
import type { BackupContents } from '../../service/admin/backups.ts';
import type { Deps } from '../framework/index.ts';
import { type RunningService, requireResponse } from './data-folder.ts';

/** Returns the path of the SQLite database in a data folder. */
export const storeFile = (folder: string): string => join(folder, 'service.db');

/** Returns the folder of screenshots and traces. */
export const artifactsFolder = (folder: string): string => join(folder, 'artifacts');

/** Summarizes the contents of a backup. */
export function formatContents({
  checks,
  results,
  artifacts,
}: Pick<BackupContents, 'checks' | 'results' | 'artifacts'>): string {
  const pictures =
    artifacts === undefined
      ? 'without screenshots and traces'
      : plural(artifacts, 'screenshot or trace', 'screenshots and traces');
  return [plural(checks, 'check'), plural(results, 'result'), pictures].join(', ');
}

/** Returns the administration through the running service. `secret`: proves access to its data folder. */
function remoteAdministration(url: string, secret: string): Administration {
  async function send<T>(operation: string, input: object): Promise<T> {
    let answer: Response;
    let body: unknown;
    try {
      answer = await fetch(`${url}/local/${operation}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-sonde-door': secret },
        body: JSON.stringify(input),
      });
      body = await answer.json();
    } catch (error) {
      throw new NetworkError(`The service on ${url} does not respond`, {}, { cause: error });
    }
    if (answer.ok) return body as T;
    const { message, attributes } = isObject(body) ? body : {};
    if (answer.status === 503) throw new NetworkError(`the service on ${url} is not available: ${message}`);
    const hint = isObject(attributes) && typeof attributes.hint === 'string' ? attributes.hint : undefined;
    throw new UsageError(String(message ?? `the service responded with ${answer.status}`), { hint });
  }
  return {
    listKeys: () => send('listKeys', {}),
    createKey: (name, accountId) => send('createKey', { name, accountId }),
    revokeKey: (id) => send('revokeKey', { id }),
    backup: async (file, name) => {
      await send('backup', { file, name });
    },
  };
}

/** Returns the administration of a running service. Throws UsageError if the service has no secret in its data folder. */
export async function connectToRunning(
  folder: string,
  running: RunningService | undefined,
): Promise<Administration | undefined> {
  if (!running) return undefined;
  const { readAdminSecret } = await import('../../service/admin/runtime-file.ts');
  const secret = await readAdminSecret(folder);
  if (secret === undefined) {
    throw new UsageError(`an older version of sonde started the service on ${running.record.url}`, {
      hint: 'to restart it, run: sonde service stop; sonde service start --detach',
    });
  }
  return remoteAdministration(running.record.url, secret);
}

/** Runs an operation on the service of a data folder, whether it is running or not. */
export async function administer<T>(
  { env, clock, random, self }: Deps,
  folder: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const running = await connectToRunning(folder, await requireResponse({ self }, folder));
  if (running) return work(running);
  const url = env.SONDE_DATABASE_URL;
  const file = storeFile(folder);
  if (!url && !existsSync(file)) {
    throw new UsageError(`no service in ${folder}`, {
      hint: 'pass its folder with --data; to create a service, run: sonde service start --detach',
    });
  }
  const { createAdministration, openStore } = await import('../../service/main.ts');
  const store = await openStore(url ? { url } : { path: file }, { clock, random });
  try {
    return await work(createAdministration(store));
  } finally {
    await store.close();
  }
}
