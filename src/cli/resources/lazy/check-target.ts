/** What a check looks at, as its card tells it: each type has its own facts. */
import { isObject } from '../../../base/object.ts';
import type { Fact } from '../../../terminal/card/card.ts';
import type { Check } from '../check-status.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the types have each for itself. */
export const fieldsOf = (check: Check): Fields => check;

const within = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** A list of names; undefined where there is none. */
const named = (value: unknown, name: (item: unknown) => unknown = (item) => item) => {
  const names = listOf(value).map(name);
  return names.length > 0 ? names : undefined;
};
const keyOf = (item: unknown): unknown => within(item).key;
const linesOf = (script: unknown): string | undefined => {
  if (typeof script !== 'string') return undefined;
  const lines = script.trimEnd().split('\n').length;
  return lines === 1 ? '1 line' : `${lines} lines`;
};
const list = (label: string, value: unknown): Fact => ({ label, value, kind: 'list' });

/** What a check looks at. One of a type that this version does not know has no facts of its own. */
export function subjectOf(check: Check): readonly Fact[] {
  const of: Readonly<Record<string, (fields: Fields) => readonly Fact[]>> = {
    DNS: lookup,
    URL: request,
    API: apiRequest,
    TCP: connection,
    ICMP: pings,
    HEARTBEAT: heartbeat,
    BROWSER: script,
    MULTI_STEP: script,
    PLAYWRIGHT: suite,
    AGENTIC: task,
  };
  const { checkType } = check;
  return Object.hasOwn(of, checkType) ? (of[checkType]?.(fieldsOf(check)) ?? []) : [];
}

function lookup(fields: Fields): readonly Fact[] {
  const { query, recordType, nameServer, port, protocol } = within(fields.request);
  const server = nameServer === undefined ? 'default of the location' : `${nameServer}, port ${port}`;
  return [
    { label: 'Query', value: `${query} ${recordType ?? 'A'}` },
    { label: 'Name server', value: `${server}, over ${protocol ?? 'UDP'}` },
  ];
}

function request(fields: Fields): readonly Fact[] {
  const { method, url, followRedirects, skipSSL, ipFamily } = within(fields.request);
  return [
    { label: 'Request', value: `${method ?? 'GET'} ${url}` },
    { label: 'Redirects', value: followRedirects === false ? 'not followed' : undefined },
    { label: 'Certificates', value: skipSSL === true ? 'not verified' : undefined },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function apiRequest(fields: Fields): readonly Fact[] {
  const { headers, queryParameters, body, bodyType, basicAuth } = within(fields.request);
  const { setupSnippetId, localSetupScript, tearDownSnippetId, localTearDownScript } = fields;
  const phase = (label: string, snippet: unknown, own: unknown): Fact =>
    list(
      label,
      named([
        ...(typeof snippet === 'number' ? [`snippet ${snippet}`] : []),
        ...(textOf(own) ? [`script of ${linesOf(own)}`] : []),
      ]),
    );
  const sent = textOf(body);
  return [
    ...request(fields),
    list('Headers', named(headers, keyOf)),
    list('Parameters', named(queryParameters, keyOf)),
    {
      label: 'Body',
      value:
        sent === undefined
          ? undefined
          : `${bodyType === 'NONE' ? 'RAW' : bodyType}, ${sent.length} characters`,
    },
    { label: 'User name', value: textOf(within(basicAuth).username) },
    phase('Setup', setupSnippetId, localSetupScript),
    phase('Teardown', tearDownSnippetId, localTearDownScript),
    variables(fields),
  ];
}

function connection(fields: Fields): readonly Fact[] {
  const { hostname, port, data, ipFamily } = within(fields.request);
  return [
    { label: 'Target', value: `${hostname}, port ${port}` },
    { label: 'Data', value: textOf(data) && JSON.stringify(data) },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function pings(fields: Fields): readonly Fact[] {
  const { hostname, pingCount = 10, ipFamily } = within(fields.request);
  return [
    { label: 'Target', value: `${hostname}, ${pingCount === 1 ? '1 ping' : `${pingCount} pings`}` },
    { label: 'IP family', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function heartbeat(fields: Fields): readonly Fact[] {
  const { period, periodUnit, grace, graceUnit, pingUrl, lastPingAt, dueAt } = within(fields.heartbeat);
  const span = (amount: unknown, unit: unknown) =>
    `${amount} ${amount === 1 ? String(unit).replace(/s$/, '') : unit}`;
  return [
    { label: 'Ping URL', value: textOf(pingUrl) },
    { label: 'Interval', value: `${span(period, periodUnit)}, grace ${span(grace, graceUnit)}` },
    ...(textOf(lastPingAt)
      ? [{ label: 'Last ping', value: lastPingAt, kind: 'time' } as const]
      : [{ label: 'Last ping', value: 'none yet; monitoring starts with the first ping' }]),
    { label: 'Due', value: textOf(dueAt), kind: 'time' },
  ];
}

function script(fields: Fields): readonly Fact[] {
  return [
    { label: 'Script', value: linesOf(fields.script) },
    { label: 'Runtime', value: textOf(fields.runtimeId) },
    { label: 'Certificate domain', value: textOf(fields.sslCheckDomain) },
    variables(fields),
  ];
}

function suite(fields: Fields): readonly Fact[] {
  const { engine, engineVersion, codeBundleId } = fields;
  return [
    { label: 'Configuration', value: textOf(fields.playwrightConfigPath) },
    list('Projects', named(fields.pwProjects)),
    list('Test tags', named(fields.pwTags)),
    { label: 'Install command', value: textOf(fields.installCommand) },
    { label: 'Test command', value: textOf(fields.testCommand) },
    {
      label: 'Engine',
      value: textOf(engine) && `${engine === 'bun' ? 'Bun' : 'Node.js'} ${engineVersion ?? ''}`.trim(),
    },
    { label: 'Runtime', value: textOf(fields.runtimeId) },
    variables(fields),
    { label: 'Code bundle', value: textOf(codeBundleId)?.slice(0, 12) },
  ];
}

function task(fields: Fields): readonly Fact[] {
  return [
    { label: 'Prompt', value: textOf(fields.prompt) },
    list('Skills', named(within(fields.agentRuntime).skills)),
    variables(fields),
  ];
}

const variables = ({ environmentVariables }: Fields): Fact =>
  list('Variables', named(environmentVariables, keyOf));

/** How many packets may be lost, of ICMP checks. */
export function lossOf(check: Check): readonly Fact[] {
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: most } = fieldsOf(check);
  const percent = (value: unknown) => (typeof value === 'number' ? `${value} % packet loss` : undefined);
  return [
    { label: 'Degraded at', value: percent(degraded) },
    { label: 'Failed at', value: percent(most) },
  ];
}

/** The assertions of a check. */
export const assertedIn = (check: Check): readonly Fields[] =>
  listOf(within(fieldsOf(check).request).assertions).filter(isObject);
