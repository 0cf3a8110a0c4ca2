/** The order of checks that somebody starts together: those of a group by groupOrder, as many at once as its concurrency. Pure. */
import { groupBy } from '../../../base/group-by.ts';
import type { Planning } from './plan.ts';

/** A check as far as its turn depends on it. */
interface Member {
  readonly check: { readonly body: { readonly groupOrder?: number | null } };
  readonly group:
    | { readonly id: number; readonly body: { readonly concurrency?: number | undefined } }
    | undefined;
}

/** A check, and its place in the batch of its group; without a batch it starts at once. */
export interface InTurn<T> {
  readonly subject: T;
  readonly batch: Pick<Planning, 'batch'>;
}

/** Of a group that says nothing (specification, Check group). */
const CONCURRENCY = 3;

/**
 * Puts checks in the order in which they start. Of each group those beyond its concurrency are held back until one before them
 * has ended. Checks of no group wait for nobody.
 */
export function inTurns<T extends Member>(subjects: readonly T[], uuid: () => string): InTurn<T>[] {
  return [...groupBy(subjects, ({ group }) => group?.id).values()].flatMap((members) => {
    const group = members[0]?.group;
    if (group === undefined) return members.map((subject) => ({ subject, batch: {} }));
    const places = group.body.concurrency ?? CONCURRENCY;
    const ordered = [...members].sort((one, other) => orderOf(one) - orderOf(other));
    if (ordered.length <= places) return ordered.map((subject) => ({ subject, batch: {} }));
    const id = uuid();
    return ordered.map((subject, place) => ({
      subject,
      batch: { batch: { id, place, held: place >= places } },
    }));
  });
}

/** Checks without an order go last, as they came. */
const orderOf = ({ check }: Member): number => check.body.groupOrder ?? Number.MAX_VALUE;
