/** Describes check groups for their commands. */
import { getCheckGroup, type ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import { formatSubscriptions } from './alert-channels.ts';
import type { Names } from './lazy/resource-names.ts';
import type { Resource } from './resource.ts';

type Group = ResponseOf<typeof getCheckGroup> & {
  readonly channelNames?: Names;
  /** Whether to show the defaults of fields that are not set. */
  readonly showDefaults?: boolean;
};

const SET_BY_CHECK = 'set by each check';

const locations: Column<Group> = {
  key: 'locations',
  value: ({ locations, privateLocations }) => [...(locations ?? []), ...(privateLocations ?? [])],
  kind: 'list',
  priority: 60,
};

export const groups = {
  commandGroup: 'groups',
  noun: 'check group',
  plural: 'check groups',
  catalogKey: 'group',
  param: 'id',
  get: getCheckGroup,
  sampleId: '12',
  columns: [
    { key: 'id', kind: 'id' },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'activated', kind: 'boolean', priority: 80 },
    { key: 'muted', kind: 'boolean', priority: 50 },
    locations,
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
      value: ({ locations, privateLocations, showDefaults }) =>
        showDefaults && !locations?.length && !privateLocations?.length ? [SET_BY_CHECK] : locations,
      kind: 'list',
    },
    { key: 'privateLocations', kind: 'list' },
    { key: 'runParallel', kind: 'boolean' },
    {
      key: 'runtimeId',
      header: 'runtime',
      value: ({ runtimeId, showDefaults }) => runtimeId ?? (showDefaults ? SET_BY_CHECK : runtimeId),
    },
    {
      key: 'retryStrategy',
      header: 'retries',
      value: ({ retryStrategy: retries, doubleCheck, showDefaults }) => {
        if (retries) {
          return retries === 'FALLBACK'
            ? `${retries}${showDefaults ? ` (${SET_BY_CHECK})` : ''}`
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
      value: ({ alertChannelSubscriptions, channelNames }) =>
        formatSubscriptions(alertChannelSubscriptions ?? [], channelNames),
      kind: 'list',
    },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  async enrich(deps, group) {
    const withDefaults = { ...group, showDefaults: true };
    if (!group.alertChannelSubscriptions?.length) return withDefaults;
    const { fetchChannelNames } = await import('./lazy/resource-names.ts');
    return { ...withDefaults, channelNames: await fetchChannelNames(deps) };
  },
  nextCommands: ({ id = '' }) => [
    ['Run its checks', 'groups', 'run', String(id)],
    ['Add a check', 'checks', 'update', '<check-id>', '--group-id', String(id)],
  ],
} satisfies Resource<Group>;

/** Names the flags of nested fields, and groups all flags for help. */
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
