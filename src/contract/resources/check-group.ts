/** Check group: its fields as a request writes them and as an answer shows them. Specification: Check group. */

import { API_ASSERTION_SOURCES } from '../enumerations.ts';
import { NAME_LIMIT } from '../limits.ts';
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
  string,
  type Type,
} from '../schema.ts';
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
    headers: array(keyValuePair, 'Headers sent with each request'),
    queryParameters: array(keyValuePair, 'Query parameters sent with each request'),
    assertions: assertions(API_ASSERTION_SOURCES, 'Assertions made on each answer'),
    basicAuth: closed(
      allOptional({
        username: string('User name'),
        password: string('Password', { writeOnly: true }),
      }),
      { description: 'Basic authentication' },
    ),
  }),
  { title: 'ApiCheckDefaults', description: 'What API checks of the group have in common' },
);

/** The fields of the group that a request may carry. */
export const checkGroupFields = {
  name: string('Name of the group', NAME_LIMIT),
  activated: boolean('Whether member checks run', { default: true }),
  muted: boolean('Whether notifications are held back', { default: false }),
  tags,
  locations,
  concurrency: number('How many checks run at once when the group is triggered', { default: 3, minimum: 1 }),
  apiCheckDefaults,
  browserCheckDefaults: string('Base URL of the browser checks of the group'),
  runtimeId,
  environmentVariables,
  doubleCheck,
  useGlobalAlertSettings: boolean("Whether the account's alert settings apply instead of the group's", {
    default: true,
  }),
  alertSettings,
  alertChannelSubscriptions,
  setupSnippetId: snippetId('setup'),
  tearDownSnippetId: snippetId('teardown'),
  localSetupScript: localScript('setup'),
  localTearDownScript: localScript('teardown'),
  privateLocations,
  runParallel: boolean('Whether member checks run in all locations at once', { default: false }),
  retryStrategy: retryStrategyOrFallback,
};

/** Body of endpoint 1: no field is required. */
export const checkGroupBody = closed(allOptional(checkGroupFields), { title: 'CheckGroupRequest' });

/** Body of the newer form: a name is required, three settings are nullable, and the deprecated double check is off. */
export const checkGroupV2Body = closed(
  {
    ...allOptional({
      ...checkGroupFields,
      useGlobalAlertSettings: nullable(checkGroupFields.useGlobalAlertSettings),
      alertSettings: nullable(alertSettings),
      runParallel: nullable(checkGroupFields.runParallel),
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
    muted: optional(nullable(boolean('Whether notifications are held back'))),
    useGlobalAlertSettings: optional(nullable(boolean("Whether the account's alert settings apply"))),
    runParallel: optional(
      nullable(boolean('Whether member checks run in all locations at once', { default: false })),
    ),
    id: optional(number('Id of the group')),
    created_at: optional(date('When it was created')),
    updated_at: optional(nullable(dateTime('When it was last changed'))),
  },
  { title: 'CheckGroup' },
);
export type CheckGroup = Type.Static<typeof checkGroup>;
