/** Plans a manifest, shows the plan, asks and applies it. */
import { isTableOnScreen, type OutputOptions, render, type Terminal } from '../../../terminal/index.ts';
import { confirmChange } from '../../framework/confirm-change.ts';
import type { Deps } from '../../framework/index.ts';
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
    const next = verify ? 'make a new plan' : 'run the same command again';
    await terminal.warn(
      `stopped before the plan was complete: ${formatCounts(done) || 'nothing done'}; ${left} left. To continue, ${next}`,
    );
    throw error;
  }
  await spinner.stop();
  if (!isTableOnScreen(terminal, output)) await printOutcomes(terminal, output, done);
  for (const each of done) for (const note of nextSteps(each)) await terminal.note(note);
  if (isPending) await terminal.note(`Applied: ${formatCounts(done)}.`);
}

/** Prints the outcomes for programs; in a pipe without a format only those that changed something. */
async function printOutcomes(
  terminal: Terminal,
  output: OutputOptions,
  done: readonly AppliedChange[],
): Promise<void> {
  const shown = output.format ? done : done.filter(({ change }) => change.action !== 'unchanged');
  await render(terminal, {
    kind: 'list',
    data: shown.map(({ change: { action, section, key, name }, id }) => ({
      action: DONE[action],
      kind: kindOf(section).noun,
      key,
      name,
      id,
    })),
    output,
    columns: [{ key: 'action' }, { key: 'kind' }, { key: 'name' }, { key: 'key' }, { key: 'id', kind: 'id' }],
  });
}

/** Returns what the user must do after a change: create the keys that the API returns only once. */
function nextSteps({ change, id }: AppliedChange): readonly string[] {
  const { section, name, action, wanted } = change;
  const resource = formatResource({ kind: kindOf(section).noun, name });
  if (wanted?.access?.isPrivate === true)
    return [
      `The ${resource} is private. To create its key, run:\n  sonde status-pages access ${id} --new-key`,
    ];
  if (section === 'privateLocations' && action === 'create')
    return [
      `To create a key for agents of the ${resource}, run:\n  sonde private-locations create-key ${id}`,
    ];
  return [];
}
