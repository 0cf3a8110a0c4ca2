/** Records during an apply which resources the project owns. */
import type { JsonObject } from '../../../base/object.ts';
import type { Deps } from '../../framework/index.ts';
import type { Section } from '../kinds.ts';
import type { Change, Plan } from '../plan/create-plan.ts';
import { idOf } from '../plan/match-entries.ts';
import type { OwnedResource } from '../state/project-state.ts';
import { createStateWriter } from '../state/write-state.ts';

/** Archives of suites have no owner: several projects may use the same one. */
const isOwned = (section: Section): boolean => section !== 'codeBundles';
const keyOf = ({ section, key }: Pick<OwnedResource, 'section' | 'key'>): string => `${section} ${key}`;

/** Creates the record of a plan, in which new resources are pending. */
export function createRecorder(deps: Pick<Deps, 'client' | 'clock'>, { own, changes, undeclared }: Plan) {
  const write = own && createStateWriter(deps, own);
  const stored = new Map((own?.resources ?? []).map((each) => [keyOf(each), each]));
  const storedById = new Map(
    (own?.resources ?? []).flatMap((each) =>
      each.id === null ? [] : [[`${each.section} ${each.id}`, each]],
    ),
  );
  const resources = new Map<string, OwnedResource>();
  for (const { section, key, name, id, action } of changes) {
    if (!isOwned(section) || action === 'skipped' || action === 'delete') continue;
    const before = storedById.get(`${section} ${id}`) ?? stored.get(keyOf({ section, key }));
    resources.set(keyOf({ section, key }), { ...before, section, key, name, id });
  }
  for (const resource of undeclared) {
    if (!resources.has(keyOf(resource))) resources.set(keyOf(resource), resource);
  }
  return {
    record(
      { section, key, name }: Change,
      row: JsonObject,
      applied: Pick<OwnedResource, 'applied' | 'rewritten'>,
    ) {
      if (isOwned(section))
        resources.set(keyOf({ section, key }), { section, key, name, id: idOf(section, row), ...applied });
    },
    forget(change: Change) {
      resources.delete(keyOf(change));
    },
    /** Stores the record on the deployment. Rejects as the client does. */
    store: async (signal: AbortSignal): Promise<void> => write?.([...resources.values()], signal),
  };
}
