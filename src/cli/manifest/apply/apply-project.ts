/** Plans a manifest, shows the plan, asks and applies it. */
import { StateChangedError } from '../../../base/errors.ts';
import { isTableOnScreen, type OutputOptions, render, type Terminal } from '../../../terminal/index.ts';
import { confirmChange } from '../../framework/confirm-change.ts';
import type { Deps } from '../../framework/index.ts';
import { kindOf } from '../kinds.ts';
import type { Manifest } from '../manifest.ts';
import type { PlanAction } from '../plan/change.ts';
import type { Plan, PlanOptions } from '../plan/create-plan.ts';
import { countDeletions, massDeletionError } from '../plan/deletions.ts';
import { planProject } from '../plan/plan-project.ts';
import { type PresentedPlan, presentPlan, type ShownChange } from '../plan/present-plan.ts';
import { formatPlan, printNotes } from '../plan/print-plan.ts';
import { formatResource, hasChanges } from '../plan/render-plan.ts';
import { printDomainNotes } from '../print-domain-notes.ts';
import { applyPlan } from './apply-plan.ts';
import { createLockWaiter } from './lock-waiter.ts';

interface ApplyOptions extends Omit<PlanOptions, 'now' | 'batchLimit'> {
  readonly output: OutputOptions;
  readonly yes: boolean;
  /** Whether to apply without a question: `service seed`, or a saved plan, which the user has reviewed. */
  readonly isUnasked?: boolean;
  /** Whether to delete more than half of the project without a question. */
  readonly allowsMassDelete?: boolean;
  /** Time to wait for the lock of another apply, in ms. */
  readonly lockTimeoutMs?: number;
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
function formatCounts(done: readonly ShownChange[]): string {
  const counts = (Object.keys(DONE) as PlanAction[]).flatMap((action) => {
    const count = done.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${DONE[action]}`];
  });
  return counts.join(', ');
}

/**
 * Applies a manifest after confirmation. Plans again if another apply was faster. Rejects as the client does, with LockedError, and
 * with UsageError if the manifest is invalid.
 */
export async function applyProject(deps: Deps, manifest: Manifest, options: ApplyOptions): Promise<void> {
  const { values, isPruned, lockTimeoutMs = 0 } = options;
  const planOptions = { ...(values ? { values } : {}), ...(isPruned ? { isPruned } : {}) };
  const waitForUnlock = createLockWaiter(deps, lockTimeoutMs);
  for (;;) {
    const plan = await planProject(deps, manifest, planOptions);
    if (await waitForUnlock(plan.own)) continue;
    try {
      return await applyShownPlan(deps, plan, options);
    } catch (error) {
      if (!(error instanceof StateChangedError)) throw error;
      await deps.terminal.note('Another apply changed the project meanwhile. Planning again.');
    }
  }
}

/** Shows a plan, asks and applies it. Rejects with StateChangedError if another apply was faster, and then has changed nothing. */
async function applyShownPlan(deps: Deps, plan: Plan, options: ApplyOptions): Promise<void> {
  const { terminal } = deps;
  const { output, yes, isUnasked, allowsMassDelete, verify } = options;
  const shown = await presentPlan(plan);
  verify?.(shown);
  const isPending = hasChanges(shown);
  if (!terminal.quiet || (terminal.canAsk && !yes))
    await terminal.err(await formatPlan(terminal, 'stderr', shown));
  await printNotes(deps, shown);
  const deletions = countDeletions(plan);
  const isAsked = !isUnasked && !yes && terminal.canAsk;
  if (deletions.isMass && !isAsked && !allowsMassDelete) throw massDeletionError(deletions);
  const message = deletions.count > 0 ? `Apply this plan, which ${deletions.text}?` : 'Apply this plan?';
  if (isPending && !isUnasked) await confirmChange(deps, { message, yes, required: true });
  const shownOf = new Map(plan.changes.map((change, index) => [change, shown.changes[index]]));
  const done: ShownChange[] = [];
  const pages: Parameters<typeof printDomainNotes>[2][number][] = [];
  const spinner = terminal.spinner('Applying');
  try {
    await applyPlan(deps, plan, ({ change, id, row }) => {
      const presented = shownOf.get(change);
      pages.push({ section: change.section, id, row });
      if (presented) done.push({ ...presented, id });
    });
  } catch (error) {
    await spinner.stop();
    if (error instanceof StateChangedError) throw error;
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
  await printDomainNotes(terminal, plan.taint, pages);
  if (isPending) await terminal.note(`Applied: ${formatCounts(done)}.`);
}

/** Prints the outcomes for programs; in a pipe without a format only those that changed something. */
async function printOutcomes(
  terminal: Terminal,
  output: OutputOptions,
  done: readonly ShownChange[],
): Promise<void> {
  const shown = output.format ? done : done.filter(({ action }) => action !== 'unchanged');
  await render(terminal, {
    kind: 'list',
    data: shown.map(({ action, kind, key, name, id }) => ({
      action: DONE[action],
      kind,
      key,
      name,
      id,
    })),
    output,
    columns: [{ key: 'action' }, { key: 'kind' }, { key: 'name' }, { key: 'key' }, { key: 'id', kind: 'id' }],
  });
}

/** Returns what the user must do after a change: create the keys that the API returns only once. */
function nextSteps({ kind, name, action, id, notes }: ShownChange): readonly string[] {
  const resource = formatResource({ kind, name });
  if (notes.isPrivate)
    return [
      `The ${resource} is private. To create its key, run:\n  sonde status-pages access ${id} --new-key`,
    ];
  if (kind === kindOf('privateLocations').noun && action === 'create')
    return [
      `To create a key for agents of the ${resource}, run:\n  sonde private-locations create-key ${id}`,
    ];
  return [];
}
