/** The endpoints in the table of the specification, except the two that create checks (check-types.ts). */
import { checkGroup, checkGroupBody } from '../resources/check-group.ts';
import { checkResult, errorGroup, errorGroupChange, resultFilters } from '../resources/check-result.ts';
import { dateFilter, maintenanceWindow } from '../resources/maintenance-window.ts';
import { checkSession, completedCheckSession, testSession } from '../resources/session.ts';
import { statusPage, statusPageBody } from '../resources/status-page.ts';
import { allOptional, array, integer, optional, string, Type, uuid } from '../schema.ts';
import { autoAssignAlerts, define, forceQuery, pageQuery } from './define.ts';

export const updateCheckGroup = define({
  number: 1,
  name: 'updateCheckGroup',
  method: 'PUT',
  path: '/v1/check-groups/{id}',
  summary: 'Update a check group; its settings override those of its checks',
  deprecated: 'PUT /v2/check-groups/{id}',
  resource: 'check groups',
  params: { id: integer('ID of the group') },
  query: autoAssignAlerts,
  body: checkGroupBody,
  rules: ['sendableTexts'],
  response: checkGroup,
});

const statusPageId = { statusPageId: string('ID of the status page') };

export const updateStatusPage = define({
  number: 4,
  name: 'updateStatusPage',
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}',
  summary: 'Replace a status page',
  resource: 'status pages',
  params: statusPageId,
  body: statusPageBody,
  response: statusPage,
});

export const getStatusPage = define({
  number: 5,
  name: 'getStatusPage',
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}',
  summary: 'Get a status page',
  resource: 'status pages',
  params: statusPageId,
  response: statusPage,
});

export const listMaintenanceWindows = define({
  number: 6,
  name: 'listMaintenanceWindows',
  method: 'GET',
  path: '/v1/maintenance-windows',
  summary: 'List maintenance windows',
  resource: 'maintenance windows',
  query: {
    ...pageQuery,
    ...allOptional({ startsAt: dateFilter('startsAt'), endsAt: dateFilter('endsAt') }),
  },
  response: Type.Array(maintenanceWindow),
  paging: 'page',
});

export const getMaintenanceWindow = define({
  number: 7,
  name: 'getMaintenanceWindow',
  method: 'GET',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Get a maintenance window',
  resource: 'maintenance windows',
  params: { id: integer('ID of the window') },
  response: maintenanceWindow,
});

const checkSessionId = { checkSessionId: uuid('ID of the session') };

export const getCheckSession = define({
  number: 8,
  name: 'getCheckSession',
  method: 'GET',
  path: '/v2/check-sessions/{checkSessionId}',
  summary: 'Get a check session',
  resource: 'check sessions',
  params: checkSessionId,
  response: checkSession,
});

export const awaitCheckSession = define({
  number: 9,
  name: 'awaitCheckSession',
  method: 'GET',
  path: '/v2/check-sessions/{checkSessionId}/completion',
  summary: 'Wait for a check session to end; 408 if it is still running at the end of the wait',
  resource: 'check sessions',
  params: checkSessionId,
  query: {
    maxWaitSeconds: optional(
      integer('Maximum time to wait', {
        minimum: 1,
        maximum: 30,
        default: 30,
        'x-unit': 'seconds',
        'x-gaps': ['default'],
      }),
    ),
  },
  response: completedCheckSession,
});

export const getTestSession = define({
  number: 10,
  name: 'getTestSession',
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}',
  summary: 'Get a test session',
  resource: 'test sessions',
  params: { testSessionId: uuid('ID of the test session') },
  response: testSession,
});

export const updateErrorGroup = define({
  number: 11,
  name: 'updateErrorGroup',
  method: 'PATCH',
  path: '/v1/error-groups/{id}',
  summary: 'Archive or unarchive an error group',
  resource: 'error groups',
  params: { id: string('ID of the error group') },
  body: errorGroupChange,
  response: errorGroup,
});

export const listErrorGroups = define({
  number: 12,
  name: 'listErrorGroups',
  method: 'GET',
  path: '/v1/error-groups/checks/{checkId}',
  summary: 'List the error groups of a check',
  resource: 'error groups',
  params: { checkId: string('ID of the check') },
  query: pageQuery,
  response: array(errorGroup, 'Error groups'),
  paging: 'page',
});

export const deleteGroupTrigger = define({
  number: 13,
  name: 'deleteGroupTrigger',
  method: 'DELETE',
  path: '/v1/triggers/check-groups/{groupId}',
  summary: 'Delete the trigger of a check group',
  resource: 'triggers',
  params: { groupId: integer('ID of the group') },
});

export const deleteCheckTrigger = define({
  number: 14,
  name: 'deleteCheckTrigger',
  method: 'DELETE',
  path: '/v1/triggers/checks/{checkId}',
  summary: 'Delete the trigger of a check',
  resource: 'triggers',
  params: { checkId: string('ID of the check') },
});

export const deleteDashboard = define({
  number: 15,
  name: 'deleteDashboard',
  method: 'DELETE',
  path: '/v1/dashboards/{dashboardId}',
  summary: 'Delete a dashboard',
  resource: 'dashboards',
  params: { dashboardId: string('ID of the dashboard') },
});

export const deletePrivateLocation = define({
  number: 16,
  name: 'deletePrivateLocation',
  method: 'DELETE',
  path: '/v1/private-locations/{id}',
  summary: 'Delete a private location',
  resource: 'private locations',
  params: { id: string('ID or slug of the private location') },
  query: forceQuery,
});

export const deleteVariable = define({
  number: 17,
  name: 'deleteVariable',
  method: 'DELETE',
  path: '/v1/variables/{key}',
  summary: 'Delete an environment variable',
  resource: 'variables',
  params: { key: string('Key of the variable') },
  query: forceQuery,
});

export const deleteSnippet = define({
  number: 18,
  name: 'deleteSnippet',
  method: 'DELETE',
  path: '/v1/snippets/{id}',
  summary: 'Delete a snippet',
  resource: 'snippets',
  params: { id: integer('ID of the snippet') },
  query: forceQuery,
});

export const listStaticIpsByRegion = define({
  number: 19,
  name: 'listStaticIpsByRegion',
  method: 'GET',
  path: '/v1/static-ips-by-region',
  summary: 'List the source IP addresses of check runs by region',
  resource: 'static addresses',
  response: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string', format: 'ipv4' } },
    description: 'IPv4 addresses by region',
  }),
});

export const listCheckResultsDeprecated = define({
  number: 20,
  name: 'listCheckResultsDeprecated',
  method: 'GET',
  path: '/v1/check-results/{checkId}',
  summary: 'List the raw results of a check (deprecated)',
  resource: 'check results',
  deprecated: 'GET /v2/check-results/{checkId}',
  params: { checkId: string('ID of the check') },
  query: { ...resultFilters, page: pageQuery.page },
  response: array(checkResult, 'Results'),
  paging: 'page',
  rate: 'deprecated-listing',
  rules: ['resultWindow'],
});
