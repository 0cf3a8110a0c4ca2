/** Defines the standard phrases for command-line mistakes, and formats problems and counts. */
import { type Problem, UsageError } from './errors.ts';
import { didYouMean } from './suggest.ts';

export const UNKNOWN_FLAG = 'unknown flag';
export const NEEDS_VALUE = 'flag needs a value';
export const REQUIRED_FLAG = 'required flag';
export const REQUIRED_ARGUMENT = 'required argument';
export const UNEXPECTED_ARGUMENT = 'unexpected argument';

const MESSAGE_FIRST: readonly string[] = [
  UNKNOWN_FLAG,
  NEEDS_VALUE,
  REQUIRED_FLAG,
  REQUIRED_ARGUMENT,
  UNEXPECTED_ARGUMENT,
];

/** Formats a problem with its location: `unknown flag: --naem`, `--limit must be at least 1`. */
export const formatProblem = ({ place, message }: Pick<Problem, 'place' | 'message'>): string =>
  MESSAGE_FIRST.includes(message) ? `${message}: ${place}` : `${place} ${message}`.trimStart();

/** Returns ` (did you mean --name?)`, or an empty text without a suggestion. */
export const formatSuggestion = (...near: readonly string[]): string =>
  near.length === 0 ? '' : ` (${didYouMean(...near)})`;

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
