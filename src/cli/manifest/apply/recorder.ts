/** Records during an apply which resources the project owns. */
import { kindOf, type Section } from '../kinds.ts';
import type { Change } from '../plan/change.ts';
import type { Plan } from '../plan/create-plan.ts';
import { createLockedState, type StateDeps } from '../state/locked-state.ts';
import type { OwnedResource } from '../state/project-state.ts';

/** Archives of suites have no owner: several projects may use the same one. */
const isOwned = (section: Section): boolean => section !== 'codeBundles';
const keyOf = ({ section, key }: Pick<OwnedResource, 'section' | 'key'>): string => `${section} ${key}`;

/** Creates the record of a plan, in which new resources are pending. */
export function createRecorder(deps: StateDeps, { own, changes, undeclared }: Plan) {
  const stored = own?.resources ?? [];
  const storedByKey = new Map(stored.map((each) => [keyOf(each), each]));
  const storedById = new Map(
    stored.map((each) => [`${each.section} ${each.id ?? `pending ${each.key}`}`, each]),
  );
  const resources = new Map<string, OwnedResource>();
  for (const { section, key, name, id, action, wanted } of changes) {
    if (!isOwned(section) || action === 'skipped' || action === 'delete') continue;
    const { renamedFrom: _, ...before } =
      storedById.get(`${section} ${id}`) ?? storedByKey.get(keyOf({ section, key })) ?? {};
    const renamedFrom = wanted?.entry.renamedFrom;
    const type = wanted?.body[kindOf(section).typeField ?? ''];
    const typed = typeof type === 'string' ? { type } : {};
    resources.set(keyOf({ section, key }), {
      ...{ ...before, section, key, name, ...typed, id },
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
    });
  }
  for (const resource of undeclared) {
    if (!resources.has(keyOf(resource))) resources.set(keyOf(resource), resource);
  }
  return {
    record(
      resource: Pick<OwnedResource, 'section' | 'key' | 'name' | 'id'>,
      applied: Pick<OwnedResource, 'applied' | 'rewritten'>,
    ): void {
      if (!isOwned(resource.section)) return;
      const { type, renamedFrom } = resources.get(keyOf(resource)) ?? {};
      resources.set(keyOf(resource), {
        ...resource,
        ...(renamedFrom === undefined ? {} : { renamedFrom }),
        ...(type === undefined ? {} : { type }),
        ...applied,
      });
    },
    forget(change: Change): void {
      resources.delete(keyOf(change));
    },
    /** The record on the deployment. Undefined: the manifest has no project. */
    state: own && createLockedState(deps, own, () => [...resources.values()]),
  };
}
