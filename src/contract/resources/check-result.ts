/** Raw results of a check: the deprecated listing's record and its filters. Specification: Check result record. */
import { CHECK_TYPES, LOCATIONS, RESULT_TYPE_FILTERS, RESULT_TYPES } from '../enumerations.ts';
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

const typed = (type: string) => nullable(anyObject(`What ${type} checks record`));

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
      dnsCheckResult: nullable(
        anyObject('What DNS checks record: the answer and its assertions', { 'x-gaps': ['*'] }),
      ),
      errors: array(string('A message'), 'What went wrong, the most telling first', { 'x-gaps': ['*'] }),
      checkRunId: number('Id of the run that made it'),
      attempts: number('How many retries came before'),
      resultType: openOneOf(RESULT_TYPES, 'Final result or attempt'),
      sequenceId: nullable(string('What the attempts of one run have in common')),
      traceId: nullable(string('Trace of the run')),
      errorGroupIds: array(string('Id of an error group'), 'Error groups of the result'),
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
  location: oneOf(LOCATIONS, 'Only results of this location'),
  checkType: oneOf(CHECK_TYPES, 'Only results of this check type'),
  hasFailures: boolean('Only results with failures (or without)'),
  resultType: oneOf(RESULT_TYPE_FILTERS, 'Final results, attempts or both', {
    default: 'FINAL',
    'x-gaps': ['default'],
  }),
});
