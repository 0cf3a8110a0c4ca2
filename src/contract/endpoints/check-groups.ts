/** Endpoints of check groups that are not in the specification. */
import { checkGroup, checkGroupV2Body } from '../resources/check-group.ts';
import { startedCheckSession } from '../resources/session.ts';
import { allOptional, array, integer, string, Type } from '../schema.ts';
import { autoAssignAlerts, define, forceQuery, pageQuery } from './define.ts';

const groups = { resource: 'check groups' } as const;
const groupId = { id: integer('ID of the group') };
export const listCheckGroups = define({
  ...groups,
  name: 'listCheckGroups',
  method: 'GET',
  path: '/v1/check-groups',
  summary: 'List check groups',
  query: {
    ...pageQuery,
    ...allOptional({
      name: array(string('Name'), 'Only groups with one of these names'),
      tag: array(string('Tag'), 'Only groups with any of these tags'),
    }),
  },
  response: Type.Array(checkGroup),
  paging: 'page',
});
export const createCheckGroup = define({
  ...groups,
  name: 'createCheckGroup',
  method: 'POST',
  path: '/v1/check-groups',
  summary: 'Create a check group',
  query: autoAssignAlerts,
  body: checkGroupV2Body,
  rules: ['sendableTexts'],
  response: checkGroup,
  status: 201,
});
export const getCheckGroup = define({
  ...groups,
  name: 'getCheckGroup',
  method: 'GET',
  path: '/v1/check-groups/{id}',
  summary: 'Get a check group',
  params: groupId,
  response: checkGroup,
});
export const updateCheckGroupV2 = define({
  ...groups,
  name: 'updateCheckGroupV2',
  method: 'PUT',
  path: '/v2/check-groups/{id}',
  summary: 'Update a check group (newer endpoint)',
  params: groupId,
  query: autoAssignAlerts,
  body: checkGroupV2Body,
  rules: ['sendableTexts'],
  response: checkGroup,
});
export const runCheckGroup = define({
  ...groups,
  name: 'runCheckGroup',
  method: 'POST',
  path: '/v1/check-groups/{id}/run',
  summary: 'Start a session for each activated check of a group',
  params: groupId,
  response: Type.Object({ sessions: Type.Array(startedCheckSession) }),
  status: 201,
});
export const deleteCheckGroup = define({
  ...groups,
  name: 'deleteCheckGroup',
  method: 'DELETE',
  path: '/v1/check-groups/{id}',
  summary: 'Delete a check group',
  params: groupId,
  query: forceQuery,
});
