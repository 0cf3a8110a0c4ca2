/** Makes the same change to several items of a resource, and prints the items. */
import type { Client } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { render } from '../../terminal/index.ts';
import { changeSeveral } from '../bulk/change-several.ts';
import { valuesOf } from '../bulk/run-for-all.ts';
import { MAX_LISTED } from '../framework/confirm-change.ts';
import { formatCommandLine } from '../framework/format-command-line.ts';
import type { Deps, Invocation } from '../framework/index.ts';
import type { Resource } from '../resources/resource.ts';
import { printResource } from './read.ts';

export interface BulkChange<E extends Endpoint, T> {
  readonly resource: Resource<T>;
  /** `Pause`, `Pausing`, `paused`. */
  readonly labels: { readonly verb: string; readonly doing: string; readonly done: string };
  /** Sends one change and returns the item. Rejects as the client does. */
  readonly send: (input: Input<E>, api: Client) => Promise<T>;
  /** The command that undoes the change, without IDs: `error-groups unarchive`. */
  readonly undo?: readonly string[];
}

type Line<E> = Pick<Invocation, 'many' | 'output' | 'globals' | 'resolved'> & {
  readonly inputs: readonly Input<E>[];
};

/** Asks for confirmation, changes each item and prints the items. Throws for those that failed, at the end. */
export function changeAll<E extends Endpoint, T>(
  deps: Deps,
  line: Line<E>,
  { resource, labels, send, undo }: BulkChange<E, T>,
): Promise<void> {
  const { inputs, many, output, globals } = line;
  const { noun, plural, catalogKey, param, get, columns } = resource;
  return changeSeveral(deps, {
    ...labels,
    inputs,
    param,
    many,
    noun,
    plural,
    ...(get ? { preview: { of: catalogKey, get }, names: line.resolved.names } : {}),
    yes: globals.yes,
    required: false,
    work: send,
    formatSuccess: (shown) => `The ${noun} ${shown} is ${labels.done}.`,
    async print(outcomes) {
      const values = valuesOf(outcomes);
      const [only] = values;
      if (many) await render(deps.terminal, { kind: 'list', data: values, output, columns });
      else if (only) await printResource(deps, line, resource, only);
      const changed = outcomes.flatMap((outcome) => ('error' in outcome ? [] : [String(outcome.id)]));
      if (undo && changed.length > 0 && changed.length <= MAX_LISTED) {
        await deps.terminal.note(`To undo this, run:\n  ${formatCommandLine(line, ...undo, ...changed)}`);
      }
    },
  });
}
