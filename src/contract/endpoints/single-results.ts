/** Endpoints of single results and error groups, and of all error groups of an account. */
import { checkResult, errorGroup } from '../resources/check-result.ts';
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
