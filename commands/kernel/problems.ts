/** Makes one error of all that is wrong with a command line. */
import { type Problem, UsageError } from '../../src/base/errors.ts';

/** What is said of an option that there isn't. */
export const UNKNOWN_OPTION = 'is no option here';

/** One problem is the message itself; several are counted there, and listed. */
export function toError(problems: readonly Problem[]): UsageError {
  const [first] = problems;
  if (!first || problems.length > 1) {
    return new UsageError(`${problems.length} problems, and nothing was sent`, { details: problems });
  }
  const { place, message, nearest } = first;
  const help = message === UNKNOWN_OPTION ? '--help lists the options' : undefined;
  const hint = nearest === undefined ? help : `did you mean ${nearest}?`;
  return new UsageError(`${place} ${message}`, { details: problems, hint });
}
