/** Defines the command that creates a resource. */

import type { BodyOf, Endpoint, Input, ResponseOf } from '../../contract/index.ts';
import { type Command, defineCommand, type Example } from '../framework/index.ts';
import type {
  CommandDefinition,
  Deps,
  FlagOverrides,
  Interview,
  UntypedFlagOverrides,
} from '../framework/types.ts';
import { formatResource, type OutputContext, type Resource } from '../resources/resource.ts';
import { printResource, withArticle } from './read.ts';

export interface CommandTexts<E> {
  readonly description?: string;
  readonly examples: readonly Example[];
  readonly flags?: FlagOverrides<E>;
}

export interface CreateOptions<E extends Endpoint> extends CommandTexts<E> {
  readonly interview: Interview['steps'];
  /** Prints notes after the resource, such as that a key is shown only once. */
  readonly onCreated?: (deps: Deps, line: OutputContext, created: ResponseOf<E>) => Promise<void>;
  readonly makeBody?: CommandDefinition['makeBody'];
  /** Returns the body to send, with values of other resources that the service requires. */
  readonly complete?: (deps: Deps, body: BodyOf<E>) => Promise<BodyOf<E>>;
}

/** Returns `sonde snippets create`. */
export function createCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>>,
  create: E,
  of: CreateOptions<E>,
): Command {
  const { commandGroup, noun } = resource;
  const { interview, examples, flags, description, onCreated } = of;
  const endpoint: Endpoint = create;
  const file = `${noun.replaceAll(' ', '-')}.yaml`;
  const command = defineCommand({
    name: `${commandGroup} create`,
    summary: `Create ${withArticle(noun)}`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    interview: { steps: interview, confirm: `Create this ${noun}?` },
    examples: [
      ...examples,
      { line: `${commandGroup} create --example > ${file}`, does: 'Create an example file' },
    ],
    ...(resource.get === undefined ? {} : { printedBy: resource.get }),
    ...(of.makeBody === undefined ? {} : { makeBody: of.makeBody }),
    async run(deps, { input, ...line }) {
      const { client, signal, terminal } = deps;
      const given = input.body as BodyOf<E>;
      const whole = { ...input, body: (await of.complete?.(deps, given)) ?? given } as Input<Endpoint>;
      const { body } = await (await client()).call(endpoint, whole, { signal });
      const created = body as ResponseOf<E>;
      await terminal.note(`Created the ${formatResource(resource, created)}.`);
      await printResource(deps, line, resource, created);
      await onCreated?.(deps, line, created);
    },
  });
  return withFlags(command, flags as UntypedFlagOverrides | undefined);
}

export const withFlags = (command: Command, flags: UntypedFlagOverrides | undefined): Command =>
  flags === undefined ? command : { ...command, flags };
