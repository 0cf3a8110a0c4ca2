/** `sonde service restore`: puts a backup in the place of the embedded service's data. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DeclinedError, UsageError } from '../../src/base/errors.ts';
import { confirm } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { artifactsFolder, contentsText, storeFile } from '../shared/service/administration.ts';
import { dataOption, reachedService, serviceFolder } from '../shared/service/folder.ts';

export const command = defineCommand({
  name: 'service restore',
  summary: 'Restore a backup of the embedded service',
  description:
    'The backup is read through before anything changes. What stood in the data folder, pictures and traces too, is kept beside it under ' +
    'another name. The service must be stopped. A store on Postgres is restored with pg_restore.',
  arguments: { file: argument('A file that "sonde service backup" wrote') },
  options: { data: dataOption },
  examples: [
    { line: 'service restore monitoring.db', does: 'asks, and puts it in the place of what is there' },
    { line: 'service restore monitoring.db --data ./copy', does: 'makes a service of its own of it' },
  ],
  async run(deps, { args, options, globals }) {
    const { terminal, env, cwd, clock, random, signal } = deps;
    const folder = serviceFolder(deps, options.data);
    const file = resolve(cwd, args.file);
    if (env.SONDE_DATABASE_URL) {
      throw new UsageError('a store on Postgres is restored with the tools of Postgres', {
        hint: 'use pg_restore; to restore into a file, unset SONDE_DATABASE_URL',
      });
    }
    if (await reachedService(deps, folder)) {
      throw new UsageError(`the service over ${folder} runs`, { hint: 'stop it first: sonde service stop' });
    }
    const { inspectBackup, restoreBackup, openStore } = await import('../../src/service/main.ts');
    const contents = await inspectBackup(file);
    const store = storeFile(folder);
    if (existsSync(store)) {
      const message = `Replace the service in ${folder} by the backup (${contentsText(contents)})?`;
      if (!globals.yes && !terminal.canAsk) {
        throw new UsageError(`nobody can be asked here: ${message}`, { hint: 'give --yes' });
      }
      if (!globals.yes && !(await confirm(terminal, { message, flag: '--yes', signal }))) {
        throw new DeclinedError('nothing was changed');
      }
      await assertFree(() => openStore({ path: store }, { clock, random }));
    }
    const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const aside = await restoreBackup(file, { store, artifacts: artifactsFolder(folder), stamp });
    await terminal.note(
      `The service in ${folder} is as it was in the backup: ${contentsText(contents)}, schema ${contents.schema}.`,
    );
    const kept = [aside.store, aside.artifacts].filter((path) => path !== undefined);
    if (kept.length > 0) await terminal.note(`What stood there is kept: ${kept.join(', ')}`);
    await terminal.note('Start it: sonde service start --detach');
  },
});

/** Throws where another process uses the store; one that is damaged may be replaced. */
async function assertFree(open: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  try {
    await (await open()).close();
  } catch (error) {
    if (error instanceof UsageError && error.message.includes('in use')) throw error;
  }
}
