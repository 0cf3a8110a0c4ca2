/** Chooses the endpoint that updates a check group. */
import type { JsonObject } from '../../base/object.ts';
import { type Endpoint, updateCheckGroup, updateCheckGroupV2 } from '../../contract/index.ts';

interface GroupUpdate {
  readonly endpoint: Endpoint;
  readonly fallback?: Endpoint;
  readonly fallbackDefaults?: JsonObject;
}

/** The newer endpoint, and the older one for deployments without it, whose defaults differ. */
export const GROUP_UPDATE: GroupUpdate = {
  endpoint: updateCheckGroupV2,
  fallback: updateCheckGroup,
  fallbackDefaults: { doubleCheck: false, retryStrategy: 'FALLBACK' },
};

/** Whether the double check of a group applies. The newer endpoint cannot set that: it adds the strategy FALLBACK. */
export const hasDoubleCheck = ({ doubleCheck, retryStrategy }: JsonObject): boolean =>
  doubleCheck !== undefined && retryStrategy === undefined;

/** Returns the endpoints for a body: only the older one if the body has no name, or a double check that applies. */
export const groupUpdateOf = (body: JsonObject): GroupUpdate =>
  body.name === undefined || hasDoubleCheck(body) ? { endpoint: updateCheckGroup } : GROUP_UPDATE;
