/** Endpoints of the links of badges. */
import { badges } from '../resources/badge.ts';
import { integer, uuid } from '../schema.ts';
import { define } from './define.ts';

export const getCheckBadges = define({
  resource: 'checks',
  name: 'getCheckBadges',
  method: 'GET',
  path: '/v1/checks/{id}/badges',
  summary: 'Get the links of the badges of a check',
  params: { id: uuid('ID of the check') },
  response: badges,
});
export const getGroupBadges = define({
  resource: 'check groups',
  name: 'getGroupBadges',
  method: 'GET',
  path: '/v1/check-groups/{id}/badges',
  summary: 'Get the links of the badges of a group',
  params: { id: integer('ID of the group') },
  response: badges,
});
