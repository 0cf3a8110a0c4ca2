/** Defines for each check type its create endpoint, its defaults, and how secrets are masked and restored. */
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
  type ResponseOf,
} from '../../../contract/index.ts';
import type { ApiCheckBody, CheckBodies } from '../../store/index.ts';
import { maskRequest, maskVariables, restoreRequest, restoreVariables } from './secrets.ts';

export type CheckType = keyof CheckBodies;

/** The response for a check of each type. */
export interface CheckResponses {
  DNS: ResponseOf<typeof createDnsCheck>;
  BROWSER: ResponseOf<typeof createBrowserCheck>;
  URL: ResponseOf<typeof createUrlCheck>;
  TCP: ResponseOf<typeof createTcpCheck>;
  ICMP: ResponseOf<typeof createIcmpCheck>;
  API: ResponseOf<typeof createApiCheck>;
  HEARTBEAT: ResponseOf<typeof createHeartbeatCheck>;
  MULTI_STEP: ResponseOf<typeof createMultiStepCheck>;
  PLAYWRIGHT: ResponseOf<typeof createPlaywrightCheck>;
  AGENTIC: ResponseOf<typeof createAgenticCheck>;
}

export interface CheckTypeDefinition<Body> {
  /** The endpoint whose body schema defines a check of the type. */
  readonly createEndpoint: Endpoint;
  /** Values of unset fields in responses. Excludes retryStrategy, where null means no retries. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Returns the body for responses, without secrets and fields that responses omit. */
  readonly mask: (body: Body) => object;
  /** Restores the masked values that a change sends back. */
  readonly restore: (change: Partial<Body>, before: Body) => Partial<Body>;
}

const COMMON_DEFAULTS = { tags: [], groupId: null, groupOrder: null, description: null };
const LOCATION_DEFAULTS = { ...COMMON_DEFAULTS, locations: null, privateLocations: null };
const RUNTIME_DEFAULTS = { ...LOCATION_DEFAULTS, runtimeId: null };
const SCRIPT_DEFAULTS = { ...RUNTIME_DEFAULTS, scriptPath: null, dependencies: null };

interface WithVariables {
  readonly environmentVariables?: CheckBodies['BROWSER']['environmentVariables'];
}
const maskBodyVariables = <Body extends WithVariables>(body: Body) => ({
  ...body,
  environmentVariables: maskVariables(body.environmentVariables ?? null),
});
function restoreBodyVariables<Body extends WithVariables>(
  change: Partial<Body>,
  before: Body,
): Partial<Body> {
  const environmentVariables = restoreVariables(change.environmentVariables, before.environmentVariables);
  return environmentVariables === undefined ? change : { ...change, environmentVariables };
}

const withoutSecrets = <T>(
  defaults: Readonly<Record<string, unknown>>,
  createEndpoint: Endpoint,
): CheckTypeDefinition<T> => ({
  createEndpoint,
  defaults,
  mask: (body) => body as object,
  restore: (change) => change,
});
const withVariables = <T extends WithVariables>(
  defaults: Readonly<Record<string, unknown>>,
  createEndpoint: Endpoint,
): CheckTypeDefinition<T> => ({
  createEndpoint,
  defaults,
  mask: maskBodyVariables,
  restore: restoreBodyVariables,
});

/** Omits the fields that the specification does not have in the response for a DNS check. */
function omitDnsFields(body: CheckBodies['DNS']): object {
  const {
    script: _script,
    heartbeat: _heartbeat,
    scriptPath: _scriptPath,
    sslCheckDomain: _sslCheckDomain,
    environmentVariables: _environmentVariables,
    setupSnippetId: _setupSnippetId,
    tearDownSnippetId: _tearDownSnippetId,
    localSetupScript: _localSetupScript,
    localTearDownScript: _localTearDownScript,
    ...visible
  } = body;
  return visible;
}

const API_DEFAULTS = {
  ...RUNTIME_DEFAULTS,
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
};
const SUITE_DEFAULTS = {
  ...LOCATION_DEFAULTS,
  runtimeId: null,
  playwrightConfigPath: null,
  workingDir: null,
  installCommand: null,
  testCommand: null,
  pwProjects: [],
  pwTags: [],
  include: [],
  exclude: [],
  engine: null,
  engineVersion: null,
};

export const CHECK_TYPE_DEFINITIONS: { readonly [T in CheckType]: CheckTypeDefinition<CheckBodies[T]> } = {
  DNS: {
    createEndpoint: createDnsCheck,
    defaults: RUNTIME_DEFAULTS,
    mask: omitDnsFields,
    restore: restoreBodyVariables,
  },
  BROWSER: withVariables({ ...SCRIPT_DEFAULTS, sslCheckDomain: null }, createBrowserCheck),
  URL: withoutSecrets(RUNTIME_DEFAULTS, createUrlCheck),
  TCP: withoutSecrets(RUNTIME_DEFAULTS, createTcpCheck),
  ICMP: withoutSecrets(RUNTIME_DEFAULTS, createIcmpCheck),
  API: {
    createEndpoint: createApiCheck,
    defaults: API_DEFAULTS,
    mask: (body: ApiCheckBody) => ({ ...maskBodyVariables(body), request: maskRequest(body.request) }),
    restore(change, before) {
      const restored = restoreBodyVariables(change, before);
      return restored.request
        ? { ...restored, request: restoreRequest(restored.request, before.request) }
        : restored;
    },
  },
  HEARTBEAT: withoutSecrets(COMMON_DEFAULTS, createHeartbeatCheck),
  MULTI_STEP: withVariables(SCRIPT_DEFAULTS, createMultiStepCheck),
  PLAYWRIGHT: withVariables(SUITE_DEFAULTS, createPlaywrightCheck),
  AGENTIC: withVariables(RUNTIME_DEFAULTS, createAgenticCheck),
};

/** Returns the definition of a type whose body is not inspected. */
export const checkTypeDefinition = (type: CheckType): CheckTypeDefinition<CheckBodies[CheckType]> =>
  CHECK_TYPE_DEFINITIONS[type] as CheckTypeDefinition<CheckBodies[CheckType]>;
