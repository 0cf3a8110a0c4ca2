/** Defines for each check type its create endpoint, defaults and secrets, and converts stored checks to responses. */
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
  type listChecks,
  type ResponseOf,
} from '../../../contract/index.ts';
import type {
  AlertChannelRecord,
  ApiCheckBody,
  CheckBodies,
  CheckRecord,
  HeartbeatRecord,
  Subscription,
} from '../../store/index.ts';
import { presentSubscriptions } from './check-subscriptions.ts';
import { timestamps, toIsoOrNull } from './document-resource.ts';
import { maskRequest, maskVariables, presentChannels, restoreRequest, restoreVariables } from './secrets.ts';

export type CheckType = keyof CheckBodies;

type Defaults = Readonly<Record<string, unknown>>;

interface CheckTypeDefinition<Body, E extends Endpoint = Endpoint> {
  /** The endpoint whose body schema defines a check of the type. */
  readonly createEndpoint: E;
  /** Values of unset fields in responses. Excludes retryStrategy, where null means no retries. */
  readonly defaults: Defaults;
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

const withoutSecrets = <T extends object, E extends Endpoint>(
  defaults: Defaults,
  createEndpoint: E,
): CheckTypeDefinition<T, E> => ({
  createEndpoint,
  defaults,
  mask: (body) => body,
  restore: (change) => change,
});
/** Returns the definition of a type whose only secrets are in environment variables. */
const withVariables = <T extends WithVariables, E extends Endpoint>(
  defaults: Defaults,
  createEndpoint: E,
): CheckTypeDefinition<T, E> => ({
  createEndpoint,
  defaults,
  mask: maskBodyVariables,
  restore: restoreBodyVariables,
});

/** The fields that the specification does not have in the response for a DNS check. */
const HIDDEN_DNS_FIELDS: ReadonlySet<string> = new Set([
  'script',
  'heartbeat',
  'scriptPath',
  'sslCheckDomain',
  'environmentVariables',
  'setupSnippetId',
  'tearDownSnippetId',
  'localSetupScript',
  'localTearDownScript',
]);

const API_DEFAULTS = {
  ...RUNTIME_DEFAULTS,
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
};
const SUITE_DEFAULTS = {
  ...RUNTIME_DEFAULTS,
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

const CHECK_TYPE_DEFINITIONS = {
  DNS: {
    createEndpoint: createDnsCheck,
    defaults: RUNTIME_DEFAULTS,
    mask: (body) =>
      Object.fromEntries(Object.entries(body).filter(([field]) => !HIDDEN_DNS_FIELDS.has(field))),
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
} satisfies { readonly [T in CheckType]: CheckTypeDefinition<CheckBodies[T]> };

export type CheckResponses = {
  [T in CheckType]: ResponseOf<(typeof CHECK_TYPE_DEFINITIONS)[T]['createEndpoint']>;
};

export const checkTypeDefinition = (type: CheckType): CheckTypeDefinition<CheckBodies[CheckType]> =>
  CHECK_TYPE_DEFINITIONS[type] as CheckTypeDefinition<CheckBodies[CheckType]>;

type CheckResponse = ResponseOf<typeof listChecks>[number];

export interface CheckRelations {
  readonly subscriptions: readonly Subscription[];
  readonly channels: readonly AlertChannelRecord[];
  /** Only for heartbeat checks. */
  readonly heartbeat?: HeartbeatRecord | undefined;
  /** The public URL of the service; undefined if it is unknown. */
  readonly publicUrl: string | undefined;
}

function presentHeartbeat({ token, lastPingAt, dueAt }: HeartbeatRecord, publicUrl = '') {
  return {
    pingUrl: `${publicUrl}/ping/${token}`,
    lastPingAt: toIsoOrNull(lastPingAt),
    dueAt: toIsoOrNull(dueAt),
  };
}

export function presentTypedCheck<T extends CheckType>(
  check: CheckRecord,
  relations: CheckRelations,
  type: T,
): CheckResponses[T] {
  const { subscriptions, channels, heartbeat, publicUrl } = relations;
  const { defaults, mask } = checkTypeDefinition(type);
  const body = mask(check.body);
  const { frequencyOffset } = check;
  return {
    id: check.id,
    checkType: type,
    ...defaults,
    ...body,
    ...(check.type === 'HEARTBEAT' && heartbeat
      ? { heartbeat: { ...check.body.heartbeat, ...presentHeartbeat(heartbeat, publicUrl) } }
      : {}),
    ...(frequencyOffset === null || !hasFrequencyOffset(check) ? {} : { frequencyOffset }),
    alertChannelSubscriptions: presentSubscriptions(subscriptions),
    alertChannels: presentChannels(subscriptions, channels),
    ...timestamps(check),
  } as CheckResponses[T];
}

const TYPES_WITH_OFFSET: readonly CheckType[] = ['API', 'DNS', 'ICMP', 'TCP', 'URL'];
/** Returns whether the response includes the frequency offset, which users may set only for these types. */
const hasFrequencyOffset = ({ type }: CheckRecord): boolean => TYPES_WITH_OFFSET.includes(type);

/** Returns the response of lists and of the endpoints for all types. */
export function presentCheck(check: CheckRecord, relations: CheckRelations): CheckResponse {
  return {
    ...presentTypedCheck(check, relations, check.type),
    id: check.id,
    name: check.name,
    checkType: check.type,
    status: check.status,
    nextRunAt: toIsoOrNull(check.nextRunAt),
  };
}
