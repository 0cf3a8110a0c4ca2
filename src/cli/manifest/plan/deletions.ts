/** Counts the resources that a plan deletes of its project: a wrong path must not delete most of them. */
import { UsageError } from '../../../base/errors.ts';
import type { Plan } from './create-plan.ts';

export interface Deletions {
  readonly count: number;
  /** The sentence part `deletes 3 of the project's 4 resources`. */
  readonly text: string;
  /** Whether it is more than half of the project. */
  readonly isMass: boolean;
}

export function countDeletions({ changes }: Pick<Plan, 'changes'>): Deletions {
  const owned = changes.filter(
    ({ id, adopts, section }) => id !== null && !adopts && section !== 'codeBundles',
  );
  const count = owned.filter(({ action }) => action === 'delete').length;
  const text = `deletes ${count} of the project's ${owned.length} resources`;
  return { count, text, isMass: count * 2 > owned.length };
}

/** Returns the error of a plan that deletes more than half of a project when nobody is asked. */
export const massDeletionError = ({ text }: Deletions): UsageError =>
  new UsageError(`the plan ${text}, which is more than half; nothing was changed`, {
    hint: 'check the paths and the branch; to delete the resources nevertheless, pass --allow-mass-delete',
  });
