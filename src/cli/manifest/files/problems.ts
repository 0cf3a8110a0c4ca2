/** Orders the problems of a manifest, and makes one error of them. */
import { type Problem, UsageError } from '../../../base/errors.ts';
import { formatProblemCount, formatSuggestion } from '../../../base/phrases.ts';
import type { AddProblem } from './source.ts';

/** Compares `a.yaml:9:1` and `a.yaml:10:1` by file, line and column. */
export const comparePlaces = ({ place: a }: Problem, { place: b }: Problem): number =>
  a.localeCompare(b, 'en', { numeric: true });

/** Returns the error of at least one problem. */
export function problemsError(problems: readonly Problem[], hint?: string): UsageError {
  const [first] = problems;
  const near = first?.nearest === undefined ? [] : [first.nearest];
  const message =
    first && problems.length === 1
      ? `${first.place}: ${first.message}${formatSuggestion(...near)}`
      : formatProblemCount(problems.length);
  return new UsageError(message, { details: [...problems].sort(comparePlaces), hint });
}

/** Returns what `read` resolves to. Undefined: it rejected with a UsageError, whose details were reported. */
export async function collectProblems<T>(
  addProblem: AddProblem,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UsageError) || error.details.length === 0) throw error;
    for (const { place, message } of error.details) addProblem(place, message);
    return undefined;
  }
}
