/** Exports what a command file needs to define a command; see CONTRIBUTING.md, "Add a command". */
import type { Endpoint } from '../../contract/index.ts';
import type { Arguments, CommandDefinition, Options } from './types.ts';

export {
  argument,
  argumentList,
  choice,
  custom,
  duration,
  flag,
  integer,
  optionalArgument,
  parseDuration,
  type ResourceName,
  size,
  text,
  texts,
} from './options.ts';
export type { Command, Deps, Example, Invocation } from './types.ts';

type None = Record<never, never>;

/** Defines a command. It only infers types, so that `run` knows its arguments, options and input. */
export function defineCommand<
  E extends Endpoint | undefined = undefined,
  A extends Arguments = None,
  O extends Options = None,
>(definition: CommandDefinition<E, A, O>): CommandDefinition<E, A, O> {
  return definition;
}
