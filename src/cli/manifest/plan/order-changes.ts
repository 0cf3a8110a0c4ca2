/**
 * Orders changes within a section: a unique name becomes free when its resource gets another one, and a check exists before
 * others depend on it.
 */
import { kindOf } from '../kinds.ts';
import type { Change } from './change.ts';
import type { References } from './resolve-references.ts';

export interface ChangeOrder {
  /** The changes of each step can run at the same time. */
  readonly steps: readonly (readonly Change[])[];
  /** Changes that wait for each other, each for the next one and the last for the first. */
  readonly cycle: readonly Change[];
}

/** Returns the order of the changes of one section. */
export function orderChanges(changes: readonly Change[], references: References): ChangeOrder {
  const findAwaited = createFinder(changes, references);
  const awaited = new Map(changes.map((change) => [change, findAwaited(change)]));
  const steps: (readonly Change[])[] = [];
  let left = changes;
  while (left.length > 0) {
    const waiting = new Set(left);
    const next = left.filter((change) => !awaited.get(change)?.some((other) => waiting.has(other)));
    if (next.length === 0) return { steps, cycle: findCycle(left, awaited) };
    steps.push(next);
    const done = new Set(next);
    left = left.filter((change) => !done.has(change));
  }
  return { steps, cycle: [] };
}

/** Returns a function that finds the changes for which a change waits. */
function createFinder(
  changes: readonly Change[],
  references: References,
): (change: Change) => readonly Change[] {
  const isUnique = changes.some(({ section }) => kindOf(section).isUnique);
  const holders = new Map(
    changes.flatMap((change) =>
      isUnique && change.previousName !== undefined ? [[change.previousName, change]] : [],
    ),
  );
  const byTarget = new Map<unknown, Change>(
    changes.flatMap((change) => (change.wanted ? [[change.id ?? change.wanted.entry, change]] : [])),
  );
  return (change) => {
    const holder = holders.get(change.name);
    const names = change.section === 'checks' ? change.wanted?.body.dependsOn : undefined;
    const dependencies = (Array.isArray(names) ? names : []).flatMap((name: unknown) => {
      const target = references.resolve(name, 'checks');
      return 'message' in target ? [] : (byTarget.get(target.entry ?? target.id) ?? []);
    });
    return [...(holder === undefined || holder === change ? [] : [holder]), ...dependencies];
  };
}

/** Each of these changes waits for another one of them: following them leads into a cycle. */
function findCycle(
  left: readonly Change[],
  awaited: ReadonlyMap<Change, readonly Change[]>,
): readonly Change[] {
  const path: Change[] = [];
  const waiting = new Set(left);
  for (let at = left[0]; at !== undefined; at = awaited.get(at)?.find((other) => waiting.has(other))) {
    const seen = path.indexOf(at);
    if (seen >= 0) return path.slice(seen);
    path.push(at);
  }
  return path;
}
