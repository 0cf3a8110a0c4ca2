/** `sonde plan`: shows what `sonde apply` would change. */
import { ChangesPendingError, UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { type Deps, defineCommand, flag, text } from '../src/cli/framework/index.ts';
import {
  type Project,
  pathsArgument,
  pathsOf,
  requireProject,
  withProject,
} from '../src/cli/manifest/files/read-project.ts';
import { kindOf } from '../src/cli/manifest/kinds.ts';
import { countDeletions } from '../src/cli/manifest/plan/deletions.ts';
import { planDrift } from '../src/cli/manifest/plan/plan-drift.ts';
import { planProject } from '../src/cli/manifest/plan/plan-project.ts';
import { type PresentedPlan, presentPlan, type ShownChange } from '../src/cli/manifest/plan/present-plan.ts';
import { printNotes, printPlan } from '../src/cli/manifest/plan/print-plan.ts';
import { DRIFT, formatResource, hasChanges, PLAN } from '../src/cli/manifest/plan/render-plan.ts';
import { savePlan } from '../src/cli/manifest/plan/saved-plan.ts';
import { summarizePlan } from '../src/cli/manifest/plan/step-summary.ts';
import { printDomainNotes } from '../src/cli/manifest/print-domain-notes.ts';
import { massDeletion, projectOptions } from '../src/cli/manifest/project-options.ts';
import { formatHolder, isAlive } from '../src/cli/manifest/state/lock-holder.ts';
import type { OutputOptions } from '../src/terminal/index.ts';

export const command = defineCommand({
  name: 'plan',
  summary: 'Show what apply would change',
  description:
    'Compares the files of a project with the deployment, field by field, and changes nothing. A field that the files leave out ' +
    'has its default. Resources are matched by key or name. With "project: NAME" in a file, the project owns what it applies.',
  arguments: { paths: pathsArgument },
  options: {
    prune: flag('Also plan to delete resources of the project that the files no longer declare'),
    refreshOnly: flag('Show what has changed on the deployment since the last apply instead'),
    out: text('File to save the plan in, for "sonde apply FILE"', { placeholder: 'file' }),
    detailedExitcode: flag(`Exit with ${EXIT.changesPending} if there are changes`),
    ...massDeletion,
    ...projectOptions,
  },
  examples: [
    { line: 'plan', does: 'Compare the files in monitoring/ with the deployment' },
    {
      line: 'plan --prune --out plan.json',
      does: 'Save a plan that deletes what the files no longer declare',
    },
    {
      line: 'plan --refresh-only --detailed-exitcode',
      does: 'Fail a job if someone changed a resource by hand',
    },
  ],
  exits: [[EXIT.changesPending, 'there are changes, with --detailed-exitcode']],
  async run(deps, { args, options, output }) {
    const { prune, refreshOnly, out, allowMassDelete } = options;
    if (refreshOnly && (prune || out !== undefined))
      throw new UsageError(`--refresh-only and ${prune ? '--prune' : '--out'} are mutually exclusive`);
    await withProject(deps, args.paths, options, async (project) => {
      if (prune) requireProject(project.manifest, '--prune');
      const shown = refreshOnly
        ? await showDrift(deps, project, output)
        : await showPlan(deps, project, { isPruned: prune, allowsMassDelete: allowMassDelete }, output);
      await summarizePlan(deps, shown, refreshOnly ? DRIFT : PLAN);
      if (out !== undefined) {
        const { files } = project;
        await savePlan(deps, out, shown, {
          isPruned: prune,
          allowsMassDelete: allowMassDelete,
          paths: pathsOf(args.paths),
          files,
        });
        await deps.terminal.note(`Saved the plan. To apply it, run: sonde apply ${out}`);
      }
      if (options.detailedExitcode && hasChanges(shown)) throw new ChangesPendingError('there are changes');
    });
  },
});

async function showPlan(
  deps: Deps,
  { manifest, values }: Project,
  { isPruned, allowsMassDelete }: Readonly<Record<'isPruned' | 'allowsMassDelete', boolean>>,
  output: OutputOptions,
): Promise<PresentedPlan<ShownChange>> {
  const plan = await planProject(deps, manifest, { values, isPruned });
  const shown = await presentPlan(plan);
  await printPlan(deps.terminal, output, shown);
  await printNotes(deps, shown);
  const { lock } = plan.own ?? {};
  if (lock && isAlive(lock, 0, deps.self))
    await deps.terminal.note(
      `The project "${shown.project}" is locked by ${formatHolder(lock)}: an apply may change this plan. The last sign of life was at ${lock.renewedAt}.`,
    );
  const pages = plan.changes.map(({ section, id, wanted }) => ({ section, id, row: wanted?.remote }));
  await printDomainNotes(deps.terminal, plan.taint, pages);
  const deletions = countDeletions(plan);
  if (deletions.isMass && !allowsMassDelete)
    await deps.terminal.warn(
      `the plan ${deletions.text}. To apply it outside a terminal, pass --allow-mass-delete`,
    );
  return shown;
}

async function showDrift(
  deps: Deps,
  { manifest }: Project,
  output: OutputOptions,
): Promise<PresentedPlan<ShownChange>> {
  const { terminal } = deps;
  requireProject(manifest, '--refresh-only');
  const drift = await planDrift(deps, manifest);
  const shown = await presentPlan(drift);
  await printPlan(terminal, output, shown, DRIFT);
  if (!drift.isRecorded)
    await terminal.note(
      `This deployment has no record of the project "${shown.project}": it was never applied.`,
    );
  if (drift.pending.length > 0) {
    const names = drift.pending.map(({ section, name }) =>
      formatResource({ kind: kindOf(section).noun, name: manifest.taint.show(name) }),
    );
    await terminal.note(
      `An interrupted apply may have created: ${names.join(', ')}. To complete it, run "sonde apply".`,
    );
  }
  return shown;
}
