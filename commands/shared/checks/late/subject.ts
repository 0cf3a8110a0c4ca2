/** What a check looks at, as its card tells it: each type has its own facts. */
import { isObject } from '../../../../src/base/object.ts';
import type { Fact } from '../../../../src/terminal/card/card.ts';
import type { Check } from '../standing.ts';

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
  const server = nameServer === undefined ? "the location's own" : `${nameServer}, port ${port}`;
  return [
    { label: 'Looks up', value: `${query} ${recordType ?? 'A'}` },
    { label: 'Asks', value: `${server}, over ${protocol ?? 'UDP'}` },
  ];
}

function request(fields: Fields): readonly Fact[] {
  const { method, url, followRedirects, skipSSL, ipFamily } = within(fields.request);
  return [
    { label: 'Asks', value: `${method ?? 'GET'} ${url}` },
    { label: 'Redirects', value: followRedirects === false ? 'not followed' : undefined },
    { label: 'Certificates', value: skipSSL === true ? 'any is accepted' : undefined },
    { label: 'Over', value: ipFamily === 'IPv6' ? ipFamily : undefined },
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
    { label: 'Signs in as', value: textOf(within(basicAuth).username) },
    phase('Before', setupSnippetId, localSetupScript),
    phase('After', tearDownSnippetId, localTearDownScript),
    variables(fields),
  ];
}

function connection(fields: Fields): readonly Fact[] {
  const { hostname, port, data, ipFamily } = within(fields.request);
  return [
    { label: 'Connects to', value: `${hostname}, port ${port}` },
    { label: 'Sends', value: textOf(data) && JSON.stringify(data) },
    { label: 'Over', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function pings(fields: Fields): readonly Fact[] {
  const { hostname, pingCount = 10, ipFamily } = within(fields.request);
  return [
    { label: 'Pings', value: `${hostname}, ${pingCount === 1 ? 'once' : `${pingCount} times`}` },
    { label: 'Over', value: ipFamily === 'IPv6' ? ipFamily : undefined },
  ];
}

function heartbeat(fields: Fields): readonly Fact[] {
  const { period, periodUnit, grace, graceUnit, pingUrl, lastPingAt, dueAt } = within(fields.heartbeat);
  const span = (amount: unknown, unit: unknown) =>
    `${amount} ${amount === 1 ? String(unit).replace(/s$/, '') : unit}`;
  return [
    { label: 'Ping', value: textOf(pingUrl) },
    { label: 'Expected every', value: `${span(period, periodUnit)}, at most ${span(grace, graceUnit)} late` },
    ...(textOf(lastPingAt)
      ? [{ label: 'Last ping', value: lastPingAt, kind: 'time' } as const]
      : [{ label: 'Last ping', value: 'none yet: none is missed until the first has come' }]),
    { label: 'Fails', value: textOf(dueAt), kind: 'time' },
  ];
}

function script(fields: Fields): readonly Fact[] {
  return [
    { label: 'Script', value: linesOf(fields.script) },
    { label: 'Runtime', value: textOf(fields.runtimeId) },
    { label: 'Certificate of', value: textOf(fields.sslCheckDomain) },
    variables(fields),
  ];
}

function suite(fields: Fields): readonly Fact[] {
  const { engine, engineVersion, codeBundleId } = fields;
  return [
    { label: 'Configuration', value: textOf(fields.playwrightConfigPath) },
    list('Projects', named(fields.pwProjects)),
    list('Tests tagged', named(fields.pwTags)),
    { label: 'Installs by', value: textOf(fields.installCommand) },
    { label: 'Runs', value: textOf(fields.testCommand) },
    {
      label: 'On',
      value: textOf(engine) && `${engine === 'bun' ? 'Bun' : 'Node.js'} ${engineVersion ?? ''}`.trim(),
    },
    { label: 'Runtime', value: textOf(fields.runtimeId) },
    variables(fields),
    { label: 'Archive', value: textOf(codeBundleId)?.slice(0, 12) },
  ];
}

function task(fields: Fields): readonly Fact[] {
  return [
    { label: 'Does', value: textOf(fields.prompt) },
    list('Skills', named(within(fields.agentRuntime).skills)),
    variables(fields),
  ];
}

const variables = ({ environmentVariables }: Fields): Fact =>
  list('Variables', named(environmentVariables, keyOf));

/** How many packets may be lost, of ICMP checks. */
export function lossOf(check: Check): readonly Fact[] {
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: most } = fieldsOf(check);
  const percent = (value: unknown) => (typeof value === 'number' ? `${value} % lost` : undefined);
  return [
    { label: 'Degraded from', value: percent(degraded) },
    { label: 'Failing from', value: percent(most) },
  ];
}

/** The assertions of a check. */
export const assertedIn = (check: Check): readonly Fields[] =>
  listOf(within(fieldsOf(check).request).assertions).filter(isObject);
