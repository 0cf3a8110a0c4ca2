/** Reaches the keys and the store of a service over a data folder: through the service that runs there, or in its file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkError, UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { plural } from '../../base/plural.ts';
import type { Administration, BackupContents } from '../../service/admin/index.ts';
import type { Deps } from '../framework/index.ts';
import { type RunningService, reachedService } from './data-folder.ts';

/** The store of a service that has a folder of its own. */
export const storeFile = (folder: string): string => join(folder, 'service.db');

/** Where a service keeps the screenshots and traces of its runs. */
export const artifactsFolder = (folder: string): string => join(folder, 'artifacts');

/** What a backup holds, in words. */
export function contentsText({
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

/** Asks the running service, as the owner of its data folder. */
function through(url: string, secret: string): Administration {
  async function ask<T>(deed: string, asked: object): Promise<T> {
    let answer: Response;
    let body: unknown;
    try {
      answer = await fetch(`${url}/local/${deed}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-sonde-door': secret },
        body: JSON.stringify(asked),
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
    listKeys: () => ask('listKeys', {}),
    createKey: (name, accountId) => ask('createKey', { name, accountId }),
    revokeKey: (id) => ask('revokeKey', { id }),
    backup: async (file) => {
      await ask('backup', { file });
    },
  };
}

/**
 * The administration of the service that runs over a data folder; undefined where none does. Throws UsageError where it does not
 * know its owner.
 */
export async function openRunning(
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
  return through(running.record.url, secret);
}

/** Does something to the service over a data folder, whether it runs or not. */
export async function administer<T>(
  { env, clock, random, self }: Deps,
  folder: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const running = await openRunning(folder, await reachedService({ self }, folder));
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
