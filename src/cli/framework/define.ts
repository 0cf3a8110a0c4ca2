/** How a command is written: see CONTRIBUTING.md, "How to add a command". */
import type { Endpoint } from '../../contract/index.ts';
import type { Arguments, CommandDefinition, Options } from './types.ts';

type None = Record<never, never>;

/** A command. Only infers the types, so that `run` knows its arguments, options and input. */
export function defineCommand<
  E extends Endpoint | undefined = undefined,
  A extends Arguments = None,
  O extends Options = None,
>(definition: CommandDefinition<E, A, O>): CommandDefinition<E, A, O> {
  return definition;
}
