/** Prints a plan, and what a reader of it must know. */
import { isObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { isHumanReadable, type OutputOptions, render, type Terminal } from '../../../terminal/index.ts';
import type { Deps } from '../../framework/index.ts';
import { formatNextPings } from '../../resources/next-pings.ts';
import { type PresentedPlan, type ShownChange, withoutStates } from './present-plan.ts';
import { formatResource, formatSummary, PLAN, renderChanges } from './render-plan.ts';

/** Undeclared resources to name. */
const MAX_NAMED = 20;

/** Returns the changes and the summary as text for a stream. */
export async function formatPlan(
  terminal: Terminal,
  stream: 'stdout' | 'stderr',
  shown: PresentedPlan<ShownChange>,
  wording = PLAN,
): Promise<string> {
  const isScreen = stream === 'stdout' ? terminal.stdoutIsTTY : terminal.stderrIsTTY;
  const styles = await terminal.styles(stream);
  const width = isScreen ? (terminal[stream].columns ?? 80) : undefined;
  const changes = await renderChanges(shown, { width, styles, plain: terminal.plain }, wording);
  return `${changes}${changes === '' || changes.endsWith('\n\n') ? '' : '\n'}${styles.bold(formatSummary(shown, wording))}\n`;
}

/** Prints the plan on stdout, in the format that the user selected. */
export async function printPlan(
  terminal: Terminal,
  output: OutputOptions,
  shown: PresentedPlan<ShownChange>,
  wording = PLAN,
): Promise<void> {
  const { format } = output;
  if (format === undefined || (isHumanReadable(terminal, output) && !output.fields))
    return terminal.out(await formatPlan(terminal, 'stdout', shown, wording), 'people');
  const changes = shown.changes.map(withoutStates);
  if (format === 'json' || format === 'yaml')
    return render(terminal, { kind: 'item', data: { ...shown, changes }, output, columns: [] });
  return render(terminal, {
    kind: 'list',
    data: changes,
    output,
    columns: [{ key: 'action' }, { key: 'kind' }, { key: 'name' }, { key: 'key' }, { key: 'id', kind: 'id' }],
  });
}

/** Returns the next times of a heartbeat check whose cron expression or time zone is new. `now`: ms. */
function findNewPings({ before, after }: ShownChange['states'], now: number): string[] | undefined {
  const [old, wanted] = [before.heartbeat, after.heartbeat];
  if (!isObject(wanted)) return undefined;
  const isSame = isObject(old) && old.cron === wanted.cron && old.timezone === wanted.timezone;
  return isSame ? undefined : formatNextPings(wanted, now);
}

/** Prints what the changes do not show: next pings, undeclared resources, new owners, and secret values. */
export async function printNotes(
  { terminal, clock }: Pick<Deps, 'terminal' | 'clock'>,
  { project, changes, undeclared }: PresentedPlan<ShownChange>,
): Promise<void> {
  for (const { kind, action, notes, states, ...change } of changes) {
    const resource = formatResource({ kind, ...change });
    const times = findNewPings(states, clock.now());
    if (times !== undefined)
      await terminal.note(`The next pings of ${resource} are expected at:\n  ${times.join('\n  ')}`);
    const { renamedFrom, missingValues } = notes;
    if (action === 'create' && renamedFrom !== undefined)
      await terminal.warn(
        `renamedFrom of ${resource} matches no ${kind}: "${renamedFrom}". The plan creates a new one, without the history`,
      );
    if (action === 'skipped')
      await terminal.warn(`${resource} is skipped: neither the files nor --secrets have a value`);
    else if (missingValues.length > 0)
      await terminal.warn(
        `${resource} has no ${missingValues.join(', ')}: neither the files nor --secrets have a value`,
      );
  }
  const adopted = changes.filter(({ adopts }) => adopts).length;
  if (adopted > 0)
    await terminal.note(`The project "${project}" takes over ${plural(adopted, 'existing resource')}.`);
  const secrets = changes.reduce((sum, { notes }) => sum + notes.secretCount, 0);
  if (secrets > 0) {
    const one = secrets === 1;
    await terminal.note(
      `${plural(secrets, 'secret value')} ${one ? 'is' : 'are'} sent with every apply, because the API does not return ${one ? 'it' : 'them'}.`,
    );
  }
  if (undeclared.length > 0) {
    const names = undeclared.slice(0, MAX_NAMED).map(formatResource);
    const rest = undeclared.length > MAX_NAMED ? ` and ${undeclared.length - MAX_NAMED} more` : '';
    await terminal.note(
      `No longer declared, but still on the deployment: ${names.join(', ')}${rest}. To delete ${undeclared.length === 1 ? 'it' : 'them'}, pass --prune.`,
    );
  }
}
