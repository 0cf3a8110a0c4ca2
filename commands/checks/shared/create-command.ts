/** Defines the commands that create checks. */

import {
  type Command,
  type Deps,
  defineCommand,
  type Example,
  type Invocation,
} from '../../../src/cli/framework/index.ts';
import type { FlagOverrides, Interview, UntypedFlagOverrides } from '../../../src/cli/framework/types.ts';
import type { Endpoint, Input, ResponseOf } from '../../../src/contract/index.ts';
import type { Column } from '../../../src/terminal/index.ts';
import { type CreatedCheck, printCreatedCheck } from './print-created.ts';

export interface CreateCheckOptions<E extends Endpoint> {
  /** The last word of the command: `create-url`. */
  readonly verb: string;
  /** The type with its article: `a URL`. */
  readonly type: string;
  readonly description?: string;
  readonly endpoint: E;
  readonly flags: FlagOverrides<E>;
  readonly steps: Interview['steps'];
  readonly examples: readonly Example[];
  /** Columns for the target and the runtime of this type. */
  readonly targetColumns?: readonly Column<ResponseOf<E> & CreatedCheck>[];
  readonly runtimeColumns?: readonly Column<ResponseOf<E> & CreatedCheck>[];
  /** Prints notes after the check. */
  readonly onCreated?: (
    deps: Deps,
    line: Pick<Invocation, 'globals'>,
    created: ResponseOf<E>,
  ) => Promise<void>;
}

/** Returns `sonde checks create-url`. */
export function createCheckCommand<E extends Endpoint>(of: CreateCheckOptions<E>): Command {
  const { verb, type, description, steps, examples, onCreated } = of;
  const endpoint: Endpoint = of.endpoint;
  const command = defineCommand({
    name: `checks ${verb}`,
    summary: `Create ${type} check`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    interview: { steps, confirm: 'Create this check?' },
    examples: [
      ...examples,
      { line: `checks ${verb} --example > check.yaml`, does: 'Create an example file' },
    ],
    async run(deps, invocation) {
      const { client, terminal, signal } = deps;
      const { body } = await (await client()).call(endpoint, invocation.input as Input<Endpoint>, { signal });
      await printCreatedCheck(terminal, body as CreatedCheck, {
        type: type.replace(/^an? /, ''),
        output: invocation.output,
        invocation,
        targetColumns: (of.targetColumns ?? []) as readonly Column<CreatedCheck>[],
        runtimeColumns: (of.runtimeColumns ?? []) as readonly Column<CreatedCheck>[],
      });
      await onCreated?.(deps, invocation, body as ResponseOf<E>);
    },
  });
  return { ...command, flags: of.flags as UntypedFlagOverrides };
}
