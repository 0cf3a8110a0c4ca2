/** The check types: what makes and changes a check of each, and what people call it. */
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
  /** What a body is laid over, where fields are required that mean nothing. */
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

/** The kind of a check by its `checkType`; undefined for one that this version does not know. */
export const findCheckTypeEndpoints = (checkType: unknown): CheckTypeEndpoints | undefined =>
  typeof checkType === 'string' && Object.hasOwn(CHECK_TYPE_ENDPOINTS, checkType)
    ? CHECK_TYPE_ENDPOINTS[checkType]
    : undefined;
