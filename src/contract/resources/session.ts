/** Schemas of check sessions and test sessions. Specification: Check session, Test session. */
import { CHECK_TYPE_NAMES } from '../check-types.ts';
import {
  CHECK_SESSION_STATUSES,
  RESULT_TYPES,
  RUN_SOURCES,
  TERMINAL_CHECK_SESSION_STATUSES,
  TEST_SESSION_STATUSES,
} from '../enumerations.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  dateTime,
  nullable,
  number,
  open,
  openOneOf,
  optional,
  string,
  type Type,
  uuid,
} from '../schema.ts';

const resultFlags = {
  hasErrors: boolean('Whether a monitor error occurred'),
  hasFailures: boolean('Whether the target failed'),
  isDegraded: boolean('Whether the response was slower than degradedResponseTime'),
  aborted: boolean('Whether the run was aborted'),
};
const resultType = nullable(openOneOf(RESULT_TYPES, 'Final result or attempt', { 'x-gaps': ['*'] }));
const resultTimes = {
  responseTime: nullable(number('Response time in milliseconds', { 'x-unit': 'ms', 'x-gaps': ['*'] })),
  startedAt: nullable(dateTime('Start time of the run', { 'x-gaps': ['*'] })),
  stoppedAt: nullable(dateTime('End time of the run', { 'x-gaps': ['*'] })),
};
const checkTypeField = openOneOf(CHECK_TYPE_NAMES, 'Type of the check');

const checkSessionResult = open(
  allOptional({
    checkResultId: uuid('ID of the result'),
    checkResultLink: string('Web address of the result'),
    checkId: uuid('ID of the check'),
    name: string('Name of the check'),
    runLocation: string('Location of the run'),
    ...resultFlags,
    isCancelled: boolean('Whether the run was cancelled'),
    checkType: checkTypeField,
    resultType,
    ...resultTimes,
  }),
  { title: 'CheckSessionResult' },
);
export type CheckSessionResult = Type.Static<typeof checkSessionResult>;

const startedSessionFields = {
  checkSessionId: uuid('ID of the session'),
  checkSessionLink: optional(string('Web address of the session')),
  checkId: uuid('ID of the check'),
  checkType: checkTypeField,
  status: openOneOf(CHECK_SESSION_STATUSES, 'State of the session'),
  startedAt: dateTime('Start time'),
  stoppedAt: nullable(dateTime('End time')),
  timeElapsed: number('Elapsed time in milliseconds', { 'x-unit': 'ms' }),
  runLocations: array(string('Location'), 'Locations of the session'),
  runSource: nullable(openOneOf(RUN_SOURCES, 'Source of the session')),
  name: optional(string('Name of the check')),
};

/** A session as endpoint 8 returns it. */
export const checkSession = open(
  { ...startedSessionFields, results: array(checkSessionResult, 'Results: one per location and attempt') },
  { title: 'CheckSession' },
);
export type CheckSession = Type.Static<typeof checkSession>;
/** An ended session as endpoint 9 returns it. */
export const completedCheckSession = open(
  {
    ...startedSessionFields,
    status: openOneOf(TERMINAL_CHECK_SESSION_STATUSES, 'Final state of the session'),
    stoppedAt: dateTime('End time'),
    results: array(checkSessionResult, 'Results: one per location and attempt'),
  },
  { title: 'CompletedCheckSession' },
);
/** A session as the start request returns it, without results. */
export const startedCheckSession = open(startedSessionFields, { title: 'StartedCheckSession' });

const metadataFields = allOptional({
  environment: string('Environment under test'),
  repoUrl: string('URL of the repository'),
  commitId: string('Commit under test'),
  commitOwner: string('Author of the commit'),
  commitMessage: string('Commit message'),
  branchName: string('Branch of the commit'),
});
/** Origin of a test session in a request. */
export const testSessionMetadata = closed(metadataFields, {
  title: 'TestSessionMetadata',
  description: 'Environment and commit under test',
});

export const testSession = open(
  {
    testSessionId: uuid('ID of the session'),
    testSessionLink: optional(string('Web address of the session')),
    name: string('Name of the session'),
    status: openOneOf(TEST_SESSION_STATUSES, 'State of the session'),
    runSource: optional(
      nullable(
        openOneOf(RUN_SOURCES, 'Source of the session, including whether it is recorded', {
          'x-gaps': ['*'],
        }),
      ),
    ),
    errorGroupIds: array(uuid('ID of an error group'), 'Error groups of the session'),
    startedAt: dateTime('Start time'),
    timeElapsed: number('Elapsed time in milliseconds', { 'x-unit': 'ms' }),
    stoppedAt: optional(nullable(dateTime('End time'))),
    metadata: optional(open(metadataFields, { description: 'Environment and commit under test' })),
    results: optional(
      array(
        open(
          allOptional({
            testSessionResultId: uuid('ID of the result'),
            testSessionResultLink: string('Web address of the result'),
            errorGroupIds: array(uuid('ID of an error group'), 'Error groups of the result'),
            ...resultFlags,
            checkId: nullable(uuid('ID of the check')),
            name: string('Name of the check'),
            runLocation: string('Location of the run'),
            checkType: openOneOf(CHECK_TYPE_NAMES, 'Type of the check', { 'x-gaps': ['*'] }),
            status: openOneOf(TEST_SESSION_STATUSES, 'State of the result', { 'x-gaps': ['*'] }),
            resultType,
            ...resultTimes,
            errors: array(string('Error message'), 'Error messages, most relevant first', {
              'x-gaps': ['*'],
            }),
            playwrightCheckResult: anyObject(
              'Result of a Playwright suite: tests, counts by outcome, and artifacts',
              {
                'x-gaps': ['*'],
              },
            ),
          }),
          { title: 'TestSessionResult' },
        ),
        'Results: one per check and attempt',
      ),
    ),
  },
  { title: 'TestSession' },
);
export type TestSession = Type.Static<typeof testSession>;
