/** Endpoints of dashboards, snippets, variables, private locations, triggers and account settings. */
import * as resources from '../resources/account-resources.ts';
import { allOptional, boolean, integer, string, Type, unixSeconds, uuid } from '../schema.ts';
import { define, pageQuery } from './define.ts';

// Dashboards
const dashboards = { resource: 'dashboards' } as const;
const dashboardId = { dashboardId: string('ID of the dashboard') };
export const listDashboards = define({
  ...dashboards,
  name: 'listDashboards',
  method: 'GET',
  path: '/v1/dashboards',
  summary: 'List dashboards',
  query: pageQuery,
  response: Type.Array(resources.dashboard),
  paging: 'page',
});
export const createDashboard = define({
  ...dashboards,
  name: 'createDashboard',
  method: 'POST',
  path: '/v1/dashboards',
  summary: 'Create a dashboard',
  body: resources.dashboardBody,
  response: resources.dashboard,
  status: 201,
});
export const getDashboard = define({
  ...dashboards,
  name: 'getDashboard',
  method: 'GET',
  path: '/v1/dashboards/{dashboardId}',
  summary: 'Get a dashboard',
  params: dashboardId,
  response: resources.dashboard,
});
export const updateDashboard = define({
  ...dashboards,
  name: 'updateDashboard',
  method: 'PUT',
  path: '/v1/dashboards/{dashboardId}',
  summary: 'Update a dashboard',
  params: dashboardId,
  body: resources.dashboardBody,
  response: resources.dashboard,
});
export const verifyDashboardDomain = define({
  ...dashboards,
  name: 'verifyDashboardDomain',
  method: 'POST',
  path: '/v1/dashboards/{dashboardId}/verify-domain',
  summary: 'Verify the custom domain of a dashboard',
  params: dashboardId,
  response: resources.dashboard,
});

export const createDashboardKey = define({
  ...dashboards,
  name: 'createDashboardKey',
  method: 'POST',
  path: '/v1/dashboards/{dashboardId}/keys',
  summary: 'Create the key of a dashboard, which replaces the previous one',
  params: dashboardId,
  response: resources.dashboardKey,
  status: 201,
});

// Snippets
const snippets = { resource: 'snippets' } as const;
const snippetId = { id: integer('ID of the snippet') };
export const listSnippets = define({
  ...snippets,
  name: 'listSnippets',
  method: 'GET',
  path: '/v1/snippets',
  summary: 'List snippets',
  query: pageQuery,
  response: Type.Array(resources.snippet),
  paging: 'page',
});
export const createSnippet = define({
  ...snippets,
  name: 'createSnippet',
  method: 'POST',
  path: '/v1/snippets',
  summary: 'Create a snippet',
  body: resources.snippetBody,
  response: resources.snippet,
  status: 201,
});
export const getSnippet = define({
  ...snippets,
  name: 'getSnippet',
  method: 'GET',
  path: '/v1/snippets/{id}',
  summary: 'Get a snippet',
  params: snippetId,
  response: resources.snippet,
});
export const updateSnippet = define({
  ...snippets,
  name: 'updateSnippet',
  method: 'PUT',
  path: '/v1/snippets/{id}',
  summary: 'Update a snippet',
  params: snippetId,
  body: resources.snippetChange,
  response: resources.snippet,
});

// Environment variables
const variables = { resource: 'variables' } as const;
const variableKey = { key: string('Key of the variable') };
export const listVariables = define({
  ...variables,
  name: 'listVariables',
  method: 'GET',
  path: '/v1/variables',
  summary: 'List environment variables',
  query: pageQuery,
  response: Type.Array(resources.variable),
  paging: 'page',
});
export const createVariable = define({
  ...variables,
  name: 'createVariable',
  method: 'POST',
  path: '/v1/variables',
  summary: 'Create an environment variable',
  body: resources.variableBody,
  response: resources.variable,
  status: 201,
});
export const getVariable = define({
  ...variables,
  name: 'getVariable',
  method: 'GET',
  path: '/v1/variables/{key}',
  summary: 'Get an environment variable',
  params: variableKey,
  response: resources.variable,
});
export const updateVariable = define({
  ...variables,
  name: 'updateVariable',
  method: 'PUT',
  path: '/v1/variables/{key}',
  summary: 'Update an environment variable',
  params: variableKey,
  body: resources.variableChange,
  response: resources.variable,
});

// Private locations
const privateLocations = { resource: 'private locations' } as const;
const locationId = { id: string('ID or slug of the private location') };
export const listPrivateLocations = define({
  ...privateLocations,
  name: 'listPrivateLocations',
  method: 'GET',
  path: '/v1/private-locations',
  summary: 'List private locations',
  query: {
    ...pageQuery,
    ...allOptional({
      // The published list has no pages: a client that knows none must not take a part for the whole.
      limit: integer('Maximum number of items per page', { minimum: 1, maximum: 100, default: 100 }),
      versions: boolean('Whether to group running agents by version', { default: false }),
    }),
  },
  response: Type.Array(resources.privateLocation),
  paging: 'page',
});
export const createPrivateLocation = define({
  ...privateLocations,
  name: 'createPrivateLocation',
  method: 'POST',
  path: '/v1/private-locations',
  summary: 'Create a private location; the response contains its first key',
  body: resources.privateLocationBody,
  response: resources.privateLocation,
  status: 201,
});
export const getPrivateLocation = define({
  ...privateLocations,
  name: 'getPrivateLocation',
  method: 'GET',
  path: '/v1/private-locations/{id}',
  summary: 'Get a private location',
  params: locationId,
  response: resources.privateLocation,
});
export const getPrivateLocationMetrics = define({
  ...privateLocations,
  name: 'getPrivateLocationMetrics',
  method: 'GET',
  path: '/v1/private-locations/{id}/metrics',
  summary: 'Get the length of the queue of a private location over time',
  params: locationId,
  query: {
    from: unixSeconds('Start of the time range, in Unix seconds; at most 15 days ago'),
    to: unixSeconds('End of the time range, in Unix seconds'),
  },
  response: resources.privateLocationMetrics,
});
export const updatePrivateLocation = define({
  ...privateLocations,
  name: 'updatePrivateLocation',
  method: 'PUT',
  path: '/v1/private-locations/{id}',
  summary: 'Update a private location',
  params: locationId,
  body: resources.privateLocationChange,
  response: resources.privateLocation,
});
export const createPrivateLocationKey = define({
  ...privateLocations,
  name: 'createPrivateLocationKey',
  method: 'POST',
  path: '/v1/private-locations/{id}/keys',
  summary: 'Create a key for the agents of a private location',
  params: locationId,
  response: resources.privateLocationKey,
  status: 201,
});
export const deletePrivateLocationKey = define({
  ...privateLocations,
  name: 'deletePrivateLocationKey',
  method: 'DELETE',
  path: '/v1/private-locations/{id}/keys/{keyId}',
  summary: 'Revoke a key of a private location',
  params: { ...locationId, keyId: uuid('ID of the key') },
});

// Triggers
const triggers = { resource: 'triggers' } as const;
const triggeredCheck = { checkId: string('ID of the check') };
const triggeredGroup = { groupId: integer('ID of the group') };
export const getCheckTrigger = define({
  ...triggers,
  name: 'getCheckTrigger',
  method: 'GET',
  path: '/v1/triggers/checks/{checkId}',
  summary: 'Get the trigger of a check',
  params: triggeredCheck,
  response: resources.checkTrigger,
});
export const createCheckTrigger = define({
  ...triggers,
  name: 'createCheckTrigger',
  method: 'POST',
  path: '/v1/triggers/checks/{checkId}',
  summary: 'Create the trigger of a check',
  params: triggeredCheck,
  response: resources.checkTrigger,
  status: 201,
});
export const getGroupTrigger = define({
  ...triggers,
  name: 'getGroupTrigger',
  method: 'GET',
  path: '/v1/triggers/check-groups/{groupId}',
  summary: 'Get the trigger of a check group',
  params: triggeredGroup,
  response: resources.groupTrigger,
});
export const createGroupTrigger = define({
  ...triggers,
  name: 'createGroupTrigger',
  method: 'POST',
  path: '/v1/triggers/check-groups/{groupId}',
  summary: 'Create the trigger of a check group',
  params: triggeredGroup,
  response: resources.groupTrigger,
  status: 201,
});

// Account
const account = { resource: 'account' } as const;
export const getAccountAlertSettings = define({
  ...account,
  name: 'getAccountAlertSettings',
  method: 'GET',
  path: '/v1/account/alert-settings',
  summary: "Get the account's alert settings",
  response: resources.accountAlertSettings,
});
export const updateAccountAlertSettings = define({
  ...account,
  name: 'updateAccountAlertSettings',
  method: 'PUT',
  path: '/v1/account/alert-settings',
  summary: "Replace the account's alert settings",
  body: resources.accountAlertSettings,
  response: resources.accountAlertSettings,
});
export const getSecretDetection = define({
  ...account,
  name: 'getSecretDetection',
  method: 'GET',
  path: '/v1/account/secret-detection',
  summary: 'Get whether undeclared secrets are masked in the output of scripts',
  response: resources.secretDetection,
});
export const updateSecretDetection = define({
  ...account,
  name: 'updateSecretDetection',
  method: 'PUT',
  path: '/v1/account/secret-detection',
  summary: 'Enable or disable masking of undeclared secrets in the output of scripts',
  body: resources.secretDetection,
  response: resources.secretDetection,
});
export const getPublicBadges = define({
  ...account,
  name: 'getPublicBadges',
  method: 'GET',
  path: '/v1/account/public-badges',
  summary: 'Get whether badges are public',
  response: resources.publicBadges,
});
export const updatePublicBadges = define({
  ...account,
  name: 'updatePublicBadges',
  method: 'PUT',
  path: '/v1/account/public-badges',
  summary: 'Make the badges of all checks and groups public, or private again',
  body: resources.publicBadges,
  response: resources.publicBadges,
});
