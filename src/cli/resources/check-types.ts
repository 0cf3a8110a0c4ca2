/** Lists the endpoints that create and update each check type. */
import {
  createAgenticCheck,
  createApiCheck,
  createBrowserCheck,
  createDnsCheck,
  createHeartbeatCheck,
  createIcmpCheck,
  createMultiStepCheck,
  createPlaywrightCheck,
  createTcpCheck,
  createUrlCheck,
  type Endpoint,
  updateAgenticCheck,
  updateApiCheck,
  updateBrowserCheck,
  updateDnsCheck,
  updateHeartbeatCheck,
  updateIcmpCheck,
  updateMultiStepCheck,
  updatePlaywrightCheck,
  updateTcpCheck,
  updateUrlCheck,
} from '../../contract/index.ts';

export interface CheckTypeEndpoints {
  readonly create: Endpoint;
  readonly update: Endpoint;
  /** Values of required fields that have no meaning for this type. */
  readonly fill?: Readonly<Record<string, unknown>>;
}

export const CHECK_TYPE_ENDPOINTS: Readonly<Record<string, CheckTypeEndpoints>> = {
  DNS: { create: createDnsCheck, update: updateDnsCheck, fill: { heartbeat: {}, script: '' } },
  URL: { create: createUrlCheck, update: updateUrlCheck },
  TCP: { create: createTcpCheck, update: updateTcpCheck },
  ICMP: { create: createIcmpCheck, update: updateIcmpCheck },
  API: { create: createApiCheck, update: updateApiCheck },
  BROWSER: { create: createBrowserCheck, update: updateBrowserCheck },
  MULTI_STEP: { create: createMultiStepCheck, update: updateMultiStepCheck },
  PLAYWRIGHT: { create: createPlaywrightCheck, update: updatePlaywrightCheck },
  HEARTBEAT: { create: createHeartbeatCheck, update: updateHeartbeatCheck },
  AGENTIC: { create: createAgenticCheck, update: updateAgenticCheck },
};

/** Returns the endpoints for a `checkType`. Undefined: this version does not know the type. */
export const findCheckTypeEndpoints = (checkType: unknown): CheckTypeEndpoints | undefined =>
  typeof checkType === 'string' && Object.hasOwn(CHECK_TYPE_ENDPOINTS, checkType)
    ? CHECK_TYPE_ENDPOINTS[checkType]
    : undefined;
