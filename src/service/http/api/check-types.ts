/** Defines for each check type its defaults and secrets, and converts stored checks to responses. */
import {
  CHECK_TYPE_NAMES,
  type CheckType,
  type UptimeCheckType,
} from '../../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../../contract/generated/check-type-endpoints.js';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Endpoint, listChecks, ResponseOf } from '../../../contract/index.ts';
import type {
  AlertChannelRecord,
  CheckBodies,
  CheckRecord,
  HeartbeatRecord,
  Subscription,
} from '../../store/index.ts';
import { presentSubscriptions } from './check-subscriptions.ts';
import { timestamps, toIsoOrNull } from './document-resource.ts';
import { maskSecrets, presentChannels, restoreOptions, restoreRequest, restoreVariables } from './secrets.ts';

/** The response for a check of each type. */
export type CheckResponses = {
  [T in CheckType]: ResponseOf<(typeof CHECK_TYPE_ENDPOINTS)[T]['create']>;
};

interface CheckTypeDefinition<Body> {
  /** Values of unset fields in responses. Excludes retryStrategy, where null means no retries. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Returns the body without secrets for responses: adds and drops fields. */
  readonly present: (body: Body) => object;
  /** Restores the masked values that a change sends back. */
  readonly restore: (change: Partial<Body>, before: Body) => Partial<Body>;
}

const COMMON_DEFAULTS = { tags: [], groupId: null, groupOrder: null, description: null };
const LOCATION_DEFAULTS = { ...COMMON_DEFAULTS, locations: null, privateLocations: null };
const RUNTIME_DEFAULTS = { ...LOCATION_DEFAULTS, runtimeId: null };
const SCRIPT_DEFAULTS = {
  ...RUNTIME_DEFAULTS,
  scriptPath: null,
  dependencies: null,
  playwrightConfig: null,
};

interface WithVariables {
  readonly environmentVariables?: CheckBodies['BROWSER']['environmentVariables'];
}
/** Responses contain the variables of a check even if it has none. */
const presentVariables = <Body extends WithVariables>(body: Body) => ({
  ...body,
  environmentVariables: body.environmentVariables ?? null,
});
function restoreBodyVariables<Body extends WithVariables>(
  change: Partial<Body>,
  before: Body,
): Partial<Body> {
  const environmentVariables = restoreVariables(change.environmentVariables, before.environmentVariables);
  return environmentVariables === undefined ? change : { ...change, environmentVariables };
}

const withoutSecrets = <T>(defaults: Readonly<Record<string, unknown>>): CheckTypeDefinition<T> => ({
  defaults,
  present: (body) => body as object,
  restore: (change) => change,
});
const withVariables = <T extends WithVariables>(
  defaults: Readonly<Record<string, unknown>>,
): CheckTypeDefinition<T> => ({
  defaults,
  present: presentVariables,
  restore: restoreBodyVariables,
});

const withScript = <T extends CheckBodies['BROWSER'] | CheckBodies['MULTI_STEP']>(
  defaults: Readonly<Record<string, unknown>>,
): CheckTypeDefinition<T> => ({
  defaults,
  present: presentVariables,
  restore: (change, before) => restoreOptions(restoreBodyVariables(change, before), before),
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

type Definitions<T extends CheckType> = { readonly [N in T]: CheckTypeDefinition<CheckBodies[N]> };

/** A type that executes nothing of the user and uses no variables has no secrets. */
const UPTIME_DEFINITIONS = Object.fromEntries(
  CHECK_TYPE_NAMES.map((type) => [type, withoutSecrets(RUNTIME_DEFAULTS)]),
) as Definitions<UptimeCheckType>;

const CHECK_TYPE_DEFINITIONS: Definitions<CheckType> = {
  ...UPTIME_DEFINITIONS,
  DNS: {
    defaults: RUNTIME_DEFAULTS,
    present: (body) =>
      Object.fromEntries(Object.entries(body).filter(([field]) => !HIDDEN_DNS_FIELDS.has(field))),
    restore: restoreBodyVariables,
  },
  BROWSER: withScript({ ...SCRIPT_DEFAULTS, sslCheckDomain: null }),
  API: {
    defaults: API_DEFAULTS,
    present: presentVariables,
    restore(change, before) {
      const restored = restoreBodyVariables(change, before);
      return restored.request
        ? { ...restored, request: restoreRequest(restored.request, before.request) }
        : restored;
    },
  },
  HEARTBEAT: withoutSecrets(COMMON_DEFAULTS),
  MULTI_STEP: withScript(SCRIPT_DEFAULTS),
  PLAYWRIGHT: {
    ...withVariables(SUITE_DEFAULTS),
    present: (body) => ({ ...presentVariables(body), codeBundlePath: body.codeBundleId }),
  },
  AGENTIC: withVariables(RUNTIME_DEFAULTS),
};

/** Returns the definition of a type whose body is not inspected. */
export const checkTypeDefinition = (type: CheckType): CheckTypeDefinition<CheckBodies[CheckType]> =>
  CHECK_TYPE_DEFINITIONS[type] as CheckTypeDefinition<CheckBodies[CheckType]>;

/** Returns the endpoint whose body schema defines a check of the type. */
export const createEndpointOf = (type: CheckType): Endpoint => CHECK_TYPE_ENDPOINTS[type].create;

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
    pingToken: token,
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
  const { defaults, present } = checkTypeDefinition(type);
  const body = present(maskSecrets(createEndpointOf(type).body, check.body));
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

/** Returns whether the response includes the frequency offset, which users may set only for these types. */
const hasFrequencyOffset = ({ type }: CheckRecord): boolean => CHECK_TYPES[type].schedule === 'uptime';

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
