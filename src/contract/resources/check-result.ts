/** Raw results of a check: the deprecated listing's record and its filters. Specification: Check result record. */
import { CHECK_TYPES, RESULT_TYPE_FILTERS, RESULT_TYPES } from '../enumerations.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  string,
  type Type,
  uuid,
} from '../schema.ts';

function milliseconds<const N extends string>(names: Readonly<Record<N, string>>) {
  const entries = Object.entries<string>(names).map(([name, text]) => [
    name,
    number(text, { 'x-unit': 'ms' }),
  ]);
  return Object.fromEntries(entries) as Record<N, ReturnType<typeof number>>;
}

const typed = (type: string) => nullable(anyObject(`What ${type} checks record`));
const uptime = (type: string, what: string) =>
  nullable(anyObject(`What ${type} checks record: ${what}`, { 'x-gaps': ['*'] }));

export const checkResult = open(
  {
    id: uuid('Id of the result'),
    name: string('Name of the check'),
    checkId: string('The check'),
    hasFailures: boolean('Whether the target failed: assertion, time-out or script'),
    hasErrors: boolean('Whether the monitor itself failed'),
    isDegraded: boolean('Whether it was slower than degradedResponseTime'),
    ...allOptional({
      isCancelled: boolean('Whether it was cancelled'),
      overMaxResponseTime: boolean('Whether it was slower than maxResponseTime'),
      runLocation: string('Where it ran'),
      startedAt: dateTime('When it started'),
      stoppedAt: dateTime('When it ended'),
      created_at: dateTime('When it was stored'),
      responseTime: nullable(number('Milliseconds that the relevant part took', { 'x-unit': 'ms' })),
      apiCheckResult: typed('API'),
      browserCheckResult: typed('browser'),
      multiStepCheckResult: typed('multi-step'),
      agenticCheckResult: typed('agentic'),
      playwrightCheckResult: typed('Playwright'),
      dnsCheckResult: uptime('DNS', 'the answer and its assertions'),
      urlCheckResult: uptime('URL', 'the answer and its assertions'),
      tcpCheckResult: uptime('TCP', 'what was received and its assertions'),
      icmpCheckResult: uptime('ICMP', 'the replies and their assertions'),
      heartbeatCheckResult: uptime('heartbeat', 'the ping that came, or was due'),
      errors: array(string('A message'), 'What went wrong, the most telling first', { 'x-gaps': ['*'] }),
      checkRunId: number('Id of the run that made it'),
      attempts: number('How many retries came before'),
      resultType: openOneOf(RESULT_TYPES, 'Final result or attempt'),
      sequenceId: nullable(string('What the attempts of one run have in common')),
      traceId: nullable(string('Trace of the run')),
      errorGroupIds: array(
        string('Id of an error group'),
        'Error groups of the result: several where several tests failed, at most 10',
      ),
    }),
  },
  { title: 'CheckResult' },
);
export type CheckResult = Type.Static<typeof checkResult>;

/** What both listings filter by. The window is at most 6 hours (specification, endpoint 20, rule 8). */
export const resultFilters = allOptional({
  limit: integer('How many to list', { minimum: 1, maximum: 100, default: 10 }),
  from: integer('Only results from then on, UNIX time in seconds, inclusive', {
    minimum: 0,
    'x-unit': 'seconds',
  }),
  to: integer('Only results before then, UNIX time in seconds, exclusive', {
    minimum: 0,
    'x-unit': 'seconds',
  }),
  location: string('Only results of this location, public or private', { minLength: 1 }),
  checkType: oneOf(CHECK_TYPES, 'Only results of this check type'),
  hasFailures: boolean('Only results with failures (or without)'),
  resultType: oneOf(RESULT_TYPE_FILTERS, 'Final results, attempts or both', {
    default: 'FINAL',
    'x-gaps': ['default'],
  }),
});

const ROLL_UP_PERIODS = ['HOUR', 'DAY'] as const;

/** What the final results of a check in one location came to over an hour or a day of UTC. */
export const rollUp = open(
  {
    period: openOneOf(ROLL_UP_PERIODS, 'An hour or a day, of UTC'),
    startsAt: dateTime('Its first instant'),
    endsAt: dateTime('The first instant after it'),
    location: string('Where they ran'),
    passed: integer('How many were good'),
    degraded: integer('How many were good, and slower than degradedResponseTime'),
    failed: integer('How many found that the target failed'),
    errors: integer("How many had no answer by the monitor's own fault"),
    cancelled: integer('How many were cancelled'),
    responseTime: nullable(
      open(
        {
          count: integer('How many were measured'),
          ...milliseconds({ min: 'Least', avg: 'Mean', max: 'Most' }),
          ...milliseconds({ p50: 'Median, within 1 %', p95: '95th percentile, within 1 %' }),
        },
        {
          description:
            'Response times of those that passed, degraded or failed; null where none was measured',
        },
      ),
    ),
  },
  { title: 'RollUp' },
);

/** What the list of roll-ups filters by. */
export const rollUpFilters = allOptional({
  period: oneOf(ROLL_UP_PERIODS, 'By hour or by day, of UTC', { default: 'HOUR' }),
  from: integer('Only periods that start from then on, UNIX time in seconds', {
    minimum: 0,
    'x-unit': 'seconds',
  }),
  to: integer('Only periods that start before then, UNIX time in seconds', {
    minimum: 0,
    'x-unit': 'seconds',
  }),
  location: string('Only what ran in this location, public or private', { minLength: 1 }),
});
