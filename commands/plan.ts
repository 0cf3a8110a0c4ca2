/** `sonde plan`: shows what `sonde apply` would change. */
import { ChangesPendingError, UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { defineCommand, flag } from '../src/cli/framework/index.ts';
import { planProject } from '../src/cli/manifest/plan/plan-project.ts';
import { presentPlan } from '../src/cli/manifest/plan/present-plan.ts';
import { hasChanges } from '../src/cli/manifest/plan/render-plan.ts';
import { printNotes, printPlan } from '../src/cli/manifest/print-plan.ts';
import { pathsArgument, readProject, secretsOption } from '../src/cli/manifest/read-project.ts';
import { summarizePlan } from '../src/cli/manifest/step-summary.ts';

export const command = defineCommand({
  name: 'plan',
  summary: 'Show what apply would change',
  description:
    'Compares the files of a project with the deployment, field by field, and changes nothing. A field that the files leave out ' +
    'has its default. The files identify resources by key or name; "project: NAME" in a file makes the project own them.',
  arguments: { paths: pathsArgument },
  options: {
    prune: flag('Also plan to delete the resources of the project that the files no longer declare'),
    detailedExitcode: flag(`Exit with ${EXIT.changesPending} if changes are pending`),
    secrets: secretsOption,
  },
  examples: [
    { line: 'plan', does: 'Compare the files in monitoring/ with the deployment' },
    { line: 'plan --prune --detailed-exitcode', does: 'Fail a job if the deployment differs from the files' },
    { line: 'plan shop.yaml --json', does: 'Print the changes of one file as JSON' },
  ],
  exits: [[EXIT.changesPending, 'changes are pending, with --detailed-exitcode']],
  async run(deps, { args, options, output }) {
    const { manifest, values } = await readProject(deps, args.paths, options.secrets);
    if (options.prune && manifest.project === undefined) throw noProject('--prune');
    const plan = await planProject(deps, manifest, { values, isPruned: options.prune });
    const shown = await presentPlan(plan);
    await printPlan(deps.terminal, output, shown);
    await printNotes(deps, plan, shown);
    await summarizePlan(deps, plan.project, shown);
    if (options.detailedExitcode && hasChanges(shown)) throw new ChangesPendingError('changes are pending');
  },
});

const noProject = (option: string): UsageError =>
  new UsageError(`${option} needs a project, and the files name none`, {
    hint: 'add a line to one of the files, for example: project: shop',
  });
