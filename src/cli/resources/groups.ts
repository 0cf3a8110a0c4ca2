/** Check groups, as their commands speak of them. */
import type { getCheckGroup, ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import { alertedChannels } from './alert-channels.ts';
import type { Names } from './lazy/resource-names.ts';
import type { Resource } from './resource.ts';

/** A person's has the names of channels besides. */
type Group = ResponseOf<typeof getCheckGroup> & {
  readonly channelNames?: Names;
  /** Whether to show the defaults of fields that are not set. */
  readonly tellsDefaults?: boolean;
};

const OWN = 'set by each check';

const places: Column<Group> = {
  key: 'locations',
  value: ({ locations, privateLocations }) => [...(locations ?? []), ...(privateLocations ?? [])],
  kind: 'list',
  priority: 60,
};

export const groups: Resource<Group> = {
  word: 'groups',
  noun: 'check group',
  plural: 'check groups',
  thing: 'group',
  param: 'id',
  columns: [
    { key: 'id', kind: 'id' },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'activated', kind: 'boolean', priority: 80 },
    { key: 'muted', kind: 'boolean', priority: 50 },
    places,
    { key: 'tags', kind: 'list', priority: 55 },
    { key: 'concurrency', kind: 'number', priority: 30, isRedundant: true },
    {
      key: 'updated_at',
      header: 'changed',
      value: (group) => group.updated_at ?? group.created_at,
      kind: 'time',
      priority: 40,
      isRedundant: true,
    },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'activated', kind: 'boolean' },
    { key: 'muted', kind: 'boolean' },
    { key: 'concurrency', kind: 'number' },
    {
      key: 'locations',
      value: ({ locations, privateLocations, tellsDefaults }) =>
        tellsDefaults && !locations?.length && !privateLocations?.length ? [OWN] : locations,
      kind: 'list',
    },
    { key: 'privateLocations', kind: 'list' },
    { key: 'runParallel', kind: 'boolean' },
    {
      key: 'runtimeId',
      header: 'runtime',
      value: ({ runtimeId, tellsDefaults }) => runtimeId ?? (tellsDefaults ? OWN : runtimeId),
    },
    {
      key: 'retryStrategy',
      header: 'retries',
      value: ({ retryStrategy: retries, doubleCheck, tellsDefaults }) => {
        if (retries) {
          return retries === 'FALLBACK'
            ? `${retries}${tellsDefaults ? ` (${OWN})` : ''}`
            : `${retries.type ?? 'FIXED'}, at most ${retries.maxRetries ?? 2}`;
        }
        return retries === undefined && doubleCheck ? 'once, immediately' : 'none';
      },
    },
    {
      key: 'environmentVariables',
      header: 'variables',
      value: (group) => group.environmentVariables?.map(({ key }) => key),
      kind: 'list',
    },
    { key: 'tags', kind: 'list' },
    {
      key: 'alertChannelSubscriptions',
      header: 'alerts',
      value: ({ alertChannelSubscriptions = [], channelNames }) =>
        alertedChannels(alertChannelSubscriptions, channelNames),
      kind: 'list',
    },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  async dress(deps, group) {
    const told = { ...group, tellsDefaults: true };
    if (!group.alertChannelSubscriptions?.length) return told;
    const { channelNames } = await import('./lazy/resource-names.ts');
    return { ...told, channelNames: await channelNames(deps) };
  },
  leadsTo: ({ id = '' }) => [
    ['Run its checks', 'groups', 'run', String(id)],
    ['Add a check', 'checks', 'update', '<check-id>', '--group-id', String(id)],
  ],
};

/** The flags of fields within fields, and how help groups them all. */
export const groupFlags = {
  names: {
    'apiCheckDefaults.url': 'api-url',
    'apiCheckDefaults.headers': 'api-header',
    'apiCheckDefaults.queryParameters': 'api-query',
    'apiCheckDefaults.assertions': 'assert',
  },
  groups: {
    Group: ['name', 'tags', 'concurrency'],
    'Schedule and locations': ['activated', 'locations', 'privateLocations', 'runParallel', 'retryStrategy'],
    'Check defaults': [
      'environmentVariables',
      'runtimeId',
      'apiCheckDefaults.url',
      'apiCheckDefaults.headers',
      'apiCheckDefaults.queryParameters',
      'apiCheckDefaults.assertions',
      'browserCheckDefaults',
    ],
    Notifications: [
      'muted',
      'alertSettings',
      'useGlobalAlertSettings',
      'alertChannelSubscriptions',
      'autoAssignAlerts',
    ],
  },
} as const;
