/** Schemas of a check group in requests and responses. Specification: Check group. */

import { RESOURCE_NAME_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  dateTime,
  noted,
  nullable,
  number,
  open,
  optional,
  secret,
  string,
  type Type,
} from '../schema.ts';
import { apiSources } from './checks/http.ts';
import {
  alertChannelSubscriptions,
  alertSettings,
  assertions,
  doubleCheck,
  environmentVariables,
  keyValuePair,
  localScript,
  locations,
  privateLocations,
  retryStrategyOrFallback,
  runtimeId,
  snippetId,
  tags,
} from './shared.ts';

const apiCheckDefaults = closed(
  allOptional({
    url: string('Base URL of the API checks'),
    headers: array(keyValuePair, 'Headers of each request'),
    queryParameters: array(keyValuePair, 'Query parameters of each request'),
    assertions: assertions(apiSources, 'Assertions on each response'),
    basicAuth: closed(
      allOptional({
        username: string('Username'),
        password: secret('omitted', 'Password'),
      }),
      { description: 'Basic authentication' },
    ),
  }),
  { title: 'ApiCheckDefaults', description: 'Defaults for the API checks of the group' },
);

/** Fields of a group that a request may contain. */
export const checkGroupFields = {
  name: string('Name of the group', RESOURCE_NAME_LIMIT),
  activated: boolean('Whether the checks of the group are active', { default: true }),
  muted: boolean('Whether notifications are muted', { default: false }),
  tags,
  locations,
  concurrency: number('Maximum number of checks that run in parallel when the group is triggered', {
    default: 3,
    minimum: 1,
  }),
  apiCheckDefaults,
  browserCheckDefaults: string('Base URL of the browser checks of the group'),
  runtimeId,
  environmentVariables,
  doubleCheck,
  useGlobalAlertSettings: boolean("Whether the account's alert settings override the group's", {
    default: true,
  }),
  alertSettings,
  alertChannelSubscriptions,
  setupSnippetId: snippetId('setup'),
  tearDownSnippetId: snippetId('teardown'),
  localSetupScript: localScript('setup'),
  localTearDownScript: localScript('teardown'),
  privateLocations,
  runParallel: boolean('Whether checks run in all locations in parallel', { default: false }),
  retryStrategy: retryStrategyOrFallback,
};

/** Three settings are nullable: the specification says so only of answers, but a client may send back an answer. */
const checkGroupRequestFields = {
  ...checkGroupFields,
  useGlobalAlertSettings: nullable(checkGroupFields.useGlobalAlertSettings),
  alertSettings: nullable(noted(alertSettings, { title: 'NullableAlertSettings' })),
  runParallel: nullable(checkGroupFields.runParallel),
};

/** Body of endpoint 1: no field is required. */
export const checkGroupBody = closed(allOptional(checkGroupRequestFields), { title: 'CheckGroupRequest' });

/** Body of the newer form: the name is required, and the deprecated double check is off. */
export const checkGroupV2Body = closed(
  {
    ...allOptional({
      ...checkGroupRequestFields,
      doubleCheck: noted(doubleCheck, { default: false }),
      retryStrategy: noted(retryStrategyOrFallback, { default: 'FALLBACK' }),
    }),
    name: checkGroupFields.name,
  },
  { title: 'CheckGroupV2Request' },
);

export const checkGroup = open(
  {
    ...allOptional(checkGroupFields),
    name: checkGroupFields.name,
    activated: checkGroupFields.activated,
    concurrency: checkGroupFields.concurrency,
    apiCheckDefaults,
    muted: optional(nullable(boolean('Whether notifications are muted'))),
    useGlobalAlertSettings: optional(
      nullable(boolean("Whether the account's alert settings override the group's")),
    ),
    runParallel: optional(
      nullable(boolean('Whether checks run in all locations in parallel', { default: false })),
    ),
    id: optional(number('ID of the group')),
    created_at: optional(date('Creation time')),
    updated_at: optional(nullable(dateTime('Time of the last change'))),
  },
  { title: 'CheckGroup' },
);
export type CheckGroup = Type.Static<typeof checkGroup>;
