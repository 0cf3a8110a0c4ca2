/** Writes the state of a project to its snippet. */
import type { JsonObject } from '../../../base/object.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import { createRequestSender } from '../apply/send-requests.ts';
import { encodeState, type OwnedResource, type ResourceId, snippetName } from './project-state.ts';
import type { StoredState } from './read-states.ts';

/** Returns a function that stores the resources of a project. It writes only if they differ from what is stored. */
export function createStateWriter(
  deps: Pick<Deps, 'client' | 'clock' | 'terminal'>,
  { project, resources: stored, snippetIds }: StoredState,
): (resources: readonly OwnedResource[], signal: AbortSignal) => Promise<void> {
  let [id, ...surplus]: readonly (ResourceId | undefined)[] = snippetIds;
  let written = id === undefined ? '' : encodeState({ project, resources: stored });
  return async (resources, signal) => {
    const script = encodeState({ project, resources });
    if (script === written && surplus.length === 0) return;
    if (id === undefined && resources.length === 0) return;
    const api = await deps.client();
    const body = { name: snippetName(project), script };
    if (id === undefined) {
      const isCreated = ({ name }: JsonObject): boolean => name === body.name;
      const request = { section: 'snippets', endpoint: createSnippet, body, isCreated } as const;
      await createRequestSender({ ...deps, signal }, 1)([request], async (_, created) => {
        id = created.id as ResourceId;
      });
    } else await api.call(updateSnippet, { params: { id: Number(id) }, body }, { signal });
    written = script;
    for (const each of surplus) await api.call(deleteSnippet, { params: { id: Number(each) } }, { signal });
    surplus = [];
  };
}
