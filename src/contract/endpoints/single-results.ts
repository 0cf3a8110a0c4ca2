/** Endpoints of single results and error groups, and of all error groups of an account. */
import { checkResult, errorGroup, errorGroupChange, testErrorGroup } from '../resources/check-result.ts';
import { assetFilters, resultAssets } from '../resources/result-asset.ts';
import { testSessionResult } from '../resources/test-session-result.ts';
import { array, string, uuid } from '../schema.ts';
import { define, pageQuery } from './define.ts';

export const getCheckResult = define({
  name: 'getCheckResult',
  method: 'GET',
  path: '/v1/check-results/{checkId}/{checkResultId}',
  summary: 'Get a result of a check with its details',
  resource: 'check results',
  params: { checkId: string('ID of the check'), checkResultId: uuid('ID of the result') },
  response: checkResult,
});

export const listResultAssets = define({
  name: 'listResultAssets',
  method: 'GET',
  path: '/v1/check-results/{checkId}/{checkResultId}/assets',
  summary: 'List the files of a result: screenshots, traces, videos and logs',
  resource: 'check results',
  params: { checkId: string('ID of the check'), checkResultId: uuid('ID of the result') },
  query: assetFilters,
  response: resultAssets,
});

export const listTestResultAssets = define({
  name: 'listTestResultAssets',
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets',
  summary: 'List the files of a result of a test session',
  resource: 'test sessions',
  params: {
    testSessionId: uuid('ID of the test session'),
    testSessionResultId: uuid('ID of the result'),
  },
  query: assetFilters,
  response: resultAssets,
});

export const getTestSessionResult = define({
  name: 'getTestSessionResult',
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}',
  summary: 'Get a result of a test session with its details',
  resource: 'test sessions',
  params: {
    testSessionId: uuid('ID of the test session'),
    testSessionResultId: uuid('ID of the result'),
  },
  response: testSessionResult,
});

export const getErrorGroup = define({
  name: 'getErrorGroup',
  method: 'GET',
  path: '/v1/error-groups/{id}',
  summary: 'Get an error group',
  resource: 'error groups',
  params: { id: string('ID of the error group') },
  response: errorGroup,
});
export const listAllErrorGroups = define({
  name: 'listAllErrorGroups',
  method: 'GET',
  path: '/v1/error-groups',
  summary: 'List the error groups of all checks, last seen first',
  resource: 'error groups',
  query: pageQuery,
  response: array(errorGroup, 'Error groups'),
  paging: 'page',
});

const testErrorGroups = { resource: 'error groups' } as const;
const testErrorGroupId = { id: string('ID of the error group') };
export const listTestErrorGroups = define({
  ...testErrorGroups,
  name: 'listTestErrorGroups',
  method: 'GET',
  path: '/v1/test-session-error-groups',
  summary: 'List the error groups of test sessions, last seen first',
  query: pageQuery,
  response: array(testErrorGroup, 'Error groups'),
  paging: 'page',
});
export const listProjectTestErrorGroups = define({
  ...testErrorGroups,
  name: 'listProjectTestErrorGroups',
  method: 'GET',
  path: '/v1/test-session-error-groups/projects/{projectId}',
  summary: "List the error groups of test sessions for a project's checks, last seen first",
  params: { projectId: uuid('ID of the project') },
  query: pageQuery,
  response: array(testErrorGroup, 'Error groups'),
  paging: 'page',
});
export const getTestErrorGroup = define({
  ...testErrorGroups,
  name: 'getTestErrorGroup',
  method: 'GET',
  path: '/v1/test-session-error-groups/{id}',
  summary: 'Get an error group of test sessions',
  params: testErrorGroupId,
  response: testErrorGroup,
});
export const updateTestErrorGroup = define({
  ...testErrorGroups,
  name: 'updateTestErrorGroup',
  method: 'PATCH',
  path: '/v1/test-session-error-groups/{id}',
  summary: 'Archive or unarchive an error group of test sessions',
  params: testErrorGroupId,
  body: errorGroupChange,
  response: testErrorGroup,
});
