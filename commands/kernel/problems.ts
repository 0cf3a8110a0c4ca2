/** Makes one error of all that is wrong with a command line. */
import { type Problem, UsageError } from '../../src/base/errors.ts';
import { didYouMean } from '../../src/base/meant.ts';

/** What is said of an option that there isn't. */
export const UNKNOWN_OPTION = 'is no option here';
/** What is said of an option at the end of the line. */
export const NEEDS_VALUE = 'needs a value';

/** Where to look for how a command is typed. */
export const helpHint = (name: string): string => `${name} --help shows how it is used`;

/** One problem is the message itself; several are counted there, and listed. `name`: what was typed, `sonde sessions get`. */
export function toError(problems: readonly Problem[], name: string): UsageError {
  const [first] = problems;
  if (!first || problems.length > 1) {
    const hint = helpHint(name);
    return new UsageError(`${problems.length} problems, and nothing was sent`, { details: problems, hint });
  }
  const { place, message, nearest } = first;
  const hint = [...(nearest === undefined ? [] : [didYouMean(nearest)]), helpHint(name)].join('\n');
  return new UsageError(`${place} ${message}`, { details: problems, hint });
}
