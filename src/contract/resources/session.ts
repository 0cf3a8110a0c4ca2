/** Check sessions and test sessions. Specification: Check session, Test session. */
import {
  CHECK_SESSION_STATUSES,
  CHECK_TYPES,
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
  hasErrors: boolean('Whether the monitor itself failed'),
  hasFailures: boolean('Whether the target failed'),
  isDegraded: boolean('Whether it was slower than degradedResponseTime'),
  aborted: boolean('Whether it was broken off'),
};
const resultType = nullable(openOneOf(RESULT_TYPES, 'Final result or attempt', { 'x-gaps': ['*'] }));
const checkTypeField = openOneOf(CHECK_TYPES, 'Type of the check');

const checkSessionResult = open(
  allOptional({
    checkResultId: uuid('Id of the result'),
    checkResultLink: string('Where a person reads it'),
    checkId: uuid('Check that ran'),
    name: string('Name of the check'),
    runLocation: string('Where it ran'),
    ...resultFlags,
    isCancelled: boolean('Whether it was cancelled'),
    checkType: checkTypeField,
    resultType,
  }),
  { title: 'CheckSessionResult' },
);
export type CheckSessionResult = Type.Static<typeof checkSessionResult>;

const startedSessionFields = {
  checkSessionId: uuid('Id of the session'),
  checkSessionLink: optional(string('Where a person reads it')),
  checkId: uuid('Check that ran'),
  checkType: checkTypeField,
  status: openOneOf(CHECK_SESSION_STATUSES, 'State of the session'),
  startedAt: dateTime('When it started'),
  stoppedAt: nullable(dateTime('When it ended')),
  timeElapsed: number('Milliseconds since the start, up to the end', { 'x-unit': 'ms' }),
  runLocations: array(string('A location'), 'Where it runs'),
  runSource: nullable(openOneOf(RUN_SOURCES, 'What started it')),
  name: optional(string('Name of the check')),
};

/** A session as endpoint 8 answers it. */
export const checkSession = open(
  { ...startedSessionFields, results: array(checkSessionResult, 'One a location and attempt') },
  { title: 'CheckSession' },
);
export type CheckSession = Type.Static<typeof checkSession>;
/** A session as endpoint 9 answers it: ended. */
export const completedCheckSession = open(
  {
    ...startedSessionFields,
    status: openOneOf(TERMINAL_CHECK_SESSION_STATUSES, 'How the session ended'),
    stoppedAt: dateTime('When it ended'),
    results: array(checkSessionResult, 'One a location and attempt'),
  },
  { title: 'CompletedCheckSession' },
);
/** A session as starting it answers: no results yet. */
export const startedCheckSession = open(startedSessionFields, { title: 'StartedCheckSession' });

const metadataFields = allOptional({
  environment: string('Environment that was tested'),
  repoUrl: string('Address of the repository'),
  commitId: string('Commit that was tested'),
  commitOwner: string('Who made it'),
  commitMessage: string('What it says'),
  branchName: string('Its branch'),
});
/** Where a test session came from, as a request names it. */
export const testSessionMetadata = closed(metadataFields, {
  title: 'TestSessionMetadata',
  description: 'What was tested',
});

export const testSession = open(
  {
    testSessionId: uuid('Id of the session'),
    testSessionLink: optional(string('Where a person reads it')),
    name: string('Name of the session'),
    status: openOneOf(TEST_SESSION_STATUSES, 'State of the session'),
    runSource: optional(
      nullable(openOneOf(RUN_SOURCES, 'What started it, and whether it is recorded', { 'x-gaps': ['*'] })),
    ),
    errorGroupIds: array(uuid('Id of an error group'), 'Error groups seen in the session'),
    startedAt: dateTime('When it started'),
    timeElapsed: number('Milliseconds since the start, up to the end', { 'x-unit': 'ms' }),
    stoppedAt: optional(nullable(dateTime('When it ended'))),
    metadata: optional(open(metadataFields, { description: 'What was tested' })),
    results: optional(
      array(
        open(
          allOptional({
            testSessionResultId: uuid('Id of the result'),
            testSessionResultLink: string('Where a person reads it'),
            errorGroupIds: array(uuid('Id of an error group'), 'Error groups of the result'),
            ...resultFlags,
            checkId: nullable(uuid('Check that ran')),
            name: string('Name of the check'),
            runLocation: string('Where it ran'),
            checkType: openOneOf(CHECK_TYPES, 'Type of the check', { 'x-gaps': ['*'] }),
            status: openOneOf(TEST_SESSION_STATUSES, 'State of the result', { 'x-gaps': ['*'] }),
            resultType,
            errors: array(string('A message'), 'What went wrong, the most telling first', {
              'x-gaps': ['*'],
            }),
            playwrightCheckResult: anyObject(
              'Of a suite: its tests, how many came to what, and what it left',
              {
                'x-gaps': ['*'],
              },
            ),
          }),
          { title: 'TestSessionResult' },
        ),
        'One a check and attempt',
      ),
    ),
  },
  { title: 'TestSession' },
);
export type TestSession = Type.Static<typeof testSession>;
