/** `sonde service backup`: a copy of all that the embedded service knows, also while it runs. */
import { resolve } from 'node:path';
import { plural } from '../../src/base/plural.ts';
import { argument, defineCommand, flag } from '../kernel/index.ts';
import { administer, artifactsFolder, contentsText } from '../shared/service/administration.ts';
import { dataOption, serviceFolder } from '../shared/service/folder.ts';

export const command = defineCommand({
  name: 'service backup',
  summary: 'Write a backup of the embedded service',
  description:
    'The file holds all of one instant, with the pictures and traces of runs, for your eyes alone (mode 0600); it is there once it is whole ' +
    'and was read through. A running service goes on; while the copy of its store is made its answers wait. A store on Postgres is ' +
    'backed up with pg_dump, and the folder "artifacts" of the data folder beside it.',
  arguments: { file: argument('The file to write; it must not be there yet') },
  options: {
    data: dataOption,
    artifacts: flag('Leave out the pictures and traces of runs', { negative: 'only' }),
  },
  examples: [
    { line: 'service backup monitoring.db', does: 'writes a backup of the service in your data folder' },
    {
      line: 'service backup small.db --no-artifacts',
      does: 'leaves out pictures and traces, which take the most room',
    },
  ],
  async run(deps, { args, options }) {
    const { terminal, cwd, signal } = deps;
    const file = resolve(cwd, args.file);
    const folder = serviceFolder(deps, options.data);
    const { writeBackup } = await import('../../src/service/main.ts');
    signal.throwIfAborted();
    const pictures = options.artifacts ? artifactsFolder(folder) : undefined;
    const copy = (to: string) => administer(deps, folder, (service) => service.backup(to));
    const written = await writeBackup(file, copy, pictures);
    const { schema, accounts, bytes, missing } = written;
    await terminal.note(
      `The backup ${file} was written and read through: ${plural(accounts, 'account')}, ${contentsText(written)}, ${bytes} bytes, schema ${schema}.`,
    );
    if (missing > 0) {
      await terminal.warn(
        missing === 1
          ? 'one picture or trace that a result names is not in it: its file was not there'
          : `${missing} pictures and traces that results name are not in it: their files were not there`,
      );
    }
  },
});
