/** Lists the facts about the target of a check for its card, by check type. */

import { isObject, type JsonObject } from '../../../base/object.ts';
import { textWith } from '../../../base/tolerate.ts';
import { type CheckType, isCheckType } from '../../../contract/check-type-facts.ts';
import type { Fact } from '../../../terminal/card/card.ts';
import type { Check } from '../check-status.ts';
import { formatNextPings } from '../next-pings.ts';

export const asFields = (check: Check): JsonObject => check;

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** Returns the names in a list. Undefined: the list is empty. */
const namesOf = (value: unknown, name: (item: unknown) => unknown = (item) => item) => {
  const names = asList(value).map(name);
  return names.length > 0 ? names : undefined;
};
const keyOf = (item: unknown): unknown => asObject(item).key;
const formatLineCount = (text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined;
  const lines = text.trimEnd().split('\n').length;
  return lines === 1 ? '1 line' : `${lines} lines`;
};
const listFact = (label: string, value: unknown): Fact => ({ label, value, kind: 'list' });

/** Returns facts about the target; none for a type that this version does not know. `now`: ms. */
export function targetFacts(check: Check, now: number): readonly Fact[] {
  const { checkType: type } = check;
  return isCheckType(type) ? TARGET_FACTS[type](asFields(check), now) : [];
}

const TARGET_FACTS = {
  DNS: dnsFacts,
  URL: httpFacts,
  API: apiFacts,
  TCP: tcpFacts,
  ICMP: icmpFacts,
  SSL: sslFacts,
  HEARTBEAT: heartbeatFacts,
  BROWSER: scriptFacts,
  MULTI_STEP: scriptFacts,
  PLAYWRIGHT: playwrightFacts,
  AGENTIC: agenticFacts,
} satisfies Record<CheckType, (fields: JsonObject, now: number) => readonly Fact[]>;

function dnsFacts(fields: JsonObject): readonly Fact[] {
  const { query, recordType, nameServer, port, protocol } = asObject(fields.request);
  const server =
    (nameServer === undefined ? 'default of the location' : textWith`${nameServer}, port ${port}`) ??
    nameServer;
  return [
    { label: 'Query', value: textWith`${query} ${recordType ?? 'A'}` },
    { label: 'Name server', value: textWith`${server}, over ${protocol ?? 'UDP'}` },
  ];
}

function httpFacts(fields: JsonObject): readonly Fact[] {
  const { method, url, followRedirects, skipSSL, ipFamily } = asObject(fields.request);
  return [
    { label: 'Request', value: textWith`${method ?? 'GET'} ${url}` },
    { label: 'Redirects', value: followRedirects === false ? 'not followed' : undefined },
    { label: 'TLS', value: skipSSL === true ? 'certificates are not verified' : undefined },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function apiFacts(fields: JsonObject): readonly Fact[] {
  const { headers, queryParameters, body, bodyType, basicAuth } = asObject(fields.request);
  const { setupSnippetId, localSetupScript, tearDownSnippetId, localTearDownScript } = fields;
  const phase = (label: string, snippet: unknown, own: unknown): Fact =>
    listFact(
      label,
      namesOf([
        ...(typeof snippet === 'number' ? [`snippet ${snippet}`] : []),
        ...(asText(own) ? [`script of ${formatLineCount(own)}`] : []),
      ]),
    );
  const sent = asText(body);
  return [
    ...httpFacts(fields),
    listFact('Headers', namesOf(headers, keyOf)),
    listFact('Parameters', namesOf(queryParameters, keyOf)),
    {
      label: 'Body',
      value:
        sent === undefined
          ? undefined
          : textWith`${bodyType === 'NONE' ? 'RAW' : bodyType}, ${sent.length} characters`,
    },
    { label: 'User name', value: asText(asObject(basicAuth).username) },
    phase('Setup', setupSnippetId, localSetupScript),
    phase('Teardown', tearDownSnippetId, localTearDownScript),
    variablesFact(fields),
  ];
}

function tcpFacts(fields: JsonObject): readonly Fact[] {
  const { hostname, port, data, ipFamily } = asObject(fields.request);
  return [
    { label: 'Target', value: textWith`${hostname}, port ${port}` },
    { label: 'Data', value: asText(data) && JSON.stringify(data) },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function sslFacts(fields: JsonObject): readonly Fact[] {
  const {
    hostname,
    port = 443,
    serverName,
    ipFamily,
    skipChainValidation,
    alertDaysBeforeExpiry = 20,
    securityBaseline,
  } = asObject(asObject(fields.request).sslConfig);
  return [
    { label: 'Target', value: textWith`${hostname}, port ${port}` },
    { label: 'Server name', value: asText(serverName) },
    { label: 'Certificate chain', value: skipChainValidation === true ? 'not verified' : undefined },
    { label: 'Degraded from', value: textWith`${alertDaysBeforeExpiry} days before the certificate expires` },
    { label: 'Security baseline', value: baselineText(asObject(securityBaseline)) },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

/** Lists the rules of a baseline that are not ignored, with their values; undefined without one. */
function baselineText({ enabled, ...rules }: JsonObject): string | undefined {
  if (enabled !== true) return undefined;
  const texts = Object.entries(rules).flatMap(([rule, settings]) => {
    const { value, severity } = asObject(settings);
    if (severity === 'ignore') return [];
    const name = value === undefined ? rule : textWith`${rule} ${value}`;
    return [severity === 'degrade' ? `${name} (degrades)` : name];
  });
  return texts.join(', ') || undefined;
}

function icmpFacts(fields: JsonObject): readonly Fact[] {
  const { hostname, pingCount = 10, ipFamily } = asObject(fields.request);
  return [
    {
      label: 'Target',
      value: textWith`${hostname}, ${pingCount === 1 ? '1 ping' : textWith`${pingCount} pings`}`,
    },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function heartbeatFacts(fields: JsonObject, now: number): readonly Fact[] {
  const heartbeat = asObject(fields.heartbeat);
  const { period, periodUnit, grace, graceUnit, pingUrl, lastPingAt, dueAt, cron, timezone } = heartbeat;
  const span = (amount: unknown, unit: unknown) =>
    textWith`${amount} ${amount === 1 && typeof unit === 'string' ? unit.replace(/s$/, '') : unit}`;
  return [
    { label: 'Ping URL', value: asText(pingUrl) },
    asText(cron) === undefined
      ? { label: 'Interval', value: textWith`${span(period, periodUnit)}, grace ${span(grace, graceUnit)}` }
      : {
          label: 'Schedule',
          value: textWith`${cron} (${asText(timezone) ?? 'UTC'}), grace ${span(grace, graceUnit)}`,
        },
    listFact('Next expected', formatNextPings(heartbeat, now)),
    ...(asText(lastPingAt)
      ? [{ label: 'Last ping', value: lastPingAt, kind: 'time' } as const]
      : [{ label: 'Last ping', value: 'none yet; monitoring starts with the first ping' }]),
    { label: 'Due', value: asText(dueAt), kind: 'time' },
  ];
}

function scriptFacts(fields: JsonObject): readonly Fact[] {
  return [
    { label: 'Script', value: formatLineCount(fields.script) },
    { label: 'Runtime', value: asText(fields.runtimeId) },
    { label: 'Certificate domain', value: asText(fields.sslCheckDomain) },
    variablesFact(fields),
  ];
}

function playwrightFacts(fields: JsonObject): readonly Fact[] {
  const { engine, engineVersion, codeBundleId } = fields;
  return [
    { label: 'Configuration', value: asText(fields.playwrightConfigPath) },
    listFact('Projects', namesOf(fields.pwProjects)),
    listFact('Test tags', namesOf(fields.pwTags)),
    { label: 'Install command', value: asText(fields.installCommand) },
    { label: 'Test command', value: asText(fields.testCommand) },
    {
      label: 'Engine',
      value: asText(engine) && `${engine === 'bun' ? 'Bun' : 'Node.js'} ${engineVersion ?? ''}`.trim(),
    },
    { label: 'Runtime', value: asText(fields.runtimeId) },
    variablesFact(fields),
    { label: 'Code bundle', value: asText(codeBundleId)?.slice(0, 12) },
  ];
}

function agenticFacts(fields: JsonObject): readonly Fact[] {
  return [
    { label: 'Prompt', value: asText(fields.prompt) },
    listFact('Skills', namesOf(asObject(fields.agentRuntime).skills)),
    variablesFact(fields),
  ];
}

const variablesFact = ({ environmentVariables }: JsonObject): Fact =>
  listFact('Variables', namesOf(environmentVariables, keyOf));

export function packetLossFacts(check: Check): readonly Fact[] {
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: most } = asFields(check);
  const percent = (value: unknown) => (typeof value === 'number' ? `${value} % packet loss` : undefined);
  return [
    { label: 'Degraded at', value: percent(degraded) },
    { label: 'Failed at', value: percent(most) },
  ];
}

export const assertionsOf = (check: Check): readonly JsonObject[] =>
  asList(asObject(asFields(check).request).assertions).filter(isObject);
