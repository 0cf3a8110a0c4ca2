/** Checks of any type, as their commands speak of them. */
import type { Column } from '../../../src/terminal/index.ts';
import { type Check, everyText, standingText } from '../checks/standing.ts';
import type { Resource } from './resource.ts';

const places: Column<Check> = {
  key: 'locations',
  value: ({ locations, privateLocations }) => [...(locations ?? []), ...(privateLocations ?? [])],
  kind: 'list',
  priority: 45,
  spare: true,
};
const type: Column<Check> = { key: 'checkType', header: 'type', priority: 60 };
const group: Column<Check> = { key: 'groupId', header: 'group', kind: 'number', priority: 40, spare: true };
const tags: Column<Check> = { key: 'tags', kind: 'list', priority: 42, spare: true };

/** For a person: how each stands first. */
export const tableColumns: readonly Column<Check>[] = [
  { key: 'status', value: standingText, kind: 'status', priority: 95 },
  { key: 'name', priority: 90, minWidth: 16 },
  type,
  { key: 'frequency', header: 'every', value: everyText, priority: 65 },
  { key: 'nextRunAt', header: 'next run', kind: 'time', priority: 70 },
  group,
  tags,
  places,
  { key: 'id', kind: 'id' },
];

export const checks: Resource<Check> = {
  word: 'checks',
  noun: 'check',
  plural: 'checks',
  thing: 'check',
  param: 'id',
  columns: [
    { key: 'id', kind: 'id' },
    { key: 'status', kind: 'status' },
    { key: 'name', priority: 90, minWidth: 16 },
    type,
    { key: 'activated', kind: 'boolean' },
    { key: 'frequency', kind: 'number' },
    { key: 'nextRunAt', header: 'next run', kind: 'time' },
    group,
    tags,
    places,
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    type,
    { key: 'status', kind: 'status' },
    { key: 'activated', kind: 'boolean' },
    { key: 'muted', kind: 'boolean' },
    { key: 'description' },
    { key: 'request.query', header: 'query' },
    { key: 'request.recordType', header: 'record type' },
    { key: 'frequency', header: 'every (minutes)', kind: 'number' },
    { key: 'nextRunAt', header: 'next run', kind: 'time' },
    { key: 'locations', kind: 'list' },
    { key: 'privateLocations', kind: 'list' },
    { key: 'groupId', header: 'group', kind: 'number' },
    { key: 'tags', kind: 'list' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  view: (_deps, line, check) => ({
    kind: 'item',
    data: check,
    output: line.output,
    columns: checks.fields,
    card: async (shown) => (await import('../checks/late/card.ts')).checkCard(line, shown),
  }),
};
