/** Endpoints of the checks in a group, and the newer endpoint that creates a group. */
import { checkGroup, checkGroupV2Body } from '../resources/check-group.ts';
import { anyCheck } from '../resources/checks/any.ts';
import { integer, Type, uuid } from '../schema.ts';
import { aliasOf, autoAssignAlerts, define, pageQuery } from './define.ts';

const resource = 'check groups';

export const createCheckGroupV2 = define({
  resource,
  name: 'createCheckGroupV2',
  method: 'POST',
  path: '/v2/check-groups',
  summary: 'Create a check group (newer endpoint)',
  query: autoAssignAlerts,
  body: checkGroupV2Body,
  response: checkGroup,
  status: 201,
});

export const listGroupChecks = define({
  resource,
  name: 'listGroupChecks',
  method: 'GET',
  path: '/v1/check-groups/{id}/checks',
  summary: 'List the checks of a group with the settings of the group applied',
  params: { id: integer('ID of the group') },
  query: pageQuery,
  response: Type.Array(anyCheck),
  paging: 'page',
});
export const listGroupChecksV2 = aliasOf(listGroupChecks, {
  name: 'listGroupChecksV2',
  path: '/v2/check-groups/{id}/checks',
});

export const getGroupCheck = define({
  resource,
  name: 'getGroupCheck',
  method: 'GET',
  path: '/v1/check-groups/{groupId}/checks/{checkId}',
  summary: 'Get a check of a group with the settings of the group applied',
  params: { groupId: integer('ID of the group'), checkId: uuid('ID of the check') },
  response: anyCheck,
});
export const getGroupCheckV2 = aliasOf(getGroupCheck, {
  name: 'getGroupCheckV2',
  path: '/v2/check-groups/{groupId}/checks/{checkId}',
});
