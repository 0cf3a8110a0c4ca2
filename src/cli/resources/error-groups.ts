/** Describes error groups for their commands. */
import type { ResponseOf, updateErrorGroup } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import type { Resource } from './resource.ts';

type ErrorGroup = ResponseOf<typeof updateErrorGroup>;

function formatArchiveState({ archiveForEver, archivedUntilNextEvent }: ErrorGroup): string {
  if (archiveForEver) return 'permanently';
  return archivedUntilNextEvent ? 'until next event' : 'no';
}

export const isArchived = (group: ErrorGroup): boolean => formatArchiveState(group) !== 'no';

const columns: readonly Column<ErrorGroup>[] = [
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

export const errorGroups: Resource<ErrorGroup> = {
  commandGroup: 'error-groups',
  noun: 'error group',
  plural: 'error groups',
  catalogKey: 'error-group',
  param: 'id',
  columns,
  fields: columns,
  idOf: ({ id }) => id,
  view: (_deps, { output }, group) => ({ kind: 'item', data: group, output, columns }),
};
