/** Schemas that several resources share: alert settings, retry strategies, subscriptions, variables, assertions, times. */

import type { AssertionSource } from '../endpoint.ts';
import {
  COMPARISONS,
  ESCALATION_TYPES,
  LOCATIONS,
  RETRY_TYPES,
  RUNTIME_IDS,
  SEVERITIES,
} from '../enumerations.ts';
import {
  NAME_LIMIT,
  RESOURCE_NAME_LIMIT,
  TAGS_LIMIT,
  TEXT_LIMIT,
  VALUE_LIMIT,
  VARIABLE_KEY_LIMIT,
} from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  dateTime,
  nullable,
  number,
  oneOf,
  oneOfNumbers,
  open,
  optional,
  secret,
  set,
  string,
  Type,
  uuid,
} from '../schema.ts';

/** Times of creation and last change. */
export const timestamps = {
  created_at: date('Creation time'),
  updated_at: optional(nullable(dateTime('Time of the last change'))),
};

const alertSettingsFields = allOptional({
  escalationType: oneOf(ESCALATION_TYPES, 'Escalation type: by failed runs or by minutes of failure', {
    default: 'RUN_BASED',
    'x-gaps': ['enum', 'default'],
  }),
  runBasedEscalation: closed(
    allOptional({
      failedRunThreshold: number('Consecutive failed runs before an alert', {
        minimum: 1,
        maximum: 5,
        'x-gaps': ['minimum', 'maximum'],
      }),
    }),
    { description: 'Escalation by consecutive failed runs' },
  ),
  timeBasedEscalation: closed(
    allOptional({
      minutesFailingThreshold: oneOfNumbers([5, 10, 15, 30], 'Minutes of failure before an alert', {
        'x-unit': 'minutes',
      }),
    }),
    { description: 'Escalation by minutes of failure', 'x-gaps': ['*'] },
  ),
  reminders: closed(
    allOptional({
      amount: oneOfNumbers(
        [0, 1, 2, 3, 4, 5, 100000],
        'Maximum number of reminders after an alert; 100000: unlimited',
        {
          default: 0,
          'x-gaps': ['enum', 'default'],
        },
      ),
      interval: oneOfNumbers([1, 2, 3, 4, 5, 10, 15, 30], 'Minutes between reminders', {
        default: 5,
        'x-unit': 'minutes',
        'x-gaps': ['enum', 'default'],
      }),
    }),
    { description: 'Reminders after an alert' },
  ),
  parallelRunFailureThreshold: closed(
    allOptional({
      enabled: boolean('Whether a percentage of the locations must fail before an alert', {
        default: false,
        'x-gaps': ['default'],
      }),
      percentage: oneOfNumbers(
        [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
        'Percentage of the locations that must fail',
        { default: 10, 'x-unit': 'percent', 'x-gaps': ['enum', 'default'] },
      ),
    }),
    { description: 'Failure threshold for checks that run in parallel locations' },
  ),
});
export const alertSettings = closed(alertSettingsFields, {
  title: 'AlertSettings',
  description: 'Alert escalation and reminders',
});

const retryStrategyFields = allOptional({
  type: oneOf(RETRY_TYPES, 'Backoff strategy', {
    default: 'FIXED',
    'x-sent': 'FIXED',
    'x-gaps': ['*'],
  }),
  baseBackoffSeconds: number('Backoff before the first retry, in seconds', {
    default: 60,
    minimum: 0,
    'x-unit': 'seconds',
    'x-gaps': ['default', 'minimum'],
  }),
  sameRegion: boolean('Whether retries run in the same location as the first attempt', {
    default: true,
    'x-gaps': ['default'],
  }),
  maxRetries: number('Maximum number of retries', {
    default: 2,
    minimum: 1,
    maximum: 10,
    'x-gaps': ['default', 'minimum', 'maximum'],
  }),
  maxDurationSeconds: number('Time after which no further retry starts, in seconds', {
    default: 600,
    minimum: 0,
    maximum: 600,
    'x-unit': 'seconds',
    'x-gaps': ['default', 'minimum', 'maximum'],
  }),
  onlyOn: set(
    oneOf(['NETWORK_ERROR'], 'Kind of failure to retry'),
    'Kinds of failure to retry; default: all',
    {
      'x-gaps': ['enum'],
    },
  ),
});
const retryStrategyObject = closed(retryStrategyFields, {
  title: 'RetryStrategy',
  description: 'Retry strategy for failed runs; null: no retries',
  'x-null': 'never',
});
/** Retry strategy of a check. Only deployments, not the specification, allow null (no retries). */
export const retryStrategy = nullable(retryStrategyObject);
export type RetryStrategy = Type.Static<typeof retryStrategyObject>;
/** Retry strategy of a group: as of a check, or FALLBACK (each check uses its own). One schema, so that errors are one message. */
export const retryStrategyOrFallback = Type.Unsafe<RetryStrategy | 'FALLBACK' | null>({
  ...retryStrategyObject,
  title: 'RetryStrategyOrFallback',
  type: ['object', 'string', 'null'],
  pattern: '^FALLBACK$',
  description: "Retry strategy for failed runs; FALLBACK: each check's own strategy; null: no retries",
});

export const triggerIncident = nullable(
  closed(
    allOptional({
      serviceId: string('ID of the affected status page service'),
      severity: oneOf(SEVERITIES, 'Severity of the incident', { 'x-gaps': ['*'] }),
      name: string('Name of the incident', RESOURCE_NAME_LIMIT),
      description: string('Text of the first incident update', TEXT_LIMIT),
      notifySubscribers: boolean('Whether subscribers of the page are notified', {
        default: false,
        'x-sent': false,
        'x-gaps': ['default'],
      }),
    }),
    {
      title: 'TriggerIncident',
      description: 'Incident to open on failure and resolve on recovery',
    },
  ),
);

export const alertChannelSubscription = closed(
  {
    alertChannelId: number('ID of the alert channel'),
    activated: boolean('Whether the subscription is active'),
  },
  { title: 'AlertChannelSubscription' },
);
export const alertChannelSubscriptions = array(alertChannelSubscription, 'Subscriptions to alert channels');

const keyValueOption = Type.Object(
  allOptional({
    key: string('Name'),
    value: secret('omitted', 'Value'),
    locked: boolean('Whether lists hide the value'),
  }),
);
/** Alert channels of a check in responses. */
export const alertChannels = Type.Object(
  allOptional({
    email: array(open(allOptional({ address: string('E-mail address') })), 'E-mail'),
    webhook: array(
      open(
        allOptional({
          url: secret('masked', 'URL'),
          name: string('Name'),
          method: string('HTTP method'),
          headers: array(keyValueOption, 'Headers'),
          queryParameters: array(keyValueOption, 'Query parameters'),
        }),
      ),
      'Webhooks',
    ),
    slack: array(open(allOptional({ url: secret('masked', 'URL') })), 'Slack-compatible webhooks'),
    sms: array(open(allOptional({ number: string('Phone number'), name: string('Name') })), 'SMS'),
  }),
  { title: 'AlertChannels', description: 'Subscribed active alert channels by type' },
);

export const environmentVariable = closed(
  {
    key: string('Name of the variable', VARIABLE_KEY_LIMIT),
    value: secret('emptied', 'Value of the variable', VALUE_LIMIT),
    locked: optional(boolean('Whether lists hide the value')),
    secret: optional(boolean('Whether the value is write-only')),
  },
  { title: 'EnvironmentVariable' },
);
export const environmentVariables = nullable(
  array(environmentVariable, 'Environment variables', { maxItems: 100 }),
);

/** Assertions over the sources of a check type. Their number is limited because each costs time. */
export const assertions = (sources: Readonly<Record<string, AssertionSource>>, description: string) =>
  array(assertion(Object.keys(sources)), description, { maxItems: 100, 'x-gaps': ['maxItems'] });

const assertion = (sources: readonly string[]) =>
  closed(
    {
      source: oneOf(sources, 'Source of the value to check', { 'x-gaps': ['enum'], 'x-values': 'sources' }),
      property: optional(
        string('Property of the source: a JSONPath or a header name', {
          default: '',
          ...TEXT_LIMIT,
          'x-gaps': ['*'],
        }),
      ),
      comparison: oneOf(COMPARISONS, 'Comparison operator', { 'x-gaps': ['enum'] }),
      target: optional(string('Expected value', TEXT_LIMIT)),
      regex: optional(
        nullable(
          string('Regular expression that extracts the part to compare', { ...TEXT_LIMIT, 'x-gaps': ['*'] }),
        ),
      ),
    },
    { 'x-gaps': ['required'] },
  );

/** A header or query parameter. The specification names `locked` only for requests of API checks and webhooks. */
export const keyValuePair = closed(
  {
    key: string('Name'),
    value: secret('emptied', 'Value'),
    locked: optional(boolean('Whether responses omit the value')),
  },
  { title: 'KeyValuePair' },
);

export const locations = set(
  oneOf(LOCATIONS, 'Public location', { 'x-values': 'locations' }),
  'Public locations to run from',
);
export const dependsOn = set(
  uuid('ID of a check'),
  'Checks that this check depends on: while one of them fails, this check sends no alerts',
  { maxItems: 20, uniqueItems: true, 'x-gaps': ['*'] },
);
export const privateLocations = nullable(
  set(string('Slug of a private location'), 'Private locations to run from'),
);
export const runtimeId = nullable(oneOf(RUNTIME_IDS, 'Runtime for scripts', { 'x-unset': '' }));
export const tags = set(string('Tag', NAME_LIMIT), 'Tags for organizing and filtering', TAGS_LIMIT);
export const snippetId = (phase: string) =>
  nullable(number(`ID of the snippet to run in the ${phase} phase of API checks`, { 'x-unset': 0 }));
export const localScript = (phase: string) =>
  nullable(string(`Node.js code to run in the ${phase} phase of API checks`));
export const doubleCheck = boolean('Whether a failed check is retried once before it counts as failed', {
  default: true,
  deprecated: true,
  'x-instead': 'retryStrategy',
});
export const description500 = nullable(string('Description', { maxLength: 500 }));
