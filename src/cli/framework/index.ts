/** What the author of a command imports. */
export { defineCommand } from './define.ts';
export { parseDuration } from './parse-duration.ts';
export {
  argument,
  argumentList,
  choice,
  custom,
  duration,
  flag,
  integer,
  optionalArgument,
  size,
  type ThingName,
  text,
  texts,
} from './options.ts';
export type { Command, Deps, Example, Invocation } from './types.ts';
