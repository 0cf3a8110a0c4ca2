/** Makes one error of all that is wrong with a command line. */
import { type Problem, UsageError } from '../../base/errors.ts';
import { formatProblem, formatSuggestion } from '../../base/phrases.ts';

/** Where to look for how a command is typed. */
export const helpHint = (name: string): string => `for usage, run: ${name} --help`;

/** One problem is the message itself; several are counted there, and listed. `name`: what was typed, `sonde sessions get`. */
export function toError(problems: readonly Problem[], name: string): UsageError {
  const [first] = problems;
  const about = { details: problems, hint: helpHint(name) };
  if (!first || problems.length > 1) return new UsageError(manyProblems(problems.length), about);
  const near = first.nearest === undefined ? [] : [first.nearest];
  return new UsageError(`${formatProblem(first)}${formatSuggestion(...near)}`, about);
}

/** The message of an error that lists several problems. */
export const manyProblems = (count: number): string => `${count} problems; nothing was sent`;
