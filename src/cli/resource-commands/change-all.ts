/** Makes the same change to several items of a resource, and prints the items. */
import type { Endpoint, Input, ResponseOf } from '../../contract/index.ts';
import { render } from '../../terminal/index.ts';
import { confirmChange } from '../bulk/confirm-change.ts';
import { throwFailures, valuesOf } from '../bulk/run-for-all.ts';
import { runWithProgress } from '../bulk/run-with-progress.ts';
import { formatNameAndId } from '../framework/confirm-change.ts';
import type { Deps, Invocation } from '../framework/index.ts';
import type { Resource } from '../resources/resource.ts';
import { printResource } from './print-resource.ts';

export interface BulkChange<E extends Endpoint> {
  readonly endpoint: E;
  readonly resource: Resource<ResponseOf<E>>;
  /** Reads one item for the question. */
  readonly get: Endpoint;
  /** `Pause`, `Pausing`, `paused`. */
  readonly labels: { readonly verb: string; readonly doing: string; readonly done: string };
}

type Line<E> = Pick<Invocation, 'many' | 'output' | 'globals' | 'resolved'> & {
  readonly inputs: readonly Input<E>[];
};

/** Asks for confirmation, changes each item and prints the items. Throws for those that failed, at the end. */
export async function changeAll<E extends Endpoint>(
  deps: Deps,
  line: Line<E>,
  { endpoint, resource, get, labels: { verb, doing, done } }: BulkChange<E>,
): Promise<void> {
  const { inputs, many, output, globals } = line;
  const { names } = line.resolved;
  const { client, terminal, signal } = deps;
  const { noun, plural, catalogKey, param, columns } = resource;
  const idOf = (input: Input<E>): string =>
    String((input as { readonly params: Readonly<Record<string, unknown>> }).params[param]);
  await confirmChange(deps, {
    verb,
    noun,
    plural,
    preview: { of: catalogKey, get },
    names,
    ids: [...new Set(inputs.map(idOf))],
    yes: globals.yes,
    required: false,
  });
  const api = await client();
  const outcomes = await runWithProgress(deps, {
    inputs,
    idOf,
    labels: { noun, plural, doing, done, resumeHint: 'run the same command again' },
    work: async (input) => (await api.call(endpoint, input, { signal })).body,
    formatSuccess: (id) => `The ${noun} ${formatNameAndId(names, id)} is ${done}.`,
  });
  const values = valuesOf(outcomes);
  const [only] = values;
  if (many) await render(terminal, { kind: 'list', data: values, output, columns });
  else if (only) await printResource(deps, line, resource, only);
  throwFailures(outcomes, many, { noun, verb: done });
}
