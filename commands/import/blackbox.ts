/** `sonde import blackbox`: converts probes of blackbox_exporter to files for `sonde apply`. */
import { EXIT } from '../../src/base/exits.ts';
import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { convertBlackbox } from '../../src/cli/manifest/import/blackbox/convert.ts';
import { readBlackbox } from '../../src/cli/manifest/import/blackbox/read-source.ts';
import { importOptions } from '../../src/cli/manifest/import/options.ts';
import { writeImport } from '../../src/cli/manifest/import/write-import.ts';

export const command = defineCommand({
  name: 'import blackbox',
  summary: 'Convert the probes of blackbox_exporter to files',
  description:
    'Reads the modules of blackbox_exporter and the scrape configurations of Prometheus, in any order, and writes files for "sonde plan" and "sonde apply": one check for each target and module, in a group for each job. ' +
    'sonde applies the relabeling of the jobs, and reads target files of file_sd_configs that you pass. It names every probe and setting that has no counterpart. A check that lacks a condition is written with activated: false. ' +
    'Passwords and tokens go to secrets.env, which only you can read and git ignores. Alerting rules are not imported.',
  arguments: {
    paths: argumentList('Configuration files, or folders of them; - for stdin', { placeholder: 'path' }),
  },
  options: importOptions,
  examples: [
    { line: 'import blackbox blackbox.yml prometheus.yml', does: 'Write the files to the folder monitoring' },
    { line: 'import blackbox /etc/prometheus --project network', does: 'Read all files of a folder' },
  ],
  exits: [[EXIT.usage, 'the configuration contains nothing that can be converted']],
  async run(deps, { args, options, output, globals }) {
    const result = convertBlackbox(await readBlackbox(deps, args.paths));
    await writeImport(deps, { ...options, yes: globals.yes, source: args.paths.join(' '), result, output });
  },
});
