/** `sonde export`: exports the resources of a deployment as files for `sonde plan` and `sonde apply`. */
import { defineCommand, flag, text } from '../src/cli/framework/index.ts';

export const command = defineCommand({
  name: 'export',
  summary: 'Export resources as files for "sonde apply"',
  description:
    'Prints one YAML document, or writes a folder with --out: one file for each group and section, scripts and suites beside them. ' +
    'The files contain what differs from the defaults, with references by name, so that "sonde plan" finds no changes afterwards. ' +
    'Secrets are not exported: the deployment keeps them, and "sonde apply --secrets" reads them for another deployment. ' +
    'stderr names other values that look like secrets, such as a token in a URL; --extract-secrets moves them to a file. ' +
    'Incidents and triggers are not exported; "sonde service backup" includes them.',
  options: {
    out: text('Folder to write, such as monitoring', { placeholder: 'folder' }),
    project: text('Export only the resources that this project owns', { placeholder: 'name' }),
    extractSecrets: text(
      'File (mode 0600) for the secrets that the deployment shows; variables replace them',
      {
        placeholder: 'file',
      },
    ),
    force: flag('Replace the file of --extract-secrets if it exists'),
  },
  examples: [
    { line: 'export --out monitoring', does: 'Write files to keep in git' },
    { line: 'export --out monitoring --project shop', does: 'Write the files of one project' },
    {
      line: 'export --out monitoring --extract-secrets ../shop.env',
      does: 'Write files with variables in place of tokens and passwords',
    },
    {
      line: 'export --profile staging | sonde apply - --profile local --yes',
      does: 'Copy one deployment into another',
    },
  ],
  async run(deps, { options, output, globals }) {
    const { runExport } = await import('../src/cli/manifest/export/lazy/run-export.ts');
    await runExport(deps, { ...options, output, yes: globals.yes });
  },
});
