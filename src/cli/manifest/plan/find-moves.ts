/** Finds the entries that take over the names of each other: `renamedFrom` of chains (a to b, b to c) and swaps (a to b, b to a). */
import type { JsonObject } from '../../../base/object.ts';
import type { ManifestEntry } from '../manifest.ts';

export interface MoveContext {
  /** Returns the resource that has the key or the name of an entry. */
  readonly present: (entry: ManifestEntry) => JsonObject | undefined;
  /** Returns the resource that has the former name of an entry. */
  readonly former: (entry: ManifestEntry) => JsonObject | undefined;
  /** Whether the project has a record that the entry got its name. */
  readonly isDone: (entry: ManifestEntry) => boolean;
  /** Whether a record says which names have been swapped. */
  readonly hasRecord: boolean;
}

export interface Moves {
  /** The resource of each entry that takes it over. */
  readonly rows: ReadonlyMap<ManifestEntry, JsonObject>;
  /** Entries that swap names, which nobody could tell from swapped names without a record. */
  readonly ambiguous: readonly ManifestEntry[];
}

/** Returns the moves. An entry gives up its present resource only if another entry takes it over. */
export function findMoves(entries: readonly ManifestEntry[], context: MoveContext): Moves {
  const { present, former, isDone, hasRecord } = context;
  const renamed = entries.filter(({ renamedFrom }) => renamedFrom !== undefined);
  const rows = new Map<ManifestEntry, JsonObject>();
  const ambiguous: ManifestEntry[] = [];
  if (renamed.length === 0) return { rows, ambiguous };
  const holders = new Map(entries.flatMap((entry) => [[present(entry), entry] as const]));
  const seen = new Set<ManifestEntry>();
  /** Returns the entries of a chain or a swap; undefined if the last one keeps its resource. */
  const follow = (start: ManifestEntry): readonly ManifestEntry[] | undefined => {
    const path: ManifestEntry[] = [];
    let at: ManifestEntry | undefined = start;
    while (at !== undefined) {
      if (path.includes(at)) return at === start ? path : undefined;
      path.push(at);
      const row = former(at);
      if (row === undefined) return undefined;
      at = holders.get(row);
    }
    return path;
  };
  const move = (path: readonly ManifestEntry[]): void => {
    for (const entry of path) {
      const row = former(entry);
      if (row && !seen.has(entry)) rows.set(entry, row);
      seen.add(entry);
    }
  };
  for (const entry of renamed) if (!present(entry)) move(follow(entry) ?? []);
  for (const entry of renamed) {
    const path = present(entry) && !seen.has(entry) ? follow(entry) : undefined;
    // A chain whose first entry has a resource already was renamed before.
    const last = path?.at(-1);
    if (!path || !last || path.length < 2 || holders.get(former(last)) !== entry) continue;
    if (!hasRecord) ambiguous.push(entry);
    else if (!path.every(isDone)) move(path);
    for (const each of path) seen.add(each);
  }
  return { rows, ambiguous };
}
