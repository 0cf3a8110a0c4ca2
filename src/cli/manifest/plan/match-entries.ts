/** Matches the entries of a manifest with the resources of a deployment. */
import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/object.ts';
import { formatName, kindOf, type Section } from '../kinds.ts';
import type { ManifestEntry } from '../manifest.ts';
import type { RemoteState } from '../remote-state.ts';
import type { OwnedResource, ResourceId } from '../state/project-state.ts';
import type { StoredState } from '../state/read-states.ts';
import { findMoves } from './find-moves.ts';

export interface Match {
  readonly entry: ManifestEntry;
  /** Undefined: the resource does not exist yet. */
  readonly remote: JsonObject | undefined;
  /** What the project's state has of the entry or of its resource. */
  readonly owned: OwnedResource | undefined;
  /** Whether the project takes over a resource that had no owner. */
  readonly adopts: boolean;
}

/** A resource that the project owns and its files no longer declare. */
export interface Undeclared {
  readonly owned: OwnedResource;
  readonly remote: JsonObject;
}

export interface Matches {
  /** In the order of the entries. */
  readonly matches: readonly Match[];
  readonly undeclared: readonly Undeclared[];
  readonly problems: readonly Problem[];
}

export interface Ownership {
  /** Undefined: the manifest has no project, and ownership does not matter. */
  readonly own: StoredState | undefined;
  readonly others: readonly StoredState[];
}

export const idOf = (section: Section, row: JsonObject): ResourceId => row[kindOf(section).key] as ResourceId;
const keyOf = (section: Section, key: unknown): string => `${section} ${key}`;
/** Identifies a resource that may have been created without an answer. */
const pendingKey = (section: Section, name: string, type: unknown): string =>
  `pending ${keyOf(section, type)} ${name}`;
/** Returns the type that a resource of a kind keeps. Undefined: the kind has no types. */
const typeOf = (section: Section, body: JsonObject): unknown => body[kindOf(section).typeField ?? ''];

/** Returns the entries whose `renamedFrom` another entry of the kind and type has, too: both cannot be that resource. */
function sharedFormerNames(entries: readonly ManifestEntry[]): readonly Problem[] {
  const first = new Map<string, ManifestEntry>();
  return entries.flatMap((entry): Problem[] => {
    const { section, body, renamedFrom } = entry;
    if (renamedFrom === undefined) return [];
    const key = JSON.stringify([section, typeOf(section, body), renamedFrom]);
    const other = first.get(key);
    first.set(key, other ?? entry);
    if (other === undefined) return [];
    const message = `"${renamedFrom}" is also the former name of "${other.name}": one resource cannot become two`;
    return [{ place: entry.formatLocation(['renamedFrom']), message }];
  });
}

/** Returns the matches. An entry has at most one resource, and a resource at most one entry. */
export function matchEntries(
  entries: readonly ManifestEntry[],
  remote: RemoteState,
  { own, others }: Ownership,
): Matches {
  const problems: Problem[] = [];
  const matches = new Map<ManifestEntry, Match>();
  const claimed = new Set<string>();
  const declared = new Set(entries.map(({ section, key }) => keyOf(section, key)));
  const ownResources = own?.resources ?? [];
  const ownByKey = new Map(ownResources.map((each) => [keyOf(each.section, each.key), each]));
  const ownById = new Map(
    ownResources.flatMap((each) => (each.id === null ? [] : [[keyOf(each.section, each.id), each]])),
  );
  const foreign = new Map<string, string>();
  for (const { project, resources } of own ? others : []) {
    for (const { section, id, name, type } of resources)
      foreign.set(id === null ? pendingKey(section, name, type) : keyOf(section, id), project);
  }
  const rows = new Map<string, JsonObject>();
  const rowsByName = new Map<string, JsonObject[]>();
  for (const section of new Set([...entries, ...ownResources].map((each) => each.section))) {
    for (const row of remote[section]) {
      rows.set(keyOf(section, idOf(section, row)), row);
      const name = keyOf(section, formatName(kindOf(section), row));
      rowsByName.set(name, [...(rowsByName.get(name) ?? []), row]);
    }
  }
  const isSameType = ({ section, body }: ManifestEntry, row: JsonObject): boolean =>
    typeOf(section, row) === typeOf(section, body);
  /** Whether a row has no owner, or only an entry of this project that is no longer declared. */
  const isFree = (section: Section, row: JsonObject): boolean => {
    const id = keyOf(section, idOf(section, row));
    const mine = ownById.get(id);
    const pending = pendingKey(section, formatName(kindOf(section), row), typeOf(section, row));
    const isForeign = foreign.has(id) || foreign.has(pending);
    return !claimed.has(id) && !isForeign && !(mine && declared.has(keyOf(section, mine.key)));
  };
  const findByName = (entry: ManifestEntry, name: string): JsonObject | undefined =>
    rowsByName
      .get(keyOf(entry.section, name))
      ?.find((row) => isSameType(entry, row) && isFree(entry.section, row));

  const claim = (entry: ManifestEntry, row: JsonObject): void => {
    const { section } = entry;
    const id = keyOf(section, idOf(section, row));
    claimed.add(id);
    const byKey = ownByKey.get(keyOf(section, entry.key));
    const owned = ownById.get(id) ?? byKey;
    const isPending = byKey?.id === null;
    const adopts = own !== undefined && section !== 'codeBundles' && !ownById.has(id) && !isPending;
    matches.set(entry, { entry, remote: row, owned, adopts });
    const { typeField = '', noun } = kindOf(section);
    if (!isSameType(entry, row)) {
      problems.push({
        place: entry.formatLocation([typeField]),
        message: `the type of ${noun} "${entry.name}" cannot change from ${row[typeField]} to ${entry.body[typeField]}: use another key, or delete the ${noun} first`,
      });
    }
  };
  /** Returns the resource that an interrupted run may have created, under the name that it had then. */
  const findPending = ({ section, name, type }: OwnedResource): JsonObject | undefined =>
    rowsByName
      .get(keyOf(section, name))
      ?.find(
        (row) =>
          isFree(section, row) &&
          !ownById.has(keyOf(section, idOf(section, row))) &&
          typeOf(section, row) === type,
      );
  const rowOf = (owned: OwnedResource | undefined): JsonObject | undefined => {
    if (owned === undefined) return undefined;
    if (owned.id === null) return findPending(owned);
    const id = keyOf(owned.section, owned.id);
    return claimed.has(id) ? undefined : rows.get(id);
  };
  const matchBy = (find: (entry: ManifestEntry) => JsonObject | undefined): void => {
    for (const entry of entries) {
      const row = matches.has(entry) ? undefined : find(entry);
      if (row && !claimed.has(keyOf(entry.section, idOf(entry.section, row)))) claim(entry, row);
    }
  };
  const ownRowOf = ({ section, key }: ManifestEntry) => rowOf(ownByKey.get(keyOf(section, key)));
  const { rows: moved, ambiguous } = findMoves(entries, {
    present: (entry) => ownRowOf(entry) ?? findByName(entry, entry.name),
    former(entry) {
      const { section, renamedFrom } = entry;
      if (renamedFrom === undefined || renamedFrom === entry.name) return undefined;
      const mine =
        ownByKey.get(keyOf(section, renamedFrom)) ??
        ownResources.find((each) => each.section === section && each.name === renamedFrom);
      const row = rowOf(mine) ?? findByName(entry, renamedFrom);
      return row && isSameType(entry, row) ? row : undefined;
    },
    isDone: ({ section, key, renamedFrom }) => ownByKey.get(keyOf(section, key))?.renamedFrom === renamedFrom,
    hasRecord: own !== undefined,
  });
  problems.push(...sharedFormerNames(entries));
  for (const { formatLocation, renamedFrom, name } of ambiguous)
    problems.push({
      place: formatLocation(['renamedFrom']),
      message: `"${name}" and "${renamedFrom}" cannot exchange their names without a project, because nothing records that they did: add project to the file`,
    });
  matchBy((entry) => moved.get(entry));
  matchBy(ownRowOf);
  matchBy((entry) => {
    const { section, renamedFrom } = entry;
    if (renamedFrom === undefined) return undefined;
    const mine = ownResources.find(
      (each) =>
        each.section === section &&
        (each.key === renamedFrom || each.name === renamedFrom) &&
        !declared.has(keyOf(section, each.key)),
    );
    return rowOf(mine) ?? findByName(entry, entry.name) ?? findByName(entry, renamedFrom);
  });
  matchBy((entry) => findByName(entry, entry.name));

  for (const entry of entries) {
    if (matches.has(entry)) continue;
    const { section, key, name } = entry;
    matches.set(entry, {
      entry,
      remote: undefined,
      owned: ownByKey.get(keyOf(section, key)),
      adopts: false,
    });
    const kind = kindOf(section);
    const sameName = rowsByName.get(keyOf(section, name)) ?? [];
    const owner = sameName.map((row) => foreign.get(keyOf(section, idOf(section, row)))).find(Boolean);
    if (kind.isUnique && owner !== undefined) {
      problems.push({
        place: entry.formatLocation([kind.field]),
        message: `${kind.noun} "${name}" belongs to the project "${owner}": use another ${kind.field}, or remove it from that project`,
      });
    }
    // Without a project, the name alone identifies a resource.
    const other =
      own === undefined && kind.typeField ? sameName.find((row) => isFree(section, row)) : undefined;
    if (other && kind.typeField) {
      problems.push({
        place: entry.formatLocation([kind.typeField]),
        message: `the type of ${kind.noun} "${name}" cannot change from ${other[kind.typeField]} to ${entry.body[kind.typeField]}: use another name, or delete the resource first`,
      });
    }
  }
  const undeclared = ownResources.flatMap((owned): Undeclared[] => {
    const { section, key, id } = owned;
    const isPendingEntry = id === null && declared.has(keyOf(section, key));
    const row = isPendingEntry ? undefined : rowOf(owned);
    if (row === undefined || foreign.has(keyOf(section, id))) return [];
    // Several interrupted entries may have one name.
    claimed.add(keyOf(section, idOf(section, row)));
    return [{ owned, remote: row }];
  });
  return { matches: entries.flatMap((entry) => matches.get(entry) ?? []), undeclared, problems };
}
