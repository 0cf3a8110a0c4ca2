/** Checks of any type, as their commands speak of them. */
import type { getCheck, ResponseOf } from '../../../src/contract/index.ts';
import { type Column, duration } from '../../../src/terminal/index.ts';
import type { Resource } from './resource.ts';

export type Check = ResponseOf<typeof getCheck>;

/** What a DNS check has besides what all have; nothing of it is trusted. */
interface Scheduled {
  readonly frequencyOffset?: unknown;
}

/** `10m`; of a check that runs every few seconds, `20s`. */
export function everyText(check: Check): string {
  const { frequency } = check;
  if (frequency === undefined) return '';
  if (frequency > 0) return duration(frequency * 60_000);
  const { frequencyOffset: seconds } = check as Scheduled;
  return typeof seconds === 'number' ? duration(seconds * 1000) : '';
}

/** How it stands, in a word: what rests is not judged. */
export const standingText = ({ activated, status }: Check): string =>
  activated === false ? 'paused' : (status ?? 'new');

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
