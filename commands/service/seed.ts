/** `sonde service seed`: the former name of `sonde apply` for files without a project. */
import { argument, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { applyProject } from '../../src/cli/manifest/apply/apply-project.ts';
import { withProject } from '../../src/cli/manifest/files/read-project.ts';
import { planProject } from '../../src/cli/manifest/plan/plan-project.ts';
import { presentPlan } from '../../src/cli/manifest/plan/present-plan.ts';
import { printNotes, printPlan } from '../../src/cli/manifest/plan/print-plan.ts';
import { projectOptions } from '../../src/cli/manifest/project-options.ts';

export const command = defineCommand({
  name: 'service seed',
  summary: 'Apply a file of resources to a service',
  description: 'Does the same as "sonde apply" for a file without a project, and does not ask.',
  deprecated: 'sonde apply',
  arguments: { file: argument('YAML or JSON file; - for stdin', { placeholder: 'file' }) },
  options: {
    dryRun: flag('Preview the changes without applying them'),
    ...projectOptions,
  },
  examples: [
    { line: 'service seed shop.yaml --dry-run', does: 'Preview the changes' },
    { line: 'service seed shop.yaml', does: 'Apply a file' },
  ],
  async run(deps, { args, options, output, globals }) {
    await withProject(deps, [args.file], options, async ({ values, ...project }) => {
      const manifest = { ...project.manifest, project: undefined };
      if (!options.dryRun)
        return applyProject(deps, manifest, { values, output, yes: globals.yes, isUnasked: true });
      const shown = await presentPlan(await planProject(deps, manifest, { values }));
      await printPlan(deps.terminal, output, shown);
      await printNotes(deps, shown);
    });
  },
});
