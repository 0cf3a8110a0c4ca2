/** `sonde service backup`: backs up the embedded service, even while it is running. */
import { resolve } from 'node:path';
import { plural } from '../../src/base/plural.ts';
import { argument, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { administer, artifactsFolder, formatContents } from '../../src/cli/local-service/administration.ts';
import { serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';

export const command = defineCommand({
  name: 'service backup',
  summary: 'Back up the embedded service',
  description:
    'Writes a consistent snapshot with the screenshots and traces of check runs to a file that only you can read (mode 0600). sonde creates the file only after it is complete ' +
    'and verified. A running service continues, but delays its responses while it copies the database. To back up a PostgreSQL database, use ' +
    'pg_dump, and copy the folder "artifacts" of the data folder.',
  arguments: { file: argument('File to write; it must not exist') },
  options: {
    data: dataOption,
    artifacts: flag('Exclude the screenshots and traces of check runs', { negative: 'only' }),
  },
  examples: [
    { line: 'service backup monitoring.db', does: 'Back up the service in your data folder' },
    {
      line: 'service backup small.db --no-artifacts',
      does: 'Exclude screenshots and traces, the largest part',
    },
  ],
  async run(deps, { args, options }) {
    const { terminal, cwd, signal } = deps;
    const file = resolve(cwd, args.file);
    const folder = serviceFolder(deps, options.data);
    const { writeBackup } = await import('../../src/service/main.ts');
    signal.throwIfAborted();
    const pictures = options.artifacts ? artifactsFolder(folder) : undefined;
    const copy = (to: string) => administer(deps, folder, (service) => service.backup(to, file));
    const written = await writeBackup(file, copy, pictures);
    const { schema, accounts, bytes, missing } = written;
    await terminal.note(
      `Wrote and verified the backup ${file}: ${plural(accounts, 'account')}, ${formatContents(written)}, ${bytes} bytes, schema ${schema}.`,
    );
    if (missing > 0) {
      await terminal.warn(
        missing === 1
          ? 'the backup lacks one screenshot or trace of a result: its file is missing'
          : `the backup lacks ${missing} screenshots and traces of results: their files are missing`,
      );
    }
  },
});
