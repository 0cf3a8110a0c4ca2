/** Endpoints of checks of any type, and of their sessions and results. */

import { CHECK_TYPE_NAMES } from '../check-types.ts';
import {
  CHECK_SESSION_STATUSES,
  LOCATIONS,
  TEST_SESSION_PROVIDERS,
  TEST_SESSION_STATUSES,
} from '../enumerations.ts';
import { NAME_LIMIT, RESOURCE_NAME_LIMIT } from '../limits.ts';
import {
  checkResult,
  RESULT_FIELDS,
  resultFilters,
  rollUp,
  rollUpFilters,
} from '../resources/check-result.ts';
import { anyCheck, anyCheckBody } from '../resources/checks/any.ts';
import { codeBundle, codeBundleBody, suiteOfTest, wholeCodeBundle } from '../resources/checks/playwright.ts';
import { checkSession, startedCheckSession, testSession, testSessionMetadata } from '../resources/session.ts';
import { environmentVariable, retryStrategy } from '../resources/shared.ts';
import { testSessionEntry } from '../resources/test-session-entry.ts';
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
  unixSeconds,
  uuid,
} from '../schema.ts';
import { autoAssignAlerts, cursorPage, cursorQuery, define, pageQuery } from './define.ts';

const resource = 'checks';
const id = { id: uuid('ID of the check') };
const applyGroupSettings = boolean('Whether to return checks with the settings of their groups', {
  default: false,
});

export const listChecks = define({
  name: 'listChecks',
  method: 'GET',
  path: '/v1/checks',
  summary: 'List checks',
  resource,
  query: {
    ...pageQuery,
    ...allOptional({
      tag: array(string('Tag'), 'Only checks with any of these tags', {
        maxItems: 20,
        'x-gaps': ['maxItems'],
      }),
      checkType: oneOf(CHECK_TYPE_NAMES, 'Only checks of this type'),
      search: string('Only checks whose name contains this text, or whose ID begins with it', NAME_LIMIT),
      status: oneOf(['passing', 'failing', 'degraded'], 'Only checks with this status'),
      apiCheckUrlFilterPattern: string('Only API checks whose URL contains this text', {
        ...NAME_LIMIT,
        minLength: 1,
      }),
      applyGroupSettings,
    }),
  },
  response: Type.Array(anyCheck),
  paging: 'page',
});
export const createCheck = define({
  name: 'createCheck',
  method: 'POST',
  path: '/v1/checks',
  summary: 'Create a check of the type in checkType',
  resource,
  query: autoAssignAlerts,
  body: anyCheckBody,
  response: anyCheck,
  status: 201,
});
export const getCheck = define({
  name: 'getCheck',
  method: 'GET',
  path: '/v1/checks/{id}',
  summary: 'Get a check',
  resource,
  params: id,
  query: { applyGroupSettings: optional(applyGroupSettings) },
  response: anyCheck,
});
export const updateCheck = define({
  name: 'updateCheck',
  method: 'PUT',
  path: '/v1/checks/{id}',
  summary: 'Update a check of any type',
  resource,
  params: id,
  body: anyCheckBody,
  response: anyCheck,
});
export const deleteCheck = define({
  name: 'deleteCheck',
  method: 'DELETE',
  path: '/v1/checks/{id}',
  summary: 'Delete a check and all its results',
  resource,
  params: id,
});

export const listCheckResults = define({
  name: 'listCheckResults',
  method: 'GET',
  path: '/v2/check-results/{checkId}',
  summary: 'List the raw results of a check',
  resource: 'check results',
  params: { checkId: string('ID of the check') },
  query: {
    ...resultFilters,
    nextId: cursorQuery.nextId,
    ...allOptional({
      fields: array(oneOf(RESULT_FIELDS, 'Field'), 'Fields of each result to return; default: all', {
        minItems: 1,
      }),
    }),
  },
  response: cursorPage(checkResult),
  paging: 'cursor',
  rules: ['resultWindow'],
});

export const listCheckRollUps = define({
  name: 'listCheckRollUps',
  method: 'GET',
  path: '/v1/check-results/{checkId}/rollups',
  summary: 'List hourly or daily summaries of check results, which are never deleted',
  resource: 'check results',
  params: { checkId: string('ID of the check') },
  query: { ...rollUpFilters, ...cursorQuery },
  response: cursorPage(rollUp),
  paging: 'cursor',
});

const targetFields = allOptional({
  checkId: array(uuid('ID of a check'), 'IDs of the checks to run', { minItems: 1 }),
  matchTags: array(
    array(
      string('Tag; !tag: checks without the tag', { minLength: 1, maxLength: 256, 'x-gaps': ['maxLength'] }),
      'Tags that a check must all have',
      { minItems: 1, maxItems: 50, 'x-gaps': ['maxItems'] },
    ),
    'Groups of tags: a check matches if it has all tags of any group',
    { minItems: 1, maxItems: 20, 'x-gaps': ['maxItems'] },
  ),
});
const TARGET = { description: 'Checks to run; default: all activated checks' };
const target = closed(targetFields, TARGET);
const testTarget = closed(
  {
    ...targetFields,
    ...allOptional({ allowDeactivated: boolean('Whether deactivated checks also run', { default: false }) }),
  },
  TARGET,
);
const refreshCache = optional(
  boolean('Reinstall the dependencies of suites instead of using the cache', { default: false }),
);

export const triggerCheckSessions = define({
  name: 'triggerCheckSessions',
  method: 'POST',
  path: '/v2/check-sessions/trigger',
  summary: 'Start a session for each matching check',
  resource: 'check sessions',
  body: closed({ target: optional(target), refreshCache }, { title: 'TriggerCheckSessionsRequest' }),
  response: Type.Object({ sessions: Type.Array(startedCheckSession) }),
  status: 201,
});
export const listCheckSessions = define({
  name: 'listCheckSessions',
  method: 'GET',
  path: '/v2/check-sessions',
  summary: 'List check sessions, newest first',
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
  params: { id: uuid('ID of the session') },
  sendsEmptyBody: true,
  safeToRetry: true,
});

const testSessionId = { testSessionId: uuid('ID of the test session') };
export const triggerTestSessions = define({
  name: 'triggerTestSessions',
  method: 'POST',
  path: '/v1/test-sessions/trigger',
  summary: 'Run checks or an uploaded Playwright suite once, without alerting',
  resource: 'test sessions',
  body: closed(
    {
      name: string('Name of the test session', RESOURCE_NAME_LIMIT),
      runLocation: string(
        `Public location (${LOCATIONS.slice(0, 2).join(', ')} …) or slug of a private location`,
        {
          minLength: 1,
        },
      ),
      target: optional(testTarget),
      environmentVariables: optional(
        nullable(array(environmentVariable, 'Environment variables of the scripts', { maxItems: 50 })),
      ),
      retryStrategy: optional(retryStrategy),
      refreshCache,
      metadata: optional(testSessionMetadata),
      record: optional(
        boolean(
          'Whether the session is recorded; otherwise lists omit it, and it is deleted one hour after its end',
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
  summary: 'List test sessions, newest first',
  resource: 'test sessions',
  query: {
    ...cursorQuery,
    ...allOptional({
      from: unixSeconds('Only sessions that started at or after this time, in Unix seconds'),
      to: unixSeconds('Only sessions that started before this time, in Unix seconds'),
      statuses: array(oneOf(TEST_SESSION_STATUSES, 'State'), 'Only sessions in these states'),
      branches: array(string('Branch'), 'Only sessions of these branches'),
      users: array(string('Author'), 'Only sessions of commits of these authors'),
      noUsers: boolean('Whether to also list sessions without an author; alone: only these', {
        default: false,
      }),
      providers: array(oneOf(TEST_SESSION_PROVIDERS, 'Source'), 'Only sessions from these sources'),
      textSearch: string('Only sessions whose name or metadata contains this text', {
        minLength: 3,
        maxLength: 200,
      }),
      errorGroupId: nullable(string('Only sessions with this error group', { minLength: 1 })),
    }),
  },
  response: cursorPage(testSessionEntry),
  paging: 'cursor',
});
export const awaitTestSession = define({
  name: 'awaitTestSession',
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/completion',
  summary: 'Wait for a test session to end; 408 if it is still running at the end of the wait',
  resource: 'test sessions',
  params: testSessionId,
  query: {
    maxWaitSeconds: optional(
      Type.Integer({
        description: 'Maximum time to wait',
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
  sendsEmptyBody: true,
  safeToRetry: true,
});

export const getArtifact = define({
  name: 'getArtifact',
  method: 'GET',
  path: '/v1/artifacts/{id}',
  summary: 'Get an artifact of a run, such as a screenshot or a trace',
  resource: 'check results',
  params: { id: uuid('ID of the artifact, from artifacts of the result') },
  response: Type.Unsafe<Uint8Array>({ type: 'string', contentEncoding: 'binary', description: 'The file' }),
  file: '*/*',
});

export const uploadCodeBundle = define({
  name: 'uploadCodeBundle',
  method: 'POST',
  path: '/v1/code-bundles',
  summary: 'Upload the project folder of a Playwright check, unless it already exists',
  resource: 'code bundles',
  body: codeBundleBody,
  response: codeBundle,
  status: 201,
  bodyBytes: 32 * 1024 * 1024,
  // The ID is derived from the bytes, so a repeated upload is harmless.
  safeToRetry: true,
});
export const listCodeBundles = define({
  name: 'listCodeBundles',
  method: 'GET',
  path: '/v1/code-bundles',
  summary: 'List the project folders of Playwright checks, newest first',
  resource: 'code bundles',
  query: pageQuery,
  response: Type.Array(codeBundle),
  paging: 'page',
});
export const getCodeBundle = define({
  name: 'getCodeBundle',
  method: 'GET',
  path: '/v1/code-bundles/{id}',
  summary: 'Get the project folder of a Playwright check',
  resource: 'code bundles',
  params: { id: string('ID of the archive') },
  response: wholeCodeBundle,
});
