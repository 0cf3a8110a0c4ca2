/** `sonde apply`: brings a deployment to the state that the files of a project declare. */
import { EXIT } from '../src/base/exits.ts';
import { defineCommand, flag } from '../src/cli/framework/index.ts';
import { applyProject } from '../src/cli/manifest/apply/apply-project.ts';
import { pathsArgument, readProject, secretsOption } from '../src/cli/manifest/read-project.ts';

export const command = defineCommand({
  name: 'apply',
  summary: 'Create, update and delete resources as files declare',
  description:
    'Shows the plan, asks, and applies it: referenced resources first. A second run changes nothing. After an error or an interruption, ' +
    'run the command again: it continues and creates nothing twice.',
  arguments: { paths: pathsArgument },
  options: {
    prune: flag('Also delete the resources of the project that the files no longer declare'),
    secrets: secretsOption,
  },
  examples: [
    { line: 'apply', does: 'Apply the files in monitoring/ after confirmation' },
    { line: 'apply --prune --yes', does: 'Apply and prune without confirmation, for example in a job' },
    { line: 'apply --secrets shop.env', does: 'Read values of variables from a file' },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  async run(deps, { args, options, output, globals }) {
    const { manifest, values } = await readProject(deps, args.paths, options.secrets);
    await applyProject(deps, manifest, { values, isPruned: options.prune, output, yes: globals.yes });
  },
});
