/** `sonde import uptime-kuma`: converts the monitors of Uptime Kuma to files for `sonde apply`. */
import { resolve } from 'node:path';
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { importOptions } from '../../src/cli/manifest/import/options.ts';
import { convertKuma } from '../../src/cli/manifest/import/uptime-kuma/convert.ts';
import { readKuma } from '../../src/cli/manifest/import/uptime-kuma/read-source.ts';
import { writeImport } from '../../src/cli/manifest/import/write-import.ts';

export const command = defineCommand({
  name: 'import uptime-kuma',
  summary: 'Convert the monitors of Uptime Kuma to files',
  description:
    'Reads the SQLite database of Uptime Kuma 1 or 2, or a JSON backup of version 1, and writes files for "sonde plan" and "sonde apply": checks, groups, alert channels, ' +
    'status pages and maintenance windows. sonde names every monitor and setting that has no counterpart. A check that lacks a part of its conditions is written with ' +
    'activated: false. Passwords, tokens and webhook URLs go to secrets.env, which only you can read and git ignores. The history of results is not imported.',
  arguments: { file: argument('Database (kuma.db) or backup', { placeholder: 'file' }) },
  options: importOptions,
  examples: [
    { line: 'import uptime-kuma /app/data/kuma.db', does: 'Write the files to the folder monitoring' },
    {
      line: 'import uptime-kuma backup.json --out checks --project shop',
      does: 'Convert a backup for a project',
    },
  ],
  exits: [[EXIT.usage, 'the file contains nothing that can be converted']],
  async run(deps, { args, options, output, globals }) {
    const tables = await readKuma(resolve(deps.cwd, args.file), args.file, deps.readFile);
    const result = convertKuma(tables, deps.clock.now());
    await writeImport(deps, { ...options, yes: globals.yes, source: args.file, result, output });
  },
});
