/** What several resources have: alert settings, retry strategies, subscriptions, variables, assertions, times. */

import {
  COMPARISONS,
  ESCALATION_TYPES,
  LOCATIONS,
  RETRY_TYPES,
  RUNTIME_IDS,
  SEVERITIES,
} from '../enumerations.ts';
import { NAME_LIMIT, TAGS_LIMIT, TEXT_LIMIT, VALUE_LIMIT } from '../limits.ts';
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
  optional,
  string,
  Type,
} from '../schema.ts';

/** When a resource was made and changed. */
export const timestamps = {
  created_at: date('When it was created'),
  updated_at: optional(nullable(dateTime('When it was last changed'))),
};

const alertSettingsFields = allOptional({
  escalationType: oneOf(ESCALATION_TYPES, 'What escalates: failed runs or minutes of failing', {
    default: 'RUN_BASED',
    'x-gaps': ['enum', 'default'],
  }),
  runBasedEscalation: closed(
    allOptional({
      failedRunThreshold: number('Failed runs in a row before an alert', {
        minimum: 1,
        maximum: 5,
        'x-gaps': ['minimum', 'maximum'],
      }),
    }),
    { description: 'Escalation by failed runs' },
  ),
  timeBasedEscalation: closed(
    allOptional({
      minutesFailingThreshold: oneOfNumbers([5, 10, 15, 30], 'Minutes of failing before an alert', {
        'x-unit': 'minutes',
      }),
    }),
    { description: 'Escalation by minutes of failing', 'x-gaps': ['*'] },
  ),
  reminders: closed(
    allOptional({
      amount: oneOfNumbers(
        [0, 1, 2, 3, 4, 5, 100000],
        'How many reminders follow an alert; 100000: no limit',
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
      enabled: boolean('Whether a share of the locations must fail before an alert', {
        default: false,
        'x-gaps': ['default'],
      }),
      percentage: oneOfNumbers(
        [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
        'Share of the locations that must fail, in percent',
        { default: 10, 'x-unit': 'percent', 'x-gaps': ['enum', 'default'] },
      ),
    }),
    { description: 'How many of the locations of a parallel run must fail' },
  ),
});
export const alertSettings = closed(alertSettingsFields, {
  title: 'AlertSettings',
  description: 'When failures become alerts, and how often they are repeated',
});

const retryStrategyFields = allOptional({
  type: oneOf(RETRY_TYPES, 'How the pause grows from one attempt to the next', {
    default: 'FIXED',
    'x-gaps': ['*'],
  }),
  baseBackoffSeconds: number('Pause before the first retry, in seconds', {
    default: 60,
    minimum: 0,
    'x-unit': 'seconds',
    'x-gaps': ['default', 'minimum'],
  }),
  sameRegion: boolean('Whether retries run in the location of the first attempt', {
    default: true,
    'x-gaps': ['default'],
  }),
  maxRetries: number('How many retries at most', {
    default: 2,
    minimum: 1,
    maximum: 10,
    'x-gaps': ['default', 'minimum', 'maximum'],
  }),
  maxDurationSeconds: number('Time after which no retry starts any more, in seconds', {
    default: 600,
    minimum: 0,
    maximum: 600,
    'x-unit': 'seconds',
    'x-gaps': ['default', 'minimum', 'maximum'],
  }),
  onlyOn: array(
    oneOf(['NETWORK_ERROR'], 'A kind of failure that is retried'),
    'Retry only failures of these kinds',
    {
      'x-gaps': ['enum'],
    },
  ),
});
const retryStrategyObject = closed(retryStrategyFields, {
  title: 'RetryStrategy',
  description: 'How a failed run is tried again; null: never',
  'x-null': 'never',
});
/** A check's retry strategy. Null (no retries) is known from deployments only. */
export const retryStrategy = nullable(retryStrategyObject);
export type RetryStrategy = Type.Static<typeof retryStrategyObject>;
/** A group's retry strategy: as a check's, or FALLBACK (each check's own applies). One schema, so one message. */
export const retryStrategyOrFallback = Type.Unsafe<RetryStrategy | 'FALLBACK' | null>({
  ...retryStrategyObject,
  title: 'RetryStrategyOrFallback',
  type: ['object', 'string', 'null'],
  pattern: '^FALLBACK$',
  description: 'How a failed run is tried again; FALLBACK: as each check says; null: never',
});

export const triggerIncident = closed(
  allOptional({
    serviceId: string('The status page service that the incident concerns'),
    severity: oneOf(SEVERITIES, 'How bad the incident is', { 'x-gaps': ['*'] }),
    name: string('Name of the incident', NAME_LIMIT),
    description: string('First update of the incident', TEXT_LIMIT),
    notifySubscribers: boolean('Whether subscribers of the page are told'),
  }),
  { title: 'TriggerIncident', description: 'The incident that a failure opens and its recovery resolves' },
);

export const alertChannelSubscription = closed(
  { alertChannelId: number('The alert channel'), activated: boolean('Whether it is alerted') },
  { title: 'AlertChannelSubscription' },
);
export const alertChannelSubscriptions = array(alertChannelSubscription, 'Which alert channels are told');

const keyValueOption = Type.Object(
  allOptional({
    key: string('Name'),
    value: string('Value'),
    locked: boolean('Whether the value is hidden'),
  }),
);
/** The channels of a check, as the answers to its creation carry them. */
export const alertChannels = Type.Object(
  allOptional({
    email: Type.Object(allOptional({ address: string('Address') }), { description: 'E-mail' }),
    webhook: Type.Object(
      allOptional({
        url: string('Address'),
        name: string('Name'),
        method: string('HTTP method'),
        headers: array(keyValueOption, 'Headers'),
        queryParameters: array(keyValueOption, 'Query parameters'),
      }),
      { description: 'Webhook' },
    ),
    slack: Type.Object(allOptional({ url: string('Address') }), { description: 'Slack-type webhook' }),
    sms: Type.Object(allOptional({ number: string('Number'), name: string('Name') }), { description: 'SMS' }),
  }),
  { title: 'AlertChannels', description: 'The alert channels that are told' },
);

export const environmentVariable = closed(
  {
    key: string('Name of the variable', NAME_LIMIT),
    value: string('Its value', { writeOnly: true, ...VALUE_LIMIT }),
    locked: optional(boolean('Whether the value is hidden in lists')),
    secret: optional(boolean('Whether the value is never shown again')),
  },
  { title: 'EnvironmentVariable' },
);
export const environmentVariables = nullable(
  array(environmentVariable, 'Variables that the script sees', { maxItems: 100 }),
);

/** Assertions over sources that a check type knows. Their number is bounded, since each of them costs time. */
export const assertions = (sources: readonly string[], description: string) =>
  array(assertion(sources), description, { maxItems: 100, 'x-gaps': ['maxItems'] });

const assertion = (sources: readonly string[]) =>
  closed(
    {
      source: oneOf(sources, 'What is looked at', { 'x-gaps': ['enum'], 'x-values': 'sources' }),
      property: optional(
        string('Which part of it: a JSONPath or a header', { default: '', 'x-gaps': ['*'] }),
      ),
      comparison: oneOf(COMPARISONS, 'How it is compared', { 'x-gaps': ['enum'] }),
      target: optional(string('What it is compared with')),
      regex: optional(
        nullable(string('A regular expression that selects what is compared', { 'x-gaps': ['*'] })),
      ),
    },
    { 'x-gaps': ['required'] },
  );

export const keyValuePair = closed(
  { key: string('Name'), value: string('Value') },
  { title: 'KeyValuePair' },
);

export const locations = array(
  oneOf(LOCATIONS, 'A public location', { 'x-values': 'locations' }),
  'Public locations to run from',
);
export const privateLocations = nullable(
  array(string('Slug of a private location'), 'Private locations to run from'),
);
export const runtimeId = nullable(oneOf(RUNTIME_IDS, 'Runtime that scripts run on'));
export const tags = array(string('A label', NAME_LIMIT), 'Labels for organising and filtering', TAGS_LIMIT);
export const snippetId = (phase: string) =>
  nullable(number(`Snippet run in the ${phase} phase of API checks`));
export const localScript = (phase: string) =>
  nullable(string(`Node.js code for the ${phase} phase of API checks`));
export const doubleCheck = boolean('Run a failed check once more before it counts', {
  default: true,
  deprecated: true,
  'x-instead': 'retryStrategy',
});
export const description500 = nullable(string('What it is about', { maxLength: 500 }));
