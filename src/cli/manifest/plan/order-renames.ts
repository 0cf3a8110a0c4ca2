/** Orders changes of resources with unique names: a name becomes free when its resource gets another one. */
import { kindOf } from '../kinds.ts';
import type { Change } from './change.ts';

export interface RenameOrder {
  /** The changes of each step can run at the same time. */
  readonly steps: readonly (readonly Change[])[];
  /** Changes that wait for the names of each other. */
  readonly cycle: readonly Change[];
}

/** Returns the order of the changes of one section. */
export function orderRenames(changes: readonly Change[]): RenameOrder {
  const isUnique = changes.some(({ section }) => kindOf(section).isUnique);
  const holders = new Map(
    changes.flatMap((change) =>
      isUnique && change.previousName !== undefined ? [[change.previousName, change]] : [],
    ),
  );
  const steps: (readonly Change[])[] = [];
  let left = changes;
  while (left.length > 0) {
    const waiting = new Set(left);
    const next = left.filter((change) => {
      const holder = holders.get(change.name);
      return holder === undefined || holder === change || !waiting.has(holder);
    });
    if (next.length === 0) return { steps, cycle: left };
    steps.push(next);
    const done = new Set(next);
    left = left.filter((change) => !done.has(change));
  }
  return { steps, cycle: [] };
}
