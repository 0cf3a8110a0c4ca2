/** Compares the resources of a project with the record of its last apply: what was changed or deleted by other means. */
import type { JsonObject } from '../../../base/object.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { Manifest, ManifestEntry } from '../manifest.ts';
import { addReferencedSections, showsField } from '../references.ts';
import { fetchRemoteState } from '../remote-state.ts';
import { lacksSecret, toStored } from '../state/applied.ts';
import { type FieldPath, findDifferences, valueAt, withOrderOf, withValueAt } from '../state/compare.ts';
import type { OwnedResource } from '../state/project-state.ts';
import { readStates } from '../state/read-states.ts';
import type { Change } from './change.ts';
import type { Plan } from './create-plan.ts';
import { describeRemote, omitChosenFields } from './describe.ts';
import { idOf } from './match-entries.ts';
import type { PlanDeps } from './plan-project.ts';
import { createReferences, type References } from './resolve-references.ts';

export interface Drift extends Pick<Plan, 'project' | 'changes' | 'undeclared' | 'taint'> {
  /** Whether the deployment has a record of the project. */
  readonly isRecorded: boolean;
  /** Resources that an interrupted apply may have created. */
  readonly pending: readonly OwnedResource[];
}

/** Returns what differs from the last apply. `before`: as applied. `after`: as it is now. Rejects as the client does. */
export async function planDrift(
  deps: PlanDeps,
  { project, taint }: Pick<Manifest, 'project' | 'taint'>,
): Promise<Drift> {
  const { snippets } = await fetchRemoteState(deps, { sections: ['snippets'], required: ['snippets'] });
  const own = (await readStates(deps, snippets)).find((state) => state.project === project);
  const resources = own?.resources ?? [];
  const used = new Set<Section>(resources.map(({ section }) => section));
  for (const { applied } of resources) addReferencedSections(applied, used);
  const sections = SECTIONS.filter((section) => used.has(section) && section !== 'snippets');
  const remote = { ...(await fetchRemoteState(deps, { sections, required: sections })), snippets };
  const rows = new Map(
    [...used].flatMap((section) =>
      remote[section].map((row) => [`${section} ${idOf(section, row)}`, row] as const),
    ),
  );
  const existing = resources.flatMap((owned) => {
    const row = rows.get(`${owned.section} ${owned.id}`);
    return row ? [{ owned, row }] : [];
  });
  // Names as they were applied, so that a renamed resource does not change all that refer to it.
  const matches = existing.map(({ owned, row }) => ({
    entry: toEntry(owned),
    remote: row,
    owned,
    adopts: false,
  }));
  const references = createReferences(matches, [], remote, false);
  return {
    project,
    changes: resources
      .filter(({ id }) => id !== null)
      .map((owned) => compare(owned, rows.get(`${owned.section} ${owned.id}`), references)),
    undeclared: [],
    taint,
    isRecorded: own !== undefined,
    pending: resources.filter(({ id }) => id === null),
  };
}

const toEntry = ({ section, key, name }: OwnedResource): ManifestEntry => ({
  section,
  key,
  hasOwnKey: key !== name,
  name,
  body: {},
  written: {},
  formatLocation: () => '',
});

function compare(
  { section, key, name, id, applied = {} }: OwnedResource,
  row: JsonObject | undefined,
  references: References,
): Change {
  const common = { section, key, id, adopts: false, wanted: undefined, before: applied };
  if (row === undefined) return { ...common, name, action: 'delete', fields: [], after: undefined };
  const described = omitChosenFields(section, describeRemote(section, row, references), applied);
  const schema = entrySchemaOf(section, applied.checkType) ?? {};
  const present = withOrderOf(schema, toStored(described, []) as JsonObject, applied);
  const isHidden = ([name = '']: FieldPath): boolean => !kindOf(section).replaces && !showsField(row, name);
  // Neither secrets, which the record lacks, nor fields that lists leave out can be compared.
  const after = findDifferences(applied, present)
    .filter(({ path }) => lacksSecret(valueAt(applied, path)) || isHidden(path))
    .reduce((fields, { path, before }) => withValueAt(fields, path, before), present);
  const fields = findDifferences(applied, after);
  const nameNow = formatName(kindOf(section), row);
  const isRenamed = nameNow !== name;
  return {
    ...common,
    name: nameNow,
    action: isRenamed ? 'rename' : fields.length > 0 ? 'update' : 'unchanged',
    ...(isRenamed ? { previousName: name } : {}),
    fields,
    after,
  };
}
