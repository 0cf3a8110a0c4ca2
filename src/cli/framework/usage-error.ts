/** Combines all problems of a command line into one error. */
import { type Problem, UsageError } from '../../base/errors.ts';
import { formatProblem, formatSuggestion } from '../../base/phrases.ts';

/** Returns the hint to a command's help. */
export const helpHint = (name: string): string => `for usage, run: ${name} --help`;

/** Creates an error whose message is the only problem, or the number of problems. `name`: the command, `sonde sessions get`. */
export function usageError(problems: readonly Problem[], name: string): UsageError {
  const [first] = problems;
  const context = { details: problems, hint: helpHint(name) };
  if (!first || problems.length > 1) return new UsageError(formatProblemCount(problems.length), context);
  const near = first.nearest === undefined ? [] : [first.nearest];
  return new UsageError(`${formatProblem(first)}${formatSuggestion(...near)}`, context);
}

/** Returns the message of an error that lists several problems. */
export const formatProblemCount = (count: number): string => `${count} problems; nothing was sent`;
