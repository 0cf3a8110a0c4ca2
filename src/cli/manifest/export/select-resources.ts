/** Selects the resources to export, and finds the project of each. */
import { UsageError } from '../../../base/errors.ts';
import { findNearest } from '../../../base/suggest.ts';
import { kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { RemoteState } from '../remote-state.ts';
import { isProjectState } from '../state/project-state.ts';
import type { StoredState } from '../state/read-states.ts';
import type { Owner } from './entry-keys.ts';

export interface Selection {
  readonly resources: RemoteState;
  readonly ownerOf: (section: Section, id: unknown) => Owner | undefined;
}

/** Returns the resources without the states of projects; of one project, if `project` is set. Throws UsageError if it owns nothing. */
export function selectResources(
  remote: RemoteState,
  states: readonly StoredState[],
  project: string | undefined,
): Selection {
  const projects = states.map((state) => state.project);
  if (project !== undefined && !projects.includes(project)) {
    const near = findNearest(project, projects);
    throw new UsageError(`the project "${project}" owns nothing on this deployment`, {
      hint:
        projects.length === 0
          ? 'no project does; export without --project'
          : `${near === undefined ? '' : `did you mean "${near}"? `}projects: ${projects.join(', ')}`,
    });
  }
  const owners = new Map<string, Owner>();
  for (const { project: owner, resources } of states) {
    for (const { section, id, key } of resources) owners.set(`${section} ${id}`, { project: owner, key });
  }
  const ownerOf = (section: Section, id: unknown): Owner | undefined => owners.get(`${section} ${id}`);
  const resources = SECTIONS.map((section) => {
    const rows =
      section === 'snippets' ? remote.snippets.filter((row) => !isProjectState(row)) : remote[section];
    const isWanted = (id: unknown) => project === undefined || ownerOf(section, id)?.project === project;
    // The checks name their bundles.
    return [
      section,
      section === 'codeBundles' ? rows : rows.filter((row) => isWanted(row[kindOf(section).key])),
    ];
  });
  return { resources: Object.fromEntries(resources) as unknown as RemoteState, ownerOf };
}
