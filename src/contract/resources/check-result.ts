/** Schemas of check results, and the filters of their listings. Specification: Check result record. */
import { CHECK_TYPE_NAMES, CHECK_TYPE_ROWS, resultFieldOf } from '../check-types.ts';
import { RESULT_TYPE_FILTERS, RESULT_TYPES } from '../enumerations.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  date,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  type Type,
  unixSeconds,
  uuid,
} from '../schema.ts';

function milliseconds<const N extends string>(names: Readonly<Record<N, string>>) {
  const entries = Object.entries<string>(names).map(([name, text]) => [
    name,
    number(text, { 'x-unit': 'ms' }),
  ]);
  return Object.fromEntries(entries) as Record<N, ReturnType<typeof number>>;
}

const typed = (type: string) => nullable(anyObject(`Details of ${type} checks`));
/** Fields of the types that have none in the specification. */
const ownResultFields = Object.fromEntries(
  CHECK_TYPE_ROWS.flatMap(([, row]) =>
    row.result === undefined
      ? []
      : [
          [
            resultFieldOf(row),
            nullable(anyObject(`Details of ${row.label} checks: ${row.result}`, { 'x-gaps': ['*'] })),
          ],
        ],
  ),
);

export const checkResult = open(
  {
    id: uuid('ID of the result'),
    name: string('Name of the check'),
    checkId: string('ID of the check'),
    hasFailures: boolean('Whether the target failed: assertion, timeout or script'),
    hasErrors: boolean('Whether a monitor error occurred'),
    isDegraded: boolean('Whether the response was slower than degradedResponseTime'),
    ...allOptional({
      isCancelled: boolean('Whether the run was cancelled'),
      overMaxResponseTime: boolean('Whether the response was slower than maxResponseTime'),
      runLocation: string('Location of the run'),
      startedAt: dateTime('Start time'),
      stoppedAt: dateTime('End time'),
      created_at: dateTime('Time at which the result was stored'),
      responseTime: nullable(number('Response time in milliseconds', { 'x-unit': 'ms' })),
      apiCheckResult: typed('API'),
      browserCheckResult: typed('browser'),
      multiStepCheckResult: typed('multi-step'),
      agenticCheckResult: typed('agentic'),
      playwrightCheckResult: typed('Playwright'),
      ...ownResultFields,
      errors: array(string('Error message'), 'Error messages, most relevant first', { 'x-gaps': ['*'] }),
      checkRunId: number('ID of the check run'),
      attempts: number('Number of preceding retries'),
      resultType: openOneOf(RESULT_TYPES, 'Final result or attempt'),
      sequenceId: nullable(string('ID shared by all attempts of a run')),
      traceId: nullable(string('Trace ID of the run')),
      errorGroupIds: array(
        string('ID of an error group'),
        'Error groups of the result, at most 10: several if several tests failed',
      ),
    }),
  },
  { title: 'CheckResult' },
);
export type CheckResult = Type.Static<typeof checkResult>;

/** Fields that a list of results selects: those of results, and published ones that no result of this service has. */
export const RESULT_FIELDS = [
  ...Object.keys(checkResult.properties),
  'createdAt',
  'overMaxResponseTime',
  'multiStepCheckResult',
  'tracerouteCheckResult',
  'grpcCheckResult',
].filter((name, index, all) => all.indexOf(name) === index);

/** Filters of both listings. The time range is at most 6 hours (specification, endpoint 20, rule 8). */
export const resultFilters = allOptional({
  limit: integer('Maximum number of items per page', { minimum: 1, maximum: 100, default: 10 }),
  from: unixSeconds('Only results at or after this time, in Unix seconds'),
  to: unixSeconds('Only results before this time, in Unix seconds'),
  location: string('Only results from this public or private location', { minLength: 1 }),
  checkType: oneOf(CHECK_TYPE_NAMES, 'Only results of this check type'),
  hasFailures: boolean('Whether to list only results with failures (true) or without (false)'),
  resultType: oneOf(RESULT_TYPE_FILTERS, 'Results to list: final results, attempts or both', {
    default: 'FINAL',
    'x-gaps': ['default'],
  }),
});

const ROLL_UP_PERIODS = ['HOUR', 'DAY'] as const;

/** Roll-up of the final results of a check in one location over an hour or a day of UTC. */
export const rollUp = open(
  {
    period: openOneOf(ROLL_UP_PERIODS, 'Period in UTC: an hour or a day'),
    startsAt: dateTime('Start of the period, inclusive'),
    endsAt: dateTime('End of the period, exclusive'),
    location: string('Location of the runs'),
    passed: integer('Number of passed results'),
    degraded: integer('Number of passed results slower than degradedResponseTime'),
    failed: integer('Number of failed results'),
    errors: integer('Number of results with a monitor error'),
    cancelled: integer('Number of cancelled results'),
    responseTime: nullable(
      open(
        {
          count: integer('Number of measurements'),
          ...milliseconds({ min: 'Minimum', avg: 'Mean', max: 'Maximum' }),
          ...milliseconds({ p50: 'Median, accurate to 1 %', p95: '95th percentile, accurate to 1 %' }),
        },
        {
          description: 'Response times of passed, degraded and failed results; null: none measured',
        },
      ),
    ),
  },
  { title: 'RollUp' },
);

/** Filters of the list of roll-ups. */
export const rollUpFilters = allOptional({
  period: oneOf(ROLL_UP_PERIODS, 'Length of the periods in UTC: an hour or a day', { default: 'HOUR' }),
  from: unixSeconds('Only periods that start at or after this time, in Unix seconds'),
  to: unixSeconds('Only periods that start before this time, in Unix seconds'),
  location: string('Only results from this public or private location', { minLength: 1 }),
});

const errorGroupFields = {
  id: string('ID of the error group'),
  checkId: string('ID of the check that failed'),
  errorHash: string('Hash of the normalized message'),
  rawErrorMessage: nullable(string('Original error message of a result')),
  cleanedErrorMessage: string('Normalized error message, without parts that vary between runs'),
  firstSeen: date('Time of the first occurrence'),
  lastSeen: date('Time of the last occurrence'),
  archivedUntilNextEvent: boolean('Whether the group is archived until the error recurs'),
  archiveForEver: optional(boolean('Whether the group is archived permanently', { 'x-gaps': ['*'] })),
  rootCauseAnalyses: optional(array(anyObject('Root cause analysis'), 'Root cause analyses')),
};
export const errorGroup = open(errorGroupFields, { title: 'ErrorGroup' });
export type ErrorGroup = Type.Static<typeof errorGroup>;

/** An error group as test sessions have seen it; its times are those of their failures. */
export const testErrorGroup = open(
  {
    ...errorGroupFields,
    projectId: nullable(uuid('ID of the project; null: none')),
    environments: nullable(array(string('Environment'), 'Environments of the test sessions with the error')),
    pwtMetadata: nullable(
      array(anyObject('Playwright test'), 'Playwright tests with the error; null: unknown'),
    ),
  },
  { title: 'TestSessionErrorGroup' },
);

/** Body of endpoint 11. */
export const errorGroupChange = closed(
  allOptional({
    archiveForEver: boolean('Whether to archive the group permanently; false: unarchive'),
    archivedUntilNextEvent: boolean('Whether to archive the group until the error recurs; false: unarchive'),
  }),
  { title: 'ErrorGroupChange' },
);
