/** `sonde service restore`: replaces the data of the embedded service with a backup. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DeclinedError, UsageError } from '../../src/base/errors.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { artifactsFolder, formatContents, storeFile } from '../../src/cli/local-service/administration.ts';
import { requireResponse, serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';
import { confirm } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'service restore',
  summary: 'Restore a backup of the embedded service',
  description:
    'Verifies the backup before it changes anything. Renames the existing data, with screenshots and traces, and leaves it in the data folder. ' +
    'The service must be stopped. To restore a PostgreSQL database, use pg_restore.',
  arguments: { file: argument('File written by "sonde service backup"') },
  options: { data: dataOption },
  examples: [
    { line: 'service restore monitoring.db', does: 'Replace the data after confirmation' },
    { line: 'service restore monitoring.db --data ./copy', does: 'Restore into a separate service' },
  ],
  async run(deps, { args, options, globals }) {
    const { terminal, env, cwd, clock, random, signal } = deps;
    const folder = serviceFolder(deps, options.data);
    const file = resolve(cwd, args.file);
    if (env.SONDE_DATABASE_URL) {
      throw new UsageError('sonde cannot restore a PostgreSQL database', {
        hint: 'use pg_restore; to restore into a file, unset SONDE_DATABASE_URL',
      });
    }
    if (await requireResponse(deps, folder)) {
      throw new UsageError(`the service in ${folder} is running`, {
        hint: 'to stop it, run: sonde service stop',
      });
    }
    const { inspectBackup, restoreBackup, openStore } = await import('../../src/service/main.ts');
    const contents = await inspectBackup(file);
    const store = storeFile(folder);
    if (existsSync(store)) {
      const message = `Replace the service in ${folder} with the backup (${formatContents(contents)})?`;
      if (!globals.yes && !(await confirm(terminal, { message, flag: '--yes', signal }))) {
        throw new DeclinedError('nothing was changed');
      }
      await assertFree(() => openStore({ path: store }, { clock, random }));
    }
    const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const aside = await restoreBackup(file, { store, artifacts: artifactsFolder(folder), stamp });
    await terminal.note(
      `Restored the service in ${folder}: ${formatContents(contents)}, schema ${contents.schema}.`,
    );
    const previous = [aside.store, aside.artifacts].filter((path) => path !== undefined);
    if (previous.length > 0) await terminal.note(`The previous data is in ${previous.join(', ')}`);
    await terminal.note('To start the service, run: sonde service start --detach');
  },
});

/** Throws if another process uses the database. A damaged database may be replaced. */
async function assertFree(open: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  try {
    await (await open()).close();
  } catch (error) {
    if (error instanceof UsageError && error.message.includes('in use')) throw error;
  }
}
