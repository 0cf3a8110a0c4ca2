/** Reads the states of all projects of an account from its snippets. */
import { groupBy, type JsonObject } from '../../../base/object.ts';
import { getSnippet } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import {
  decodeState,
  isProjectState,
  type OwnedResource,
  type ProjectLock,
  type ResourceId,
} from './project-state.ts';

/** The state of one project, and the snippets that store it. */
export interface StoredState {
  readonly project: string;
  readonly resources: readonly OwnedResource[];
  readonly lock?: ProjectLock | undefined;
  /** The script of the first snippet; undefined: there is none. */
  readonly script?: string | undefined;
  /** Several, if two runs started the project at the same time. The first one is kept. */
  readonly snippetIds: readonly ResourceId[];
}

const keyOf = ({ section, key }: OwnedResource): string => `${section} ${key}`;

/** Merges the resources of several states; a known ID wins over a pending one. */
function mergeResources(states: readonly (readonly OwnedResource[])[]): readonly OwnedResource[] {
  const merged = new Map<string, OwnedResource>();
  for (const resource of states.flat()) {
    if ((merged.get(keyOf(resource))?.id ?? null) === null) merged.set(keyOf(resource), resource);
  }
  return [...merged.values()];
}

/** Returns the states in `snippets`, which are the rows of a list. Throws UsageError if one is damaged. */
export async function readStates(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  snippets: readonly JsonObject[],
): Promise<readonly StoredState[]> {
  const states = await Promise.all(
    snippets.filter(isProjectState).map(async (row) => {
      // Some deployments leave the script out of lists.
      const id = row.id as number;
      const whole =
        typeof row.script === 'string'
          ? row
          : (await (await client()).call(getSnippet, { params: { id } }, { signal })).body;
      return { id, script: String(whole.script), ...decodeState(whole) };
    }),
  );
  return [...groupBy(states, ({ project }) => project)].map(([project, same]) => ({
    project,
    resources: mergeResources(same.map(({ resources }) => resources)),
    lock: same[0]?.lock,
    script: same[0]?.script,
    snippetIds: same.map(({ id }) => id),
  }));
}
