/** Plans a manifest, shows the plan, asks and applies it. */
import { isTableOnScreen, type OutputOptions, render } from '../../../terminal/index.ts';
import { confirmChange } from '../../framework/confirm-change.ts';
import type { Deps } from '../../framework/index.ts';
import { showName } from '../credentials.ts';
import { kindOf } from '../kinds.ts';
import type { Manifest } from '../manifest.ts';
import type { PlanAction } from '../plan/change.ts';
import type { PlanOptions } from '../plan/create-plan.ts';
import { planProject } from '../plan/plan-project.ts';
import { type PresentedPlan, presentPlan, type ShownChange } from '../plan/present-plan.ts';
import { formatResource, hasChanges } from '../plan/render-plan.ts';
import { formatPlan, printNotes } from '../print-plan.ts';
import { type AppliedChange, applyPlan } from './apply-plan.ts';

interface ApplyOptions extends Omit<PlanOptions, 'now' | 'batchLimit'> {
  readonly output: OutputOptions;
  readonly yes: boolean;
  /** Whether to apply without a question: `service seed`, or a saved plan, which the user has reviewed. */
  readonly isUnasked?: boolean;
  /** Throws if the plan is not the one that the user has reviewed. */
  readonly verify?: (shown: PresentedPlan<ShownChange>) => void;
}

const DONE: Readonly<Record<PlanAction, string>> = {
  create: 'created',
  update: 'updated',
  rename: 'renamed',
  delete: 'deleted',
  unchanged: 'unchanged',
  skipped: 'skipped',
};

/** Formats `3 created, 12 unchanged`. */
function formatCounts(done: readonly AppliedChange[]): string {
  const counts = (Object.keys(DONE) as PlanAction[]).flatMap((action) => {
    const count = done.filter(({ change }) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${DONE[action]}`];
  });
  return counts.join(', ');
}

/** Applies a manifest after confirmation. Rejects as the client does, and with UsageError if the manifest is invalid. */
export async function applyProject(deps: Deps, manifest: Manifest, options: ApplyOptions): Promise<void> {
  const { terminal } = deps;
  const { output, yes, isUnasked, verify, ...planOptions } = options;
  const plan = await planProject(deps, manifest, planOptions);
  const shown = await presentPlan(plan);
  verify?.(shown);
  const isPending = hasChanges(shown);
  if (!terminal.quiet || (terminal.canAsk && !yes))
    await terminal.err(await formatPlan(terminal, 'stderr', shown));
  await printNotes(deps, plan, shown);
  if (isPending && !isUnasked)
    await confirmChange(deps, { message: 'Apply this plan?', yes, required: true });
  const done: AppliedChange[] = [];
  const spinner = terminal.spinner('Applying');
  try {
    await applyPlan(deps, plan, (each) => {
      done.push(each);
    });
  } catch (error) {
    await spinner.stop();
    const left = plan.changes.length - done.length;
    await terminal.warn(
      `stopped before the plan was complete: ${formatCounts(done) || 'nothing done'}; ${left} left. To continue, run the same command again`,
    );
    throw error;
  }
  await spinner.stop();
  if (!isTableOnScreen(terminal, output)) {
    await render(terminal, {
      kind: 'list',
      data: done.map(({ change: { action, section, key, name }, id }) => ({
        action: DONE[action],
        kind: kindOf(section).noun,
        key,
        name: showName(section, name),
        id,
      })),
      output,
      columns: [
        { key: 'action' },
        { key: 'kind' },
        { key: 'name' },
        { key: 'key' },
        { key: 'id', kind: 'id' },
      ],
    });
  }
  for (const { change, id } of done) {
    if (change.wanted?.access?.isPrivate === true) {
      await terminal.note(
        `${formatResource({ kind: 'status page', name: change.name })} is private; to create its key, run: sonde status-pages access ${id} --new-key`,
      );
    }
  }
  if (isPending) await terminal.note(`Applied: ${formatCounts(done)}.`);
}
