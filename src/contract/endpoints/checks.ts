/** Neighbours: checks of any type, starting and reading what they did. */

import { CHECK_SESSION_STATUSES, CHECK_TYPES, LOCATIONS } from '../enumerations.ts';
import { NAME_LIMIT } from '../limits.ts';
import { checkResult, resultFilters, rollUp, rollUpFilters } from '../resources/check-result.ts';
import { anyCheck, anyCheckBody } from '../resources/checks/any.ts';
import { suiteOfTest } from '../resources/checks/playwright.ts';
import { checkSession, startedCheckSession, testSession, testSessionMetadata } from '../resources/session.ts';
import { environmentVariable, retryStrategy } from '../resources/shared.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  nullable,
  oneOf,
  optional,
  string,
  Type,
  uuid,
} from '../schema.ts';
import { cursorPage, cursorQuery, define, pageQuery } from './define.ts';

const resource = 'checks';
const id = { id: uuid('Id of the check') };

export const listChecks = define({
  name: 'listChecks',
  method: 'GET',
  path: '/v1/checks',
  summary: 'List checks',
  resource,
  query: {
    ...pageQuery,
    ...allOptional({
      tag: string('Only checks with this tag'),
      checkType: oneOf(CHECK_TYPES, 'Only checks of this type'),
      search: string('Only checks whose name contains this text, or whose ID begins with it', NAME_LIMIT),
      status: oneOf(['passing', 'failing', 'degraded'], 'Only checks whose last result was so'),
    }),
  },
  response: Type.Array(anyCheck),
  paging: 'page',
});
export const createCheck = define({
  name: 'createCheck',
  method: 'POST',
  path: '/v1/checks',
  summary: 'Create a check of the type that the body names',
  resource,
  query: allOptional({
    autoAssignAlerts: boolean('Whether it is subscribed to all existing alert channels', { default: true }),
  }),
  body: anyCheckBody,
  response: anyCheck,
  status: 201,
});
export const getCheck = define({
  name: 'getCheck',
  method: 'GET',
  path: '/v1/checks/{id}',
  summary: 'Read a check',
  resource,
  params: id,
  response: anyCheck,
});
export const updateCheck = define({
  name: 'updateCheck',
  method: 'PUT',
  path: '/v1/checks/{id}',
  summary: 'Change a check of any type',
  resource,
  params: id,
  body: anyCheckBody,
  response: anyCheck,
});
export const deleteCheck = define({
  name: 'deleteCheck',
  method: 'DELETE',
  path: '/v1/checks/{id}',
  summary: 'Delete a check and all that it recorded',
  resource,
  params: id,
});

export const listCheckResults = define({
  name: 'listCheckResults',
  method: 'GET',
  path: '/v2/check-results/{checkId}',
  summary: 'List raw results of a check',
  resource: 'check results',
  params: { checkId: string('Id of the check') },
  query: { ...resultFilters, nextId: cursorQuery.nextId },
  response: cursorPage(checkResult),
  paging: 'cursor',
  rules: ['resultWindow'],
});

export const listCheckRollUps = define({
  name: 'listCheckRollUps',
  method: 'GET',
  path: '/v1/check-results/{checkId}/rollups',
  summary: 'List what the results of a check came to by hour or day, kept for ever',
  resource: 'check results',
  params: { checkId: string('Id of the check') },
  query: { ...rollUpFilters, ...cursorQuery },
  response: cursorPage(rollUp),
  paging: 'cursor',
});

const targetFields = allOptional({
  checkId: array(uuid('Id of a check'), 'Checks by id', { minItems: 1 }),
  matchTags: array(
    array(
      string('A tag; `!tag`: without it', { minLength: 1, maxLength: 256, 'x-gaps': ['maxLength'] }),
      'All of these',
      { minItems: 1, maxItems: 50, 'x-gaps': ['maxItems'] },
    ),
    'Checks by tag: any of these, each all of its tags',
    { minItems: 1, maxItems: 20, 'x-gaps': ['maxItems'] },
  ),
});
const TARGET = { description: 'Which checks run; left out: all that are activated' };
const target = closed(targetFields, TARGET);
const testTarget = closed(
  {
    ...targetFields,
    ...allOptional({ allowDeactivated: boolean('Whether deactivated checks run too', { default: false }) }),
  },
  TARGET,
);
const refreshCache = optional(boolean('Whether caches of dependencies are left aside', { default: false }));

export const triggerCheckSessions = define({
  name: 'triggerCheckSessions',
  method: 'POST',
  path: '/v2/check-sessions/trigger',
  summary: 'Start a session of each matching check',
  resource: 'check sessions',
  body: closed({ target: optional(target), refreshCache }, { title: 'TriggerCheckSessionsRequest' }),
  response: Type.Object({ sessions: Type.Array(startedCheckSession) }),
  status: 201,
});
export const listCheckSessions = define({
  name: 'listCheckSessions',
  method: 'GET',
  path: '/v2/check-sessions',
  summary: 'List check sessions, the newest first',
  resource: 'check sessions',
  query: {
    ...cursorQuery,
    ...allOptional({
      checkId: uuid('Only sessions of this check'),
      status: oneOf(CHECK_SESSION_STATUSES, 'Only sessions in this state'),
      search: string('Only sessions whose ID begins with this text, of at least 4 characters', NAME_LIMIT),
    }),
  },
  response: cursorPage(checkSession),
  paging: 'cursor',
});
export const cancelCheckSession = define({
  name: 'cancelCheckSession',
  method: 'POST',
  path: '/v1/check-sessions/{id}/cancel',
  summary: 'Cancel a running check session',
  resource: 'check sessions',
  params: { id: uuid('Id of the session') },
  safeToRetry: true,
});

const testSessionId = { testSessionId: uuid('Id of the test session') };
export const triggerTestSessions = define({
  name: 'triggerTestSessions',
  method: 'POST',
  path: '/v1/test-sessions/trigger',
  summary: 'Run checks, or a Playwright suite that was sent, as a test, without alerts',
  resource: 'test sessions',
  body: closed(
    {
      name: string('Name of the test session', { minLength: 1 }),
      runLocation: string(
        `A public location (${LOCATIONS.slice(0, 2).join(', ')} …) or the slug of a private one`,
        {
          minLength: 1,
        },
      ),
      target: optional(testTarget),
      environmentVariables: optional(
        nullable(array(environmentVariable, 'Variables that the scripts see', { maxItems: 50 })),
      ),
      retryStrategy: optional(retryStrategy),
      refreshCache,
      metadata: optional(testSessionMetadata),
      record: optional(
        boolean(
          'Whether it is recorded; otherwise no list shows it, and it is removed an hour after its end',
          {
            default: true,
            'x-gaps': ['*'],
          },
        ),
      ),
      suite: optional(suiteOfTest),
    },
    { title: 'TriggerTestSessionRequest' },
  ),
  response: testSession,
  status: 201,
  rules: ['suiteAlone'],
});
export const listTestSessions = define({
  name: 'listTestSessions',
  method: 'GET',
  path: '/v1/test-sessions',
  summary: 'List test sessions, the newest first',
  resource: 'test sessions',
  query: cursorQuery,
  response: cursorPage(testSession),
  paging: 'cursor',
});
export const awaitTestSession = define({
  name: 'awaitTestSession',
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/completion',
  summary: 'Wait for a test session to end; 408 where it still runs at the end of the wait',
  resource: 'test sessions',
  params: testSessionId,
  query: {
    maxWaitSeconds: optional(
      Type.Integer({
        description: 'How long to wait',
        minimum: 1,
        maximum: 30,
        default: 30,
        'x-unit': 'seconds',
      }),
    ),
  },
  response: testSession,
});
export const cancelTestSession = define({
  name: 'cancelTestSession',
  method: 'POST',
  path: '/v1/test-sessions/{testSessionId}/cancel',
  summary: 'Cancel a running test session',
  resource: 'test sessions',
  params: testSessionId,
  safeToRetry: true,
});

export const getArtifact = define({
  name: 'getArtifact',
  method: 'GET',
  path: '/v1/artifacts/{id}',
  summary: 'Read a picture or trace that a run left; its result names it',
  resource: 'check results',
  params: { id: uuid('Id of the artifact, from artifacts of the result') },
  response: Type.Unsafe<Uint8Array>({ type: 'string', contentEncoding: 'binary', description: 'The file' }),
  file: true,
});
