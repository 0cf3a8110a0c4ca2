/** `sonde import checkly`: converts a project of the npm client, or answers of the API, to files for `sonde apply`. */
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { captureDeployment } from '../../src/cli/manifest/import/checkly/capture-deployment.ts';
import { convertAnswers } from '../../src/cli/manifest/import/checkly/convert-answers.ts';
import { convertProject, projectOf } from '../../src/cli/manifest/import/checkly/convert-project.ts';
import { findProject, readAnswers } from '../../src/cli/manifest/import/checkly/read-source.ts';
import type { ImportResult } from '../../src/cli/manifest/import/conversion.ts';
import { importOptions } from '../../src/cli/manifest/import/options.ts';
import { writeImport } from '../../src/cli/manifest/import/write-import.ts';

export const command = defineCommand({
  name: 'import checkly',
  summary: 'Convert a Checkly project to files',
  description:
    'Reads a project with checkly.config.ts, or JSON answers of the API, and writes files for "sonde plan" and "sonde apply". For a project, sonde runs the npm package checkly that the project has installed, ' +
    'which runs the code of the project, against a server on 127.0.0.1; nothing is deployed, and your key is not used. sonde names every resource and setting that has no counterpart. ' +
    'Passwords, tokens and webhook URLs go to secrets.env, which only you can read and git ignores. To convert an account that you can reach, use "sonde export".',
  arguments: { path: argument('Folder of the project, or JSON file or folder', { placeholder: 'path' }) },
  options: importOptions,
  examples: [
    { line: 'import checkly .', does: 'Convert the project in this folder' },
    {
      line: 'import checkly answers/ --project shop',
      does: 'Convert answers: checks.json, check-groups.json, …',
    },
  ],
  exits: [[EXIT.usage, 'the source contains nothing that can be converted']],
  async run(deps, { args, options, output, globals }) {
    const folder = findProject(deps.cwd, args.path);
    const write = (result: ImportResult, project: string | undefined) =>
      writeImport(deps, { ...options, project, yes: globals.yes, source: args.path, result, output });
    if (folder === undefined)
      return write(convertAnswers(await readAnswers(deps, args.path)), options.project);
    const deployment = await captureDeployment(deps, folder, args.path);
    return write(convertProject(deployment), options.project ?? projectOf(deployment));
  },
});
