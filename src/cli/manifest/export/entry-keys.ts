/** Gives entries the key that their project recorded, or a new key if several entries have one name. */
import { groupBy, type JsonObject } from '../../../base/object.ts';
import { formatName, kindOf, type Section } from '../kinds.ts';
import { toSlug } from './file-names.ts';

/** The project that owns a resource, and the key of its entry. */
export interface Owner {
  readonly project: string;
  readonly key: string;
}

export interface ExportedRow {
  readonly section: Section;
  readonly row: JsonObject;
  readonly owner: Owner | undefined;
}

/** Returns a function that returns the key to write for a resource. Undefined: the name identifies the entry. */
export function createKeys(rows: readonly ExportedRow[]): (row: JsonObject) => string | undefined {
  const keys = new Map<JsonObject, string>();
  for (const [section, own] of groupBy(rows, (each) => each.section)) {
    // The key of a variable is its name.
    if (section === 'variables' || section === 'codeBundles') continue;
    const kind = kindOf(section);
    const sameNames = groupBy(own, ({ row }) => formatName(kind, row));
    const taken = new Set<string>();
    // Recorded keys come first, so that no new key equals one.
    for (const { row, owner } of own.toSorted((a, b) => Number(!a.owner) - Number(!b.owner))) {
      const name = formatName(kind, row);
      const isShared = (sameNames.get(name)?.length ?? 0) > 1;
      const wanted = owner?.key ?? (isShared ? undefined : name);
      const key = wanted === undefined || taken.has(wanted) ? uniqueKey(kind.noun, name, taken) : wanted;
      taken.add(key);
      if (isShared || key !== name) keys.set(row, key);
    }
  }
  return (row) => keys.get(row);
}

function uniqueKey(noun: string, name: string, taken: ReadonlySet<string>): string {
  const stem = toSlug(name, noun.replaceAll(' ', '-'));
  for (let number = 1; ; number++) {
    const key = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.has(key)) return key;
  }
}
