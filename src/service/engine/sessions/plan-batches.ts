/** Plans the order of checks that start together, by groupOrder and the group's concurrency. Pure. */
import { groupBy } from '../../../base/object.ts';
import type { PlanOptions } from './plan-session.ts';

/** The fields of a check that determine its order. */
interface Member {
  readonly check: { readonly body: { readonly groupOrder?: number | null } };
  readonly group:
    | { readonly id: number; readonly body: { readonly concurrency?: number | undefined } }
    | undefined;
}

/** A check and its place in the batch of its group. Without a batch it starts at once. */
export interface BatchedSubject<T> {
  readonly subject: T;
  readonly batch: Pick<PlanOptions, 'batch'>;
}

/** Default concurrency of a group (specification, Check group). */
const DEFAULT_CONCURRENCY = 3;

/**
 * Orders checks for their start. Checks beyond the concurrency of their group are held until an earlier one ends.
 * Checks without a group start at once.
 */
export function planBatches<T extends Member>(
  subjects: readonly T[],
  uuid: () => string,
): BatchedSubject<T>[] {
  return [...groupBy(subjects, ({ group }) => group?.id).values()].flatMap((members) => {
    const group = members[0]?.group;
    if (group === undefined) return members.map((subject) => ({ subject, batch: {} }));
    const concurrency = group.body.concurrency ?? DEFAULT_CONCURRENCY;
    const ordered = [...members].sort((one, other) => orderOf(one) - orderOf(other));
    if (ordered.length <= concurrency) return ordered.map((subject) => ({ subject, batch: {} }));
    const id = uuid();
    return ordered.map((subject, position) => ({
      subject,
      batch: { batch: { id, position, held: position >= concurrency } },
    }));
  });
}

/** Checks without an order come last, in their original order. */
const orderOf = ({ check }: Member): number => check.body.groupOrder ?? Number.MAX_VALUE;
