/** Shows a plan on the page of a run of GitHub Actions. */
import { stripVTControlCharacters } from 'node:util';
import { appendStepSummary } from '../../../gate/index.ts';
import type { Deps } from '../../framework/index.ts';
import type { Shown } from '../taint.ts';
import type { PresentedPlan, ShownChange } from './present-plan.ts';
import { formatPlan } from './print-plan.ts';
import { formatSummary, type Wording } from './render-plan.ts';

/** GitHub's limit of 1 MiB holds for all commands of a step. */
const MAX_CHARACTERS = 300_000;

/** Appends the plan to the summary of the step, if the process runs in one. */
export async function summarizePlan(
  deps: Pick<Deps, 'terminal' | 'clock' | 'env' | 'cwd'>,
  shown: PresentedPlan<ShownChange>,
  wording: Wording,
): Promise<void> {
  if (!deps.env.GITHUB_STEP_SUMMARY) return;
  const plan = stripVTControlCharacters(await formatPlan(deps.terminal, 'stderr', shown, wording));
  await appendStepSummary(deps, 'plan', () => toMarkdown(shown.project, plan, formatSummary(shown, wording)));
}

/** Returns the plan as a code block, whose fence is longer than every run of backticks in the plan. */
function toMarkdown(project: Shown | null, plan: string, summary: string): string {
  const runs = plan.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  const title = project === null ? 'Monitoring plan' : `Monitoring plan of ${project}`;
  const isWhole = plan.length <= MAX_CHARACTERS;
  const shown = isWhole ? plan : `${plan.slice(0, plan.lastIndexOf('\n', MAX_CHARACTERS))}\n`;
  const rest = isWhole ? '' : `\nThe plan is longer than this page can show. ${summary}\n`;
  return `### ${title}\n\n${fence}diff\n${shown}${fence}\n${rest}`;
}
