/** Defines the commands that create checks. */

import { type Deps, defineCommand, type Example, type Invocation } from '../../../src/cli/framework/index.ts';
import type {
  CommandDefinition,
  FlagOverrides,
  Interview,
  UntypedFlagOverrides,
} from '../../../src/cli/framework/types.ts';
import type { CheckType } from '../../../src/contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../src/contract/generated/check-types.js';
import type { Endpoint, Input, ResponseOf } from '../../../src/contract/index.ts';
import type { Column } from '../../../src/terminal/index.ts';
import { type CreatedCheck, printCreatedCheck } from './print-created.ts';

export interface CreateCheckOptions<E extends Endpoint> {
  readonly type: CheckType;
  readonly description?: string;
  readonly endpoint: E;
  /** Headings of the type's fields in help. */
  readonly groups: NonNullable<FlagOverrides<E>['groups']>;
  /** A warning before the questions. */
  readonly warning?: Interview['warning'];
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
export function createCheckCommand<E extends Endpoint>(of: CreateCheckOptions<E>): CommandDefinition<E> {
  const { description, warning, steps, examples, onCreated } = of;
  const { path, article, label, flags: names, fill } = CHECK_TYPES[of.type];
  const verb = `create-${path}`;
  const endpoint: Endpoint = of.endpoint;
  const command = defineCommand({
    name: `checks ${verb}`,
    summary: `Create ${article} ${label} check`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    interview: { ...(warning ? { warning } : {}), steps, confirm: 'Create this check?' },
    examples: [
      ...examples,
      { line: `checks ${verb} --example > check.yaml`, does: 'Create an example file' },
    ],
    async run(deps, invocation) {
      const { client, terminal, signal } = deps;
      const { body } = await (await client()).call(endpoint, invocation.input as Input<Endpoint>, { signal });
      await printCreatedCheck(terminal, body as CreatedCheck, {
        type: label,
        output: invocation.output,
        invocation,
        targetColumns: (of.targetColumns ?? []) as readonly Column<CreatedCheck>[],
        runtimeColumns: (of.runtimeColumns ?? []) as readonly Column<CreatedCheck>[],
      });
      await onCreated?.(deps, invocation, body as ResponseOf<E>);
    },
  });
  const flags: UntypedFlagOverrides = { names, groups: of.groups, fill };
  return { ...command, flags } as unknown as CommandDefinition<E>;
}
