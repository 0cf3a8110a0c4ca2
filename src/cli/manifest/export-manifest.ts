/** Exports the remote state as a manifest for `service seed`. */

import { UsageError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/object.ts';
import { placeText } from '../../contract/validate.ts';
import { formatName, kindOf, SECTIONS, type Section } from './kinds.ts';
import { exportAccess, toManifestEntry } from './manifest-entry.ts';
import { idsToNames } from './references.ts';
import { groupByName, type RemoteState } from './remote-state.ts';
import { listHiddenValues, omitHiddenValues } from './write-only-values.ts';

export interface ManifestExport {
  readonly file: Readonly<Record<string, readonly JsonObject[]>>;
  /** Omitted secrets, one per line: `variable TOKEN`. */
  readonly secrets: readonly string[];
  /** Omitted references to deleted resources. */
  readonly danglingReferences: readonly string[];
}

/** Returns the manifest. Throws UsageError if a referenced name is ambiguous. */
export function exportManifest(state: RemoteState): ManifestExport {
  const problems: { place: string; message: string }[] = [];
  const secrets: string[] = [];
  const danglingReferences: string[] = [];
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const section of SECTIONS) {
    const kind = kindOf(section);
    for (const row of state[section]) ids.set(`${section} ${row[kind.key]}`, formatName(kind, row));
    for (const [name, rows] of groupByName(section, state[section]))
      counts.set(`${section} ${name}`, rows.length);
  }
  const nameOf = (of: string) => (id: unknown, to: Section, path: readonly (string | number)[]) => {
    const name = ids.get(`${to} ${id}`);
    if ((counts.get(`${to} ${name}`) ?? 0) > 1) {
      problems.push({
        place: of,
        message: `references ${kindOf(to).noun} ${name}, but several have this name`,
      });
    }
    if (name === undefined) danglingReferences.push(`${of}: ${placeText(path)} (${kindOf(to).noun} ${id})`);
    return name;
  };
  const file: Record<string, readonly JsonObject[]> = {};
  for (const section of SECTIONS) {
    const kind = kindOf(section);
    const rows = state[section].map((row) => {
      const of = `${kind.noun} ${formatName(kind, row)}`;
      const schema = kind.create(row)?.body;
      if (!schema) return [];
      secrets.push(...listHiddenValues(section, row).map((what) => `${of}${what}`));
      const type = section === 'checks' ? { checkType: row.checkType } : {};
      return [
        {
          ...type,
          ...exportAccess(section, row),
          ...idsToNames(schema, omitHiddenValues(section, toManifestEntry(section, row)), nameOf(of)),
        },
      ];
    });
    if (rows.flat().length > 0) file[section] = rows.flat();
  }
  if (problems.length > 0) {
    throw new UsageError('referenced names must be unique', {
      details: problems,
      hint: 'rename all but one of the resources',
    });
  }
  return { file, secrets, danglingReferences };
}
