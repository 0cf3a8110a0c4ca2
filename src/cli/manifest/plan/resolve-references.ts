/** Resolves the names by which entries refer to other resources. */
import { findNearest } from '../../../base/suggest.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { ManifestEntry } from '../manifest.ts';
import type { RemoteState } from '../remote-state.ts';
import { placeholderId } from '../to-request.ts';
import { idOf, type Match, type Undeclared } from './match-entries.ts';

export interface Target {
  /** The ID of the resource; a placeholder if the manifest creates it. */
  readonly id: unknown;
  /** Set if the manifest creates the resource. */
  readonly entry?: ManifestEntry;
}

export interface UnresolvedName {
  readonly message: string;
  readonly nearest?: string;
}

export interface References {
  /** Returns the resource with a name, or why there is none. */
  resolve(name: unknown, section: Section): Target | UnresolvedName;
  /** Returns the name of a resource; if several have it, the key of its entry or its ID as well. */
  labelOf(id: unknown, section: Section): string;
  /** Returns the placeholder that `resolve` returns for an entry whose resource does not exist yet. */
  placeholderOf(entry: ManifestEntry): unknown;
}

const at = (section: Section, text: unknown): string => `${section} ${text}`;

/** A list of values for each key. */
class Index<T> {
  readonly #lists = new Map<string, T[]>();
  add(key: string, value: T): void {
    const list = this.#lists.get(key);
    if (list) list.push(value);
    else this.#lists.set(key, [value]);
  }
  get(key: string): readonly T[] {
    return this.#lists.get(key) ?? [];
  }
}

/** `isPruned`: undeclared resources are deleted, so that nothing may refer to them. */
export function createReferences(
  matches: readonly Match[],
  undeclared: readonly Undeclared[],
  remote: RemoteState,
  isPruned: boolean,
): References {
  const pruned = new Set(isPruned ? undeclared.map(({ remote: row }) => row) : []);
  const matched = new Set(matches.map((match) => match.remote));
  const byKey = new Map<string, Target>();
  const declared = new Index<Target>();
  const others = new Index<Target>();
  const prunedNames = new Set<string>();
  const names = new Index<string>();
  /** Each name with the text that identifies it among equal names, by ID. */
  const labels = new Map<string, readonly [name: string, distinct: string]>();
  /** The IDs with each name, also of resources that will be deleted. */
  const sameNames = new Index<unknown>();
  const addLabel = (section: Section, id: unknown, name: string, distinct: string): void => {
    labels.set(at(section, id), [name, distinct]);
    sameNames.add(at(section, name), id);
  };
  for (const [index, { entry, remote: row }] of matches.entries()) {
    const { section, key, name } = entry;
    const target = row ? { id: idOf(section, row) } : { id: placeholderId(section, index), entry };
    byKey.set(at(section, key), target);
    declared.add(at(section, name), target);
    names.add(section, name);
    addLabel(section, target.id, name, key === name ? name : `${name} (${key})`);
  }
  for (const section of SECTIONS) {
    for (const row of remote[section].filter((each) => !matched.has(each))) {
      const [name, id] = [formatName(kindOf(section), row), idOf(section, row)];
      addLabel(section, id, name, `${name} (${id})`);
      if (pruned.has(row)) prunedNames.add(at(section, name));
      else {
        others.add(at(section, name), { id });
        names.add(section, name);
      }
    }
  }
  return {
    resolve(name, section) {
      if (typeof name === 'object') return { message: `must be the name of one ${kindOf(section).noun}` };
      const place = at(section, name);
      const byName = declared.get(place).length > 0 ? declared.get(place) : others.get(place);
      const [only, ...rest] = byKey.has(place) ? [byKey.get(place)] : byName;
      if (only && rest.length === 0) return only;
      const { noun } = kindOf(section);
      if (only) {
        return {
          message: `"${name}" is ambiguous: ${rest.length + 1} resources have this name; refer to one by its key, or rename it`,
        };
      }
      if (prunedNames.has(place)) {
        return { message: `${noun} "${name}" is not declared, and --prune deletes it` };
      }
      const nearest = findNearest(String(name), names.get(section));
      return {
        message: `${noun} "${name}" not found in the files or on the deployment`,
        ...(nearest === undefined ? {} : { nearest }),
      };
    },
    placeholderOf: ({ section, key }) => byKey.get(at(section, key))?.id,
    labelOf(id, section) {
      const [name, distinct] = labels.get(at(section, id)) ?? [`ID ${id}`, ''];
      return sameNames.get(at(section, name)).length > 1 ? distinct : name;
    },
  };
}
