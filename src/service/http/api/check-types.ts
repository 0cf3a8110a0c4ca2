/** The check types: a row each, with what makes one, and how its fields are kept and shown. */
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
import { keptRequest, keptVariables, shownRequest, shownVariables } from './secrets.ts';

export type CheckType = keyof CheckBodies;

/** How checks of a type are answered. */
export interface CheckAnswers {
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

export interface CheckTypeRow<Body> {
  /** The endpoint whose body says what a check of the type is. */
  readonly creating: Endpoint;
  /** What answers say of fields that were never set. Not of retryStrategy: there null means no retries. */
  readonly unset: Readonly<Record<string, unknown>>;
  /** The body as answers show it: nothing secret, nothing that they leave out. */
  readonly shown: (body: Body) => object;
  /** What a change means of what it left hidden: as it was. */
  readonly kept: (change: Partial<Body>, before: Body) => Partial<Body>;
}

const STANDING = { tags: [], groupId: null, groupOrder: null, description: null };
const PLACED = { ...STANDING, locations: null, privateLocations: null };
const RUN = { ...PLACED, runtimeId: null };
const SCRIPTED = { ...RUN, scriptPath: null, dependencies: null };

interface WithVariables {
  readonly environmentVariables?: CheckBodies['BROWSER']['environmentVariables'];
}
const shownWithVariables = <Body extends WithVariables>(body: Body) => ({
  ...body,
  environmentVariables: shownVariables(body.environmentVariables ?? null),
});
function keptWithVariables<Body extends WithVariables>(change: Partial<Body>, before: Body): Partial<Body> {
  const environmentVariables = keptVariables(change.environmentVariables, before.environmentVariables);
  return environmentVariables === undefined ? change : { ...change, environmentVariables };
}

const plain = <T>(unset: Readonly<Record<string, unknown>>, creating: Endpoint): CheckTypeRow<T> => ({
  ...{ creating, unset },
  shown: (body) => body as object,
  kept: (change) => change,
});
const withVariables = <T extends WithVariables>(
  unset: Readonly<Record<string, unknown>>,
  creating: Endpoint,
): CheckTypeRow<T> => ({ creating, unset, shown: shownWithVariables, kept: keptWithVariables });

/** What the specification leaves out of a DNS check's answer. */
function shownDns(body: CheckBodies['DNS']): object {
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
    ...shown
  } = body;
  return shown;
}

const API_UNSET = {
  ...RUN,
  ...{ setupSnippetId: null, tearDownSnippetId: null, localSetupScript: null, localTearDownScript: null },
};
const SUITE_UNSET = {
  ...{ ...PLACED, runtimeId: null, playwrightConfigPath: null, workingDir: null, installCommand: null },
  ...{ testCommand: null, pwProjects: [], pwTags: [], include: [], exclude: [] },
  ...{ engine: null, engineVersion: null },
};

export const CHECK_TYPE_ROWS: { readonly [T in CheckType]: CheckTypeRow<CheckBodies[T]> } = {
  DNS: { creating: createDnsCheck, unset: RUN, shown: shownDns, kept: keptWithVariables },
  BROWSER: withVariables({ ...SCRIPTED, sslCheckDomain: null }, createBrowserCheck),
  URL: plain(RUN, createUrlCheck),
  TCP: plain(RUN, createTcpCheck),
  ICMP: plain(RUN, createIcmpCheck),
  API: {
    creating: createApiCheck,
    unset: API_UNSET,
    shown: (body: ApiCheckBody) => ({ ...shownWithVariables(body), request: shownRequest(body.request) }),
    kept(change, before) {
      const kept = keptWithVariables(change, before);
      return kept.request ? { ...kept, request: keptRequest(kept.request, before.request) } : kept;
    },
  },
  HEARTBEAT: plain(STANDING, createHeartbeatCheck),
  MULTI_STEP: withVariables(SCRIPTED, createMultiStepCheck),
  PLAYWRIGHT: withVariables(SUITE_UNSET, createPlaywrightCheck),
  AGENTIC: withVariables(RUN, createAgenticCheck),
};

/** The row of a type whose body is not looked into. */
export const rowOf = (type: CheckType): CheckTypeRow<CheckBodies[CheckType]> =>
  CHECK_TYPE_ROWS[type] as CheckTypeRow<CheckBodies[CheckType]>;
