/** Describes checks of all types for their commands. */
import { getCheck } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import type { Deps } from '../framework/index.ts';
import { type Check, formatCheckStatus, formatInterval } from './check-status.ts';
import type { Names } from './lazy/resource-names.ts';
import type { Resource } from './resource.ts';

const locations: Column<Check> = {
  key: 'locations',
  value: ({ locations, privateLocations }) => [...(locations ?? []), ...(privateLocations ?? [])],
  kind: 'list',
  priority: 45,
  isRedundant: true,
};
const type: Column<Check> = { key: 'checkType', header: 'type', priority: 60 };
const group: Column<Check> = {
  key: 'groupId',
  header: 'group',
  kind: 'number',
  priority: 40,
  isRedundant: true,
};
const groupName: Column<Check> = {
  key: 'groupId',
  header: 'group',
  value: ({ groupId, ...check }) => ('groupName' in check ? check.groupName : groupId),
  priority: 55,
};
const tags: Column<Check> = { key: 'tags', kind: 'list', priority: 42, isRedundant: true };

/** Columns of the table: the status comes first. */
export const tableColumns: readonly Column<Check>[] = [
  { key: 'status', value: formatCheckStatus, kind: 'status', priority: 95 },
  { key: 'name', priority: 90, minWidth: 24 },
  type,
  { key: 'frequency', header: 'every', value: formatInterval, priority: 65 },
  { key: 'nextRunAt', header: 'next run', kind: 'time', priority: 70 },
  groupName,
  tags,
  locations,
  { key: 'id', kind: 'id', isShort: true },
];

/** Adds group names to checks. Fetches the groups once, and only if a check has one; keeps the ID if that fails. */
export async function* withGroupNames(
  deps: Pick<Deps, 'client' | 'signal'>,
  rows: AsyncIterable<Check>,
): AsyncIterable<Check> {
  let names: Names | undefined;
  for await (const check of rows) {
    if (typeof check.groupId === 'number')
      names ??= await (await import('./lazy/resource-names.ts')).fetchGroupNames(deps);
    const groupName = names?.get(check.groupId);
    yield groupName === undefined ? check : Object.assign({ groupName }, check);
  }
}

const fields: readonly Column<Check>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  type,
  { key: 'status', kind: 'status' },
  { key: 'activated', kind: 'boolean' },
  { key: 'muted', kind: 'boolean' },
  { key: 'description' },
  { key: 'request.query', header: 'query' },
  { key: 'request.recordType', header: 'record type' },
  { key: 'request.url', header: 'url' },
  { key: 'request.hostname', header: 'host' },
  { key: 'request.port', header: 'port', kind: 'number' },
  { key: 'heartbeat.pingUrl', header: 'ping' },
  { key: 'frequency', header: 'interval (minutes)', kind: 'number' },
  { key: 'nextRunAt', header: 'next run', kind: 'time' },
  { key: 'locations', kind: 'list' },
  { key: 'privateLocations', kind: 'list' },
  { key: 'groupId', header: 'group', kind: 'number' },
  { key: 'tags', kind: 'list' },
  { key: 'created_at', header: 'created', kind: 'time' },
  { key: 'updated_at', header: 'updated', kind: 'time' },
];

export const checks = {
  commandGroup: 'checks',
  noun: 'check',
  plural: 'checks',
  catalogKey: 'check',
  param: 'id',
  get: getCheck,
  sampleId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'status', kind: 'status' },
    { key: 'name', priority: 90, minWidth: 24 },
    type,
    { key: 'activated', kind: 'boolean' },
    { key: 'frequency', kind: 'number' },
    { key: 'nextRunAt', header: 'next run', kind: 'time' },
    group,
    tags,
    locations,
  ],
  fields,
  idOf: ({ id }) => id,
  page: ({ id }) => `/checks/${id}`,
  nameOf: ({ name }) => name,
  view: (deps, line, check) => ({
    kind: 'item',
    data: check,
    output: line.output,
    columns: fields,
    card: async (shown) => (await import('./lazy/check-card.ts')).checkCard(deps, line, shown),
  }),
} satisfies Resource<Check>;
