/** Archives and unarchives error groups (endpoint 11). */

import { confirmChange } from '../../../src/cli/bulk/confirm-change.ts';
import { throwFailures, valuesOf } from '../../../src/cli/bulk/run-for-all.ts';
import { runWithProgress } from '../../../src/cli/bulk/run-with-progress.ts';
import { MAX_LISTED } from '../../../src/cli/framework/confirm-change.ts';
import { formatCommandLine } from '../../../src/cli/framework/format-command-line.ts';
import type { Deps, Invocation } from '../../../src/cli/framework/index.ts';
import { type ResponseOf, updateErrorGroup } from '../../../src/contract/index.ts';
import { type Column, render } from '../../../src/terminal/index.ts';

export type ErrorGroup = ResponseOf<typeof updateErrorGroup>;

function formatArchiveState({ archiveForEver, archivedUntilNextEvent }: ErrorGroup): string {
  if (archiveForEver) return 'permanently';
  return archivedUntilNextEvent ? 'until next event' : 'no';
}

export const isArchived = (group: ErrorGroup): boolean => formatArchiveState(group) !== 'no';

export const errorGroupColumns: readonly Column<ErrorGroup>[] = [
  { key: 'id', kind: 'id' },
  { key: 'cleanedErrorMessage', header: 'message', priority: 90, minWidth: 20, lines: 4 },
  { key: 'lastSeen', kind: 'time', priority: 80 },
  { key: 'firstSeen', kind: 'time' },
  { key: 'archivedUntilNextEvent', header: 'archived', value: formatArchiveState, priority: 60 },
  {
    key: 'rootCauseAnalyses',
    header: 'analyses',
    value: ({ rootCauseAnalyses }) => rootCauseAnalyses?.length ?? 0,
    kind: 'number',
    priority: 30,
  },
];

export interface ArchiveLabels {
  /** `Archive` */
  readonly verb: string;
  /** `Archiving` */
  readonly doing: string;
  /** `archived` */
  readonly done: string;
  /** The command that undoes it, without IDs: `error-groups unarchive`. */
  readonly undo: readonly string[];
}

type Line = Pick<Invocation<typeof updateErrorGroup>, 'inputs' | 'many' | 'output' | 'globals'>;

/** Updates the archive state of each group, and prints the groups. */
export async function updateArchiveState(
  deps: Deps,
  line: Line,
  { verb, doing, done, undo }: ArchiveLabels,
): Promise<void> {
  const { inputs, many, output, globals } = line;
  const { client, terminal, signal } = deps;
  const [noun, plural] = ['error group', 'error groups'];
  const ids = [...new Set(inputs.map(({ params }) => params.id))];
  await confirmChange(deps, { verb, ids, noun, plural, yes: globals.yes, required: false });
  const api = await client();
  const outcomes = await runWithProgress(deps, {
    inputs,
    idOf: ({ params }) => params.id,
    labels: { noun, plural, doing, done, resumeHint: 'run the same command again' },
    work: async (input) => (await api.call(updateErrorGroup, input, { signal })).body,
    formatSuccess: (id) => `The ${noun} ${id} is ${done}.`,
  });
  const groups = valuesOf(outcomes);
  const view = { output, columns: errorGroupColumns };
  const [only] = groups;
  if (many) await render(terminal, { kind: 'list', data: groups, ...view });
  else if (only) await render(terminal, { kind: 'item', data: only, ...view });
  const changed = outcomes.flatMap((outcome) => ('error' in outcome ? [] : [String(outcome.id)]));
  if (changed.length > 0 && changed.length <= MAX_LISTED) {
    await terminal.note(`To undo this, run:\n  ${formatCommandLine(line, ...undo, ...changed)}`);
  }
  throwFailures(outcomes, many, { noun, verb: done });
}
