/** `sonde import gatus`: converts a configuration of Gatus to files for `sonde apply`. */
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { convertGatus } from '../../src/cli/manifest/import/gatus/convert.ts';
import { readGatus } from '../../src/cli/manifest/import/gatus/read-source.ts';
import { importOptions } from '../../src/cli/manifest/import/options.ts';
import { writeImport } from '../../src/cli/manifest/import/write-import.ts';

export const command = defineCommand({
  name: 'import gatus',
  summary: 'Convert a configuration of Gatus to files',
  description:
    'Reads a configuration file of Gatus, or a folder of them, and writes files for "sonde plan" and "sonde apply": checks with assertions, groups, alert channels and maintenance windows. ' +
    'sonde names every endpoint, condition and setting that has no counterpart. A check that lacks a condition is written with activated: false. ' +
    'References to environment variables stay; literal passwords, tokens and webhook URLs go to secrets.env, which only you can read and git ignores.',
  arguments: { path: argument('Configuration file or folder; - for stdin', { placeholder: 'path' }) },
  options: importOptions,
  examples: [
    { line: 'import gatus config.yaml', does: 'Write the files to the folder monitoring' },
    { line: 'import gatus /config --out checks --project shop', does: 'Convert a folder for a project' },
  ],
  exits: [[EXIT.usage, 'the configuration contains nothing that can be converted']],
  async run(deps, { args, options, output, globals }) {
    const result = convertGatus(await readGatus(deps, args.path), deps.clock.now());
    await writeImport(deps, { ...options, yes: globals.yes, source: args.path, result, output });
  },
});
