/** The commands that archive error groups and take them back (endpoint 11). */
import { type ResponseOf, updateErrorGroup } from '../../src/contract/index.ts';
import { type Column, render } from '../../src/terminal/index.ts';
import type { Deps, Invocation } from '../kernel/index.ts';
import { ask, naming } from './ask.ts';
import { inBulk, throwFailures, valuesOf } from './bulk.ts';

export type ErrorGroup = ResponseOf<typeof updateErrorGroup>;

/** `archiveForEver` is no field of an answer by the specification; deployments that answer it are read all the same. */
function archivedText(group: ErrorGroup): string {
  if ((group as { readonly archiveForEver?: unknown }).archiveForEver === true) return 'for ever';
  return group.archivedUntilNextEvent ? 'until next event' : 'no';
}

export const errorGroupColumns: readonly Column<ErrorGroup>[] = [
  { key: 'id', kind: 'id' },
  { key: 'cleanedErrorMessage', header: 'message', priority: 90, minWidth: 28 },
  { key: 'lastSeen', kind: 'time', priority: 80 },
  { key: 'firstSeen', kind: 'time' },
  { key: 'archivedUntilNextEvent', header: 'archived', value: archivedText, priority: 60 },
  {
    key: 'rootCauseAnalyses',
    header: 'analyses',
    value: ({ rootCauseAnalyses }) => rootCauseAnalyses?.length ?? 0,
    kind: 'number',
    priority: 30,
  },
];

/** The words of a change. */
export interface Archiving {
  /** What is asked of a person: `Archive`. */
  readonly verb: string;
  /** What was done: `archived`. */
  readonly done: string;
}

type Line = Pick<Invocation<typeof updateErrorGroup>, 'inputs' | 'many' | 'output' | 'globals'>;

/** Changes the archive state of each group and prints the groups as they are then. */
export async function archive(
  deps: Deps,
  { inputs, many, output, globals }: Line,
  { verb, done }: Archiving,
): Promise<void> {
  const { client, terminal, signal } = deps;
  const noun = 'error group';
  const ids = [...new Set(inputs.map(({ params }) => params.id))];
  await ask(deps, {
    message: `${verb} ${naming(ids, noun, 'error groups')}?`,
    yes: globals.yes,
    required: false,
  });
  const api = await client();
  const outcomes = await inBulk({
    inputs,
    signal,
    idOf: ({ params }) => params.id,
    work: async (input) => (await api.call(updateErrorGroup, input, { signal })).body,
    done: (id) => terminal.note(`The ${noun} ${id} is ${done}.`),
  });
  const groups = valuesOf(outcomes);
  const view = { output, columns: errorGroupColumns };
  const [only] = groups;
  if (many) await render(terminal, { kind: 'list', data: groups, ...view });
  else if (only) await render(terminal, { kind: 'item', data: only, ...view });
  throwFailures(outcomes, many, { noun, verb: done });
}
