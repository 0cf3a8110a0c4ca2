/** Commands that make the same change to several of a resource, and print them as they are then. */
import type { Endpoint, Input, ResponseOf } from '../../contract/index.ts';
import { render } from '../../terminal/index.ts';
import { askAbout } from '../bulk/confirm.ts';
import { throwFailures, valuesOf } from '../bulk/run-for-all.ts';
import { workThrough } from '../bulk/run-with-progress.ts';
import { formatNameAndId } from '../framework/confirm-change.ts';
import type { Deps, Invocation } from '../framework/index.ts';
import type { LookName } from '../resources/lazy/previews.ts';
import type { Resource } from '../resources/resource.ts';
import { show } from './show.ts';

export interface Change<E extends Endpoint> {
  readonly endpoint: E;
  readonly resource: Resource<ResponseOf<E>>;
  /** How what the ids name is read before a person is asked. */
  readonly look: LookName;
  /** `Pause`, `Pausing`, `paused`. */
  readonly words: { readonly verb: string; readonly doing: string; readonly done: string };
}

type Line<E> = Pick<Invocation, 'many' | 'output' | 'globals' | 'resolved'> & {
  readonly inputs: readonly Input<E>[];
};

/** Asks a person, changes each, and prints them; those that failed are told at the end. */
export async function changeAll<E extends Endpoint>(
  deps: Deps,
  line: Line<E>,
  { endpoint, resource, look, words: { verb, doing, done } }: Change<E>,
): Promise<void> {
  const { inputs, many, output, globals } = line;
  const { names } = line.resolved;
  const { client, terminal, signal } = deps;
  const { noun, plural, param, columns } = resource;
  const idOf = (input: Input<E>): string =>
    String((input as { readonly params: Readonly<Record<string, unknown>> }).params[param]);
  await askAbout(deps, {
    ...{ verb, noun, plural, look, names },
    ids: [...new Set(inputs.map(idOf))],
    yes: globals.yes,
    required: false,
  });
  const api = await client();
  const outcomes = await workThrough(deps, {
    inputs,
    idOf,
    words: { noun, plural, doing, done, goOn: 'run the same command again' },
    work: async (input) => (await api.call(endpoint, input, { signal })).body,
    tell: (id) => `The ${noun} ${formatNameAndId(names, id)} is ${done}.`,
  });
  const values = valuesOf(outcomes);
  const [only] = values;
  if (many) await render(terminal, { kind: 'list', data: values, output, columns });
  else if (only) await show(deps, line, resource, only);
  throwFailures(outcomes, many, { noun, verb: done });
}
