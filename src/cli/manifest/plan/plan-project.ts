/** Reads what a plan needs from the deployment, and creates the plan. */
import type { Deps } from '../../framework/index.ts';
import { problemsError } from '../files/problems.ts';
import { SECTIONS, type Section } from '../kinds.ts';
import type { Manifest, ManifestEntry } from '../manifest.ts';
import { addReferencedSections } from '../references.ts';
import { fetchRemoteState, type RemoteState } from '../remote-state.ts';
import { readStates, type StoredState } from '../state/read-states.ts';
import { createPlan, type Plan, type PlanOptions } from './create-plan.ts';

export type PlanDeps = Pick<Deps, 'client' | 'signal' | 'clock'>;

/** Returns the sections of the entries and of the resources to which they refer. */
function usedSections(entries: readonly ManifestEntry[]): ReadonlySet<Section> {
  const used = new Set(entries.map(({ section }) => section));
  for (const { body } of entries) addReferencedSections(body, used);
  return used;
}

/** Plans a manifest. Rejects as the client does, and with UsageError if the manifest is invalid. */
export async function planProject(
  deps: PlanDeps,
  manifest: Manifest,
  options: Omit<PlanOptions, 'now' | 'batchLimit'> = {},
): Promise<Plan> {
  const { remote, states, batchLimit } = await fetchProject(deps, manifest);
  const plan = createPlan(manifest, remote, states, { ...options, batchLimit, now: deps.clock.now() });
  if (plan.problems.length > 0) throw problemsError(plan.problems);
  return plan;
}

/** Fetches the sections that a manifest uses, and the states of all projects if it has one. */
export async function fetchProject(
  deps: PlanDeps,
  { project, entries }: Pick<Manifest, 'project' | 'entries'>,
): Promise<{
  readonly remote: RemoteState;
  readonly states: readonly StoredState[];
  readonly batchLimit: number;
}> {
  let batchLimit = 0;
  const onHeaders = (headers: Readonly<Record<string, string>>): void => {
    batchLimit = Number(headers['x-batch-limit'] ?? 0) || 0;
  };
  const used = usedSections(entries);
  const sections = SECTIONS.filter(
    (section) => used.has(section) || (section === 'snippets' && project !== undefined),
  );
  const remote = await fetchRemoteState(deps, { sections, required: sections, onHeaders });
  const states = project === undefined ? [] : await readStates(deps, remote.snippets);
  const owned = states.find((state) => state.project === project)?.resources ?? [];
  const others = SECTIONS.filter(
    (section) => !sections.includes(section) && owned.some((each) => each.section === section),
  );
  const rest = await fetchRemoteState(deps, { sections: others, required: others });
  const added = others.map((section) => [section, rest[section]]);
  return { remote: { ...remote, ...Object.fromEntries(added) }, states, batchLimit };
}
