/** Exports resources of a deployment as the entries of a manifest, with what differs from the defaults. */

import { isDeepStrictEqual } from 'node:util';
import { type Problem, UsageError } from '../../../base/errors.ts';
import { groupBy, type JsonObject } from '../../../base/object.ts';
import { placeText } from '../../../contract/validate.ts';
import { listCredentials } from '../credentials.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import { describeRemote, type LabelOf } from '../plan/describe.ts';
import type { RemoteState } from '../remote-state.ts';
import { withValueAt } from '../state/compare.ts';
import { type HiddenValue, listHiddenValues } from '../write-only-values.ts';
import type { DeclaredEntry, DeclaredManifest } from './declared-manifest.ts';
import { createKeys } from './entry-keys.ts';
import type { Selection } from './select-resources.ts';

export interface ManifestExport {
  /** The entries with their texts as the deployment has them: see `protectSecrets`. */
  readonly manifest: DeclaredManifest;
  /** Values that the deployment does not return, with the resource of each: `check Login: PASSWORD`. */
  readonly hiddenValues: readonly HiddenValue[];
  /** References to deleted resources, which are left out. */
  readonly danglingReferences: readonly string[];
  /** Resources that this version does not know, which are left out. */
  readonly unknownResources: readonly string[];
}

/** Returns the manifest of `resources`. `remote`: all resources of the deployment. Throws UsageError if a reference cannot be expressed, because several resources have the name. */
export function exportManifest(
  resources: RemoteState,
  remote: RemoteState,
  ownerOf: Selection['ownerOf'],
): ManifestExport {
  const problems: Problem[] = [];
  const hiddenValues: HiddenValue[] = [];
  const danglingReferences: string[] = [];
  const unknownResources: string[] = [];
  const exported = SECTIONS.flatMap((section) =>
    resources[section].map((row) => ({ section, row, owner: ownerOf(section, row[kindOf(section).key]) })),
  );
  const keyOf = createKeys(exported);
  const names = createNames(remote, keyOf);
  const entries = exported.flatMap(({ section, row }): DeclaredEntry[] => {
    const kind = kindOf(section);
    const of = `${kind.noun} "${formatName(kind, row)}"`;
    const schema = kind.create(row)?.body;
    if (!schema) {
      unknownResources.push(`${of}: type ${row[kind.typeField ?? '']}`);
      return [];
    }
    for (const { name, label } of [...listCredentials(section, row), ...listHiddenValues(section, row)])
      hiddenValues.push({ name, label: label === '' ? of : `${of}: ${label}` });
    const labelOf: LabelOf = (id, to, path) => {
      const found = names.get(`${to} ${id}`);
      if (found === undefined)
        danglingReferences.push(`${of}: ${placeText(path)} (${kindOf(to).noun} ${id})`);
      else if (!found.isUnique)
        problems.push({
          place: of,
          message: `references ${kindOf(to).noun} "${found.name}", but several have this name`,
        });
      return found?.name;
    };
    const fields = toFields(section, row, describeRemote(section, row, { labelOf }));
    const key = keyOf(row);
    return [{ section, fields: { ...(key === undefined ? {} : { key }), ...fields } }];
  });
  if (problems.length > 0) {
    throw new UsageError('referenced names must be unique', {
      details: problems,
      hint: 'rename all but one of the resources',
    });
  }
  const projects = new Set(
    exported.flatMap(({ section, owner }) => (section === 'codeBundles' ? [] : [owner?.project])),
  );
  const [project] = projects.size === 1 ? projects : [];
  return { manifest: { project, entries }, hiddenValues, danglingReferences, unknownResources };
}

/** Returns the fields to write: without what the deployment chooses, and without values that only their owner should see. */
function toFields(section: Section, row: JsonObject, described: JsonObject): JsonObject {
  const { name, checkType, retryStrategy, ...others } = described;
  const withheld = [
    ['heartbeat', 'pingToken'],
    ...(section === 'variables' && row.locked === true ? [['value']] : []),
    // At frequency 0, the offset is the interval.
    ...(row.frequency === 0 ? [] : [['frequencyOffset']]),
  ];
  const fields = {
    ...(name === undefined ? {} : { name }),
    ...(checkType === undefined ? {} : { checkType }),
    ...others,
    // An empty strategy means all of its defaults, and reads like none.
    ...(retryStrategy === undefined
      ? {}
      : { retryStrategy: isDeepStrictEqual(retryStrategy, {}) ? { type: 'FIXED' } : retryStrategy }),
    ...Object.fromEntries(listRequiredNulls(section, row).map((field) => [field, null])),
  };
  return withheld.reduce<JsonObject>((body, path) => withValueAt(body, path, undefined), fields);
}

/** Returns the required fields that are null, such as the script of a browser check. */
function listRequiredNulls(section: Section, row: JsonObject): readonly string[] {
  const kind = kindOf(section);
  const filled = kind.fill?.(row) ?? {};
  return (kind.create(row)?.body?.required ?? []).filter((name) => row[name] === null && !(name in filled));
}

/** Returns how entries refer to each resource: by name, or by key if another resource has the name, or has it as its key. */
function createNames(remote: RemoteState, keyOf: ReturnType<typeof createKeys>) {
  const names = new Map<string, { readonly name: string; readonly isUnique: boolean }>();
  for (const section of SECTIONS) {
    const kind = kindOf(section);
    const sameNames = groupBy(remote[section], (row) => formatName(kind, row));
    const sameKeys = groupBy(remote[section], keyOf);
    for (const row of remote[section]) {
      const name = formatName(kind, row);
      const isUnique = [...(sameNames.get(name) ?? []), ...(sameKeys.get(name) ?? [])].every(
        (one) => one === row,
      );
      const key = isUnique ? undefined : keyOf(row);
      names.set(`${section} ${row[kind.key]}`, {
        name: key ?? name,
        isUnique: isUnique || key !== undefined,
      });
    }
  }
  return names;
}
