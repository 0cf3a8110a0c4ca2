/** Saves a plan in a file, and reads it again. The file has the texts of the project, but no value of a variable. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findExcess } from '../../../base/depth.ts';
import { OutdatedPlanError, OutputError, type Problem, UsageError } from '../../../base/errors.ts';
import { writeFileAtomically } from '../../../base/files.ts';
import { groupBy, isObject } from '../../../base/object.ts';
import type { Deps } from '../../framework/index.ts';
import type { FileRecord } from '../files/file-tree.ts';
import { type PresentedChange, type PresentedPlan, type ShownChange, withoutStates } from './present-plan.ts';
import { formatResource } from './render-plan.ts';

const VERSION = 1;

export interface SavedPlan {
  readonly savedPlan: typeof VERSION;
  readonly baseUrl: string;
  readonly accountId: string | null;
  readonly isPruned: boolean;
  readonly allowsMassDelete?: boolean;
  readonly paths: readonly string[];
  readonly files: FileRecord;
  /** The changes with masked secrets. */
  readonly changes: readonly PresentedChange[];
}

/** The changes that an apply makes. */
const changesOf = ({ changes }: PresentedPlan<ShownChange>): readonly PresentedChange[] =>
  changes.filter(({ action, adopts }) => action !== 'unchanged' || adopts).map(withoutStates);

const deploymentOf = async ({ profiles }: Pick<Deps, 'profiles'>) => {
  const { baseUrl = '', accountId = null } = await profiles();
  return { baseUrl, accountId };
};

/** Writes the plan to a file that only the user can read. Throws OutputError if that fails. */
export async function savePlan(
  deps: Pick<Deps, 'profiles' | 'cwd'>,
  file: string,
  shown: PresentedPlan<ShownChange>,
  rest: Pick<SavedPlan, 'isPruned' | 'allowsMassDelete' | 'paths' | 'files'>,
): Promise<void> {
  const plan: SavedPlan = {
    savedPlan: VERSION,
    ...(await deploymentOf(deps)),
    ...rest,
    changes: changesOf(shown),
  };
  try {
    writeFileAtomically(resolve(deps.cwd, file), `${JSON.stringify(plan, null, 2)}\n`);
  } catch (cause) {
    throw new OutputError(`cannot write ${file} (${(cause as NodeJS.ErrnoException).code ?? cause})`, {
      cause,
    });
  }
}

/** Returns the plan in a text. Undefined: the text is something else, or nested too deep, as its next reader says. Throws UsageError if a newer version wrote it. */
export function parseSavedPlan(text: string): SavedPlan | undefined {
  if (!text.startsWith('{') || findExcess(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !('savedPlan' in value)) return undefined;
  const { savedPlan, paths, files, changes } = value;
  if (savedPlan !== VERSION)
    throw new UsageError('a newer version of sonde saved this plan', { hint: 'update sonde' });
  const isWhole = Array.isArray(paths) && isObject(files) && Array.isArray(changes);
  if (!isWhole) throw new UsageError('the saved plan is damaged', { hint: 'run: sonde plan --out FILE' });
  return value as unknown as SavedPlan;
}

/** Throws UsageError if the plan was made for another deployment or account. */
export async function assertSameDeployment(deps: Pick<Deps, 'profiles'>, plan: SavedPlan): Promise<void> {
  const { baseUrl, accountId } = await deploymentOf(deps);
  if (baseUrl === plan.baseUrl && accountId === plan.accountId) return;
  const format = (one: { readonly baseUrl: string; readonly accountId: string | null }) =>
    one.accountId === null ? one.baseUrl : `${one.baseUrl} (account ${one.accountId})`;
  throw new UsageError(
    `the plan was made for ${format(plan)}, and this command uses ${format({ baseUrl, accountId })}`,
    { hint: 'select the deployment of the plan with --profile or --base-url' },
  );
}

/** Throws OutdatedPlanError if a new plan has other changes, because the deployment or a variable has changed. */
export function assertSameChanges(plan: SavedPlan, shown: PresentedPlan<ShownChange>): void {
  const [then, now] = [plan.changes, changesOf(shown)];
  const resources = groupBy([...then, ...now], ({ kind, key }) => `${kind} ${key}`);
  const find = (changes: readonly PresentedChange[], { kind, key }: PresentedChange) =>
    changes.find((change) => change.kind === kind && change.key === key);
  const details = [...resources.values()].flatMap(([first]): Problem[] => {
    if (!first) return [];
    const [one, other] = [find(then, first), find(now, first)];
    // What a file cannot hold, such as undefined, makes no difference.
    if (isDeepStrictEqual(one, other && JSON.parse(JSON.stringify(other)))) return [];
    return [
      { place: formatResource(first), message: `planned: ${summarize(one)}; now: ${summarize(other)}` },
    ];
  });
  if (details.length === 0) return;
  if (now.length === 0)
    throw new OutdatedPlanError('the deployment already is as planned; nothing was changed', {
      hint: 'this plan was applied before, or somebody else made the changes',
    });
  throw new OutdatedPlanError('the plan no longer matches the deployment; nothing was changed', {
    details,
    hint: `make and review a new plan: sonde plan${plan.isPruned ? ' --prune' : ''} --out FILE`,
  });
}

/** Returns `update (frequency, tags)`. */
function summarize(change: PresentedChange | undefined): string {
  if (!change) return 'unchanged';
  const { action, fields } = change;
  const names = fields.map(({ path }) => path).join(', ');
  return action === 'create' || names === '' ? action : `${action} (${names})`;
}
