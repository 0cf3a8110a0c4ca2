/** Older and newer paths of endpoints. Published clients use them; requests and responses are the same. */
import { getCheck, listChecks, triggerCheckSessions } from './checks.ts';
import { aliasOf } from './define.ts';
import { awaitCheckSession, getCheckSession } from './specification.ts';

export const triggerCheckSessionsV1 = aliasOf(triggerCheckSessions, {
  name: 'triggerCheckSessionsV1',
  path: '/v1/check-sessions/trigger',
});
export const getCheckSessionV1 = aliasOf(getCheckSession, {
  name: 'getCheckSessionV1',
  path: '/v1/check-sessions/{checkSessionId}',
});
export const awaitCheckSessionV1 = aliasOf(awaitCheckSession, {
  name: 'awaitCheckSessionV1',
  path: '/v1/check-sessions/{checkSessionId}/completion',
});

export const listChecksV2 = aliasOf(listChecks, { name: 'listChecksV2', path: '/v2/checks' });
export const getCheckV2 = aliasOf(getCheck, { name: 'getCheckV2', path: '/v2/checks/{id}' });
export const listChecksV3 = aliasOf(listChecks, { name: 'listChecksV3', path: '/v3/checks' });
export const getCheckV3 = aliasOf(getCheck, { name: 'getCheckV3', path: '/v3/checks/{id}' });
