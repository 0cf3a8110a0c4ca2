/**
 * Describes every check type in one row. Endpoints, handlers, unions of types, flags, labels and limits are derived from it.
 * Build time only: scripts/generate.mjs writes the facts of each row to generated/check-types.js.
 */
import type { TSchema } from 'typebox';
import type { AssertionSource, RuleName } from './endpoint.ts';
import { agenticCheck } from './resources/checks/agentic.ts';
import { dnsCheck } from './resources/checks/dns.ts';
import { heartbeatCheck } from './resources/checks/heartbeat.ts';
import { apiCheck, urlCheck } from './resources/checks/http.ts';
import { icmpCheck } from './resources/checks/icmp.ts';
import { playwrightCheck } from './resources/checks/playwright.ts';
import { browserCheck, multiStepCheck } from './resources/checks/scripted.ts';
import { sslCheck } from './resources/checks/ssl.ts';
import { tcpCheck } from './resources/checks/tcp.ts';

interface CheckSchemas {
  readonly body: TSchema;
  readonly answer: TSchema;
  readonly change: TSchema;
  /** Sources of its assertions; absent: it has none. */
  readonly sources?: Readonly<Record<string, AssertionSource>>;
}

/** Facts that the client and the service need at run time. */
interface CheckTypeFacts {
  /** Part of its paths and of its command: `/v1/checks/tcp`, `checks create-tcp`. */
  readonly path: string;
  /** Part of names of endpoints and fields: `createTcpCheck`, `tcpCheckResult`. */
  readonly id: string;
  /** Name in a sentence: `multi-step`. */
  readonly label: string;
  readonly article: 'a' | 'an';
  /** Name as a value on a page. */
  readonly title: string;
  /** `uptime`: with an offset, from 10 s; `scripted`: from one minute; `none`: it is pinged instead of run. */
  readonly schedule: 'uptime' | 'scripted' | 'none';
  /** Whether its retry strategy applies. Playwright retries the tests of a suite itself. */
  readonly hasRetries: boolean;
  /** Whether a script or the request uses variables. These types run in a sandbox. */
  readonly usesVariables: boolean;
  /** Whether a run has several tests that fail independently. */
  readonly hasTests: boolean;
  /** Time limit of an attempt (docs/gaps.md). */
  readonly timeoutMs: number;
  /** Flags of nested fields, by path. */
  readonly flags: Readonly<Record<string, string>>;
  /** Values of required fields that have no meaning for the type. */
  readonly fill: Readonly<Record<string, unknown>>;
}

interface CheckTypeRow extends CheckTypeFacts {
  readonly schemas: CheckSchemas;
  /** Rules between fields, besides that of `frequencyOffset`. */
  readonly rules: readonly RuleName[];
  /** Content of the result field, if only docs/gaps.md defines the field. */
  readonly result?: string;
  /** Number of the endpoint that creates it in the specification. */
  readonly number?: number;
}

const MINUTE_MS = 60_000;

const uptime = {
  schedule: 'uptime',
  hasRetries: true,
  hasTests: false,
  timeoutMs: 30_000,
  fill: {},
} as const;
const scripted = { schedule: 'scripted', usesVariables: true, flags: {}, fill: {} } as const;

const HTTP_FLAGS = {
  'request.url': 'url',
  'request.method': 'method',
  'request.followRedirects': 'follow-redirects',
  'request.skipSSL': 'skip-ssl',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const CHECK_TYPES = {
  AGENTIC: {
    ...scripted,
    path: 'agentic',
    id: 'agentic',
    label: 'agentic',
    article: 'an',
    title: 'Agentic',
    hasRetries: true,
    hasTests: false,
    timeoutMs: 4 * MINUTE_MS,
    flags: { 'agentRuntime.skills': 'skills' },
    schemas: agenticCheck,
    rules: [],
  },
  API: {
    ...uptime,
    path: 'api',
    id: 'api',
    label: 'API',
    article: 'an',
    title: 'API',
    usesVariables: true,
    flags: {
      ...HTTP_FLAGS,
      'request.headers': 'header',
      'request.queryParameters': 'query-parameter',
      'request.body': 'body',
      'request.bodyType': 'body-type',
      'request.basicAuth.username': 'username',
      'request.basicAuth.password': 'password',
    },
    schemas: apiCheck,
    rules: ['assertionTargets', 'sendableTexts', 'scriptPackages'],
  },
  BROWSER: {
    ...scripted,
    path: 'browser',
    id: 'browser',
    label: 'browser',
    article: 'a',
    title: 'Browser',
    hasRetries: true,
    hasTests: true,
    timeoutMs: 4 * MINUTE_MS,
    schemas: browserCheck,
    rules: ['scriptPaths', 'scriptPackages'],
    number: 3,
  },
  HEARTBEAT: {
    path: 'heartbeat',
    id: 'heartbeat',
    label: 'heartbeat',
    article: 'a',
    title: 'Heartbeat',
    schedule: 'none',
    hasRetries: false,
    usesVariables: false,
    hasTests: false,
    timeoutMs: 30_000,
    flags: {
      'heartbeat.period': 'period',
      'heartbeat.periodUnit': 'period-unit',
      'heartbeat.cron': 'cron',
      'heartbeat.timezone': 'timezone',
      'heartbeat.grace': 'grace',
      'heartbeat.graceUnit': 'grace-unit',
    },
    fill: {},
    schemas: heartbeatCheck,
    rules: ['heartbeatTimes'],
    result: 'received or missed ping',
  },
  ICMP: {
    ...uptime,
    path: 'icmp',
    id: 'icmp',
    label: 'ICMP',
    article: 'an',
    title: 'ICMP',
    usesVariables: false,
    flags: {
      'request.hostname': 'hostname',
      'request.pingCount': 'ping-count',
      'request.ipFamily': 'ip-family',
      'request.assertions': 'assert',
    },
    schemas: icmpCheck,
    rules: ['assertionTargets', 'sendableTexts'],
    result: 'replies and assertions',
  },
  MULTI_STEP: {
    ...scripted,
    path: 'multistep',
    id: 'multiStep',
    label: 'multi-step',
    article: 'a',
    title: 'Multistep',
    hasRetries: true,
    hasTests: true,
    timeoutMs: 4 * MINUTE_MS,
    schemas: multiStepCheck,
    rules: ['scriptPaths', 'scriptPackages'],
  },
  TCP: {
    ...uptime,
    path: 'tcp',
    id: 'tcp',
    label: 'TCP',
    article: 'a',
    title: 'TCP',
    usesVariables: false,
    flags: {
      'request.hostname': 'hostname',
      'request.port': 'port',
      'request.data': 'data',
      'request.ipFamily': 'ip-family',
      'request.assertions': 'assert',
    },
    schemas: tcpCheck,
    rules: ['assertionTargets', 'sendableTexts'],
    result: 'received data and assertions',
  },
  PLAYWRIGHT: {
    ...scripted,
    path: 'playwright',
    id: 'playwright',
    label: 'Playwright',
    article: 'a',
    title: 'Playwright',
    hasRetries: false,
    hasTests: true,
    timeoutMs: 60 * MINUTE_MS,
    schemas: playwrightCheck,
    rules: [],
  },
  URL: {
    ...uptime,
    path: 'url',
    id: 'url',
    label: 'URL',
    article: 'a',
    title: 'URL',
    usesVariables: false,
    flags: HTTP_FLAGS,
    schemas: urlCheck,
    rules: ['assertionTargets', 'sendableTexts'],
    result: 'response and assertions',
  },
  DNS: {
    ...uptime,
    path: 'dns',
    id: 'dns',
    label: 'DNS',
    article: 'a',
    title: 'DNS',
    usesVariables: false,
    flags: {
      'request.query': 'query',
      'request.recordType': 'record-type',
      'request.nameServer': 'name-server',
      'request.port': 'port',
      'request.protocol': 'protocol',
      'request.assertions': 'assert',
    },
    fill: { heartbeat: {}, script: '' },
    schemas: dnsCheck,
    rules: ['nameServerWithPort', 'assertionTargets', 'sendableTexts'],
    result: 'response and assertions',
    number: 2,
  },
  SSL: {
    ...uptime,
    // A handshake may take 30 s, and the run needs time around it.
    timeoutMs: 40_000,
    path: 'ssl',
    id: 'ssl',
    label: 'SSL',
    article: 'an',
    title: 'SSL',
    usesVariables: false,
    flags: {
      'request.sslConfig.hostname': 'hostname',
      'request.sslConfig.port': 'port',
      'request.sslConfig.serverName': 'server-name',
      'request.sslConfig.ipFamily': 'ip-family',
      'request.sslConfig.skipChainValidation': 'skip-chain-validation',
      'request.sslConfig.handshakeTimeoutMs': 'handshake-timeout-ms',
      'request.sslConfig.alertDaysBeforeExpiry': 'alert-days-before-expiry',
      'request.sslConfig.securityBaseline': 'security-baseline',
      'request.assertions': 'assert',
    },
    schemas: sslCheck,
    rules: ['assertionTargets', 'sendableTexts'],
    result: 'certificate, chain and assertions',
  },
} as const satisfies Readonly<Record<string, CheckTypeRow>>;

export type CheckType = keyof typeof CHECK_TYPES;

export const CHECK_TYPE_ROWS: readonly (readonly [CheckType, CheckTypeRow])[] = Object.entries(
  CHECK_TYPES,
) as [CheckType, CheckTypeRow][];
export const CHECK_TYPE_NAMES = Object.keys(CHECK_TYPES) as readonly CheckType[];

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** Returns the names of the endpoints of a type. */
export const endpointNamesOf = ({ id }: Pick<CheckTypeFacts, 'id'>) => ({
  create: `create${capitalize(id)}Check`,
  update: `update${capitalize(id)}Check`,
});
/** Returns the name of the endpoint with the analytics of a type. */
export const analyticsNameOf = ({ id }: Pick<CheckTypeFacts, 'id'>): string =>
  `get${capitalize(id)}CheckAnalytics`;
/** Returns the name of the field with the details of a result. */
export const resultFieldOf = ({ id }: Pick<CheckTypeFacts, 'id'>): string => `${id}CheckResult`;

/** Returns the facts of a row without what only the build needs. */
export const factsOf = ({ schemas, rules, result, number, ...facts }: CheckTypeRow): object => ({
  ...facts,
  resultField: resultFieldOf(facts),
  analyticsName: analyticsNameOf(facts),
  isResultSpecified: result === undefined,
});
