/** `sonde service backup`: a copy of all that the embedded service knows, also while it runs. */
import { resolve } from 'node:path';
import { argument, defineCommand } from '../kernel/index.ts';
import { administer } from '../shared/administration.ts';
import { dataOption, serviceFolder } from '../shared/service-folder.ts';

export const command = defineCommand({
  name: 'service backup',
  summary: 'Write a backup of the embedded service',
  description:
    'The file holds all of one instant, for your eyes alone (mode 0600), and is read through after it was written. A running service goes on; while the copy is made its answers wait. A store on Postgres is backed up with pg_dump.',
  arguments: { file: argument('The file to write; it must not be there yet') },
  options: { data: dataOption },
  examples: [
    { line: 'service backup monitoring.db', does: 'writes a backup of the service in your data folder' },
  ],
  async run(deps, { args, options }) {
    const file = resolve(deps.cwd, args.file);
    await administer(deps, serviceFolder(deps, options.data), (service) => service.backup(file));
    const { inspectBackup } = await import('../../src/service/main.ts');
    const { schema, accounts, checks, results, bytes } = await inspectBackup(file);
    await deps.terminal.note(
      `The backup ${file} was written and read through: ${accounts} accounts, ${checks} checks, ${results} results, ${bytes} bytes, schema ${schema}.`,
    );
  },
});
