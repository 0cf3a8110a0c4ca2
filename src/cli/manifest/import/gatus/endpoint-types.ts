/** Converts endpoints of Gatus by the type of their URL: HTTP, DNS, ICMP, TCP and TLS. */
import type { JsonObject } from '../../../../base/object.ts';
import { API_METHODS, DNS_RECORD_TYPES } from '../../../../contract/enumerations.ts';
import {
  type Assertion,
  anyOfRecord,
  latencyAssertion,
  recordAssertion,
  recordCondition,
  statusAssertions,
} from '../assertions.ts';
import { certificateCheck, formatSeconds } from '../check-parts.ts';
import { type Conversion, hasVariable, type ReportLoss } from '../conversion.ts';
import { headersOf, httpCheckOf, splitUrl, withoutSecrets } from '../http-parts.ts';
import { durationOf, flagOf, mapOf, splitAddress, textOf } from '../values.ts';
import {
  bodyAssertion,
  type Condition,
  type Conditions,
  expectedNumber,
  expectedPattern,
  meetsCondition,
} from './conditions.ts';

export interface EndpointSource {
  /** A view of the endpoint. */
  readonly endpoint: JsonObject;
  readonly name: string;
  readonly conditions: Conditions;
  readonly conversion: Conversion;
  readonly report: ReportLoss;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

const isConnected = (value: string) => (condition: Condition) =>
  condition.operator === '==' && 'values' in condition.expected && condition.expected.values[0] === value;
const isTrue = isConnected('true');
const isFalse = isConnected('false');

/** Drops conditions that a check without them means as well. Returns whether the only other one wants no connection. */
function takeConnected({ conditions }: EndpointSource, mayFail: boolean): boolean {
  let isRefused = false;
  conditions.convert('CONNECTED', (condition) => {
    if (mayFail && isFalse(condition)) isRefused = true;
    return isTrue(condition) || (mayFail && isFalse(condition)) ? [] : undefined;
  });
  return isRefused;
}

/** Returns the upper limit in ms of a condition on the response time. Undefined: it has another form. */
function timeLimit(condition: Condition): number | undefined {
  const number = expectedNumber(condition);
  if (Number.isNaN(number) || !condition.operator.startsWith('<')) return undefined;
  return condition.operator === '<' ? number : number + 1;
}

const timeoutOf = ({ endpoint, report }: EndpointSource): number =>
  durationOf(mapOf(endpoint.client), 'timeout', DEFAULT_TIMEOUT_SECONDS, report, 'client.timeout') * 1000;

/** Returns the limits of the response time: the timeout, or a shorter condition. */
function timeLimits(source: EndpointSource, maximumMs: number): JsonObject {
  const limits = source.conditions.convert('RESPONSE_TIME', timeLimit);
  const wanted = Math.min(timeoutOf(source), ...limits);
  if (wanted > maximumMs) {
    const field = limits.length > 0 ? 'response time' : 'timeout';
    source.report(
      'changed',
      field,
      `${formatSeconds(wanted / 1000)} became ${formatSeconds(maximumMs / 1000)}, the maximum`,
    );
  }
  return { degradedResponseTime: null, maxResponseTime: Math.round(Math.min(wanted, maximumMs)) };
}

/** Returns the host of an address. Undefined: its port is no number, which is reported. */
function addressOf({ report }: EndpointSource, address: string): ReturnType<typeof splitAddress> | undefined {
  const split = splitAddress(address);
  if (split.hostname !== '' && !Number.isNaN(split.port)) return split;
  report('skipped', undefined, `its URL has no valid host and port: ${address}`);
  return undefined;
}

export function convertHttp(source: EndpointSource): JsonObject | undefined {
  const { endpoint, name, conditions, conversion, report } = source;
  const method = (textOf(endpoint.method) || 'GET').toUpperCase();
  if (!(API_METHODS as readonly string[]).includes(method)) {
    report('skipped', undefined, `sonde does not send ${method} requests`);
    return undefined;
  }
  const client = clientOf(source);
  const { url, basicAuth } = splitUrl(textOf(endpoint.url), conversion, name);
  const headers = Object.entries(mapOf(endpoint.headers)).map(
    ([key, value]) => [key, textOf(value)] as const,
  );
  const isJson = headers.some(([key, value]) => /^content-type$/i.test(key) && /json/i.test(value));
  const body = withoutSecrets(bodyOf(source), conversion, name, 'body');
  const isRefused = takeConnected(source, true);
  const status = conditions.convert('STATUS', (condition) =>
    hasVariable(condition.text) ? undefined : condition,
  );
  const bodies = conditions.convert('BODY', (condition) => {
    const assertion = bodyAssertion(condition);
    if (assertion?.comparison === 'NOT_EQUALS' && assertion.source === 'JSON_BODY')
      report('changed', `condition ${condition.text}`, 'the check also fails if the path is missing');
    return assertion;
  });
  return {
    ...httpCheckOf({
      method,
      url,
      headers: headersOf(headers, conversion, name),
      body,
      bodyType: flagOf(endpoint, 'graphql', report) ? 'GRAPHQL' : isJson ? 'JSON' : 'RAW',
      basicAuth,
      ...client,
      assertions: [
        ...statusAssertions((code) => status.every((condition) => meetsCondition(condition, code))),
        ...bodies,
      ],
    }),
    ...timeLimits(source, 30_000),
    ...(isRefused ? { shouldFail: true } : {}),
  };
}

const clientFlag = ({ endpoint, report }: EndpointSource, field: string): boolean =>
  flagOf(mapOf(endpoint.client), field, report, { path: `client.${field}` });

/** Whether the check accepts an untrusted certificate. */
export const skipsChain = (source: EndpointSource): boolean => clientFlag(source, 'insecure');

const clientOf = (source: EndpointSource) => ({
  followRedirects: !clientFlag(source, 'ignore-redirect'),
  skipSSL: skipsChain(source),
});

/** Returns the body with the values of its placeholders. */
function bodyOf({ endpoint, report }: EndpointSource): string {
  const values: Readonly<Record<string, string>> = {
    ENDPOINT_NAME: textOf(endpoint.name),
    ENDPOINT_GROUP: textOf(endpoint.group),
    ENDPOINT_URL: textOf(endpoint.url),
  };
  const body = textOf(endpoint.body).replace(
    /\[(ENDPOINT_(?:NAME|GROUP|URL))\]/g,
    (_, name: string) => values[name] ?? '',
  );
  if (/\[(?:LOCAL_ADDRESS|RANDOM_STRING_\d+)\]/.test(body))
    report('changed', 'body', 'placeholders stay as they are; use {{$UUID}} or a setup script');
  return body;
}

export function convertDns(source: EndpointSource): JsonObject | undefined {
  const { endpoint, conditions, report } = source;
  const dns = mapOf(endpoint.dns);
  const recordType = textOf(dns['query-type']);
  if (!(DNS_RECORD_TYPES as readonly string[]).includes(recordType)) {
    report('skipped', undefined, `sonde does not query ${recordType} records`);
    return undefined;
  }
  const address = addressOf(source, textOf(endpoint.url));
  if (address === undefined) return undefined;
  takeConnected(source, false);
  const records = conditions.convert('BODY', (condition) => {
    const { operator, path, expected } = condition;
    if ((operator !== '==' && operator !== '!=') || path !== '' || condition.function !== undefined)
      return undefined;
    const pattern = expectedPattern(expected)
      .replaceAll('[\\s\\S]*', anyOfRecord(recordType))
      .replace(/\\\.$/, '');
    return `${operator === '!=' ? '!' : ''}${recordCondition(recordType, `(?:${pattern})`)}`;
  });
  return {
    checkType: 'DNS',
    request: {
      query: textOf(dns['query-name']).replace(/(?<=.)\.$/, ''),
      recordType,
      nameServer: address.hostname,
      port: address.port ?? 53,
      assertions: [
        ...conditions.convert('DNS_RCODE', codeAssertion),
        ...(records.length > 0 ? [recordAssertion(recordType, records)] : []),
      ],
    },
    ...timeLimits(source, 5000),
  };
}

function codeAssertion({ operator, expected, text }: Condition): Assertion | undefined {
  const source = 'RESPONSE_CODE';
  if (operator !== '==' && operator !== '!=') return undefined;
  if ('values' in expected && expected.values.length === 1)
    return {
      source,
      comparison: operator === '==' ? 'EQUALS' : 'NOT_EQUALS',
      target: expected.values[0] ?? '',
    };
  if (hasVariable(text)) return undefined;
  return {
    source,
    comparison: operator === '==' ? 'NOT_NULL' : 'IS_NULL',
    regex: `^(?:${expectedPattern(expected)})$`,
  };
}

/** Gatus sends one packet, and waits for it until the timeout. */
export function convertIcmp(source: EndpointSource): JsonObject | undefined {
  const { endpoint, conditions } = source;
  const client = mapOf(endpoint.client);
  const address = addressOf(source, textOf(endpoint.url).replace(/^icmp:\/\//, ''));
  if (address === undefined) return undefined;
  takeConnected(source, false);
  const limits = [
    ...conditions.convert('RESPONSE_TIME', timeLimit),
    ...(textOf(client.timeout) === '' ? [] : [timeoutOf(source)]),
  ];
  return {
    checkType: 'ICMP',
    request: {
      hostname: address.hostname,
      pingCount: 1,
      ...(textOf(client.network) === 'ip6' ? { ipFamily: 'IPv6' } : {}),
      ...(limits.length > 0 ? { assertions: [latencyAssertion(Math.min(...limits))] } : {}),
    },
    degradedPacketLossThreshold: 100,
    maxPacketLossThreshold: 100,
  };
}

export function convertTcp(source: EndpointSource): JsonObject | undefined {
  const { endpoint, conditions, report } = source;
  const address = addressOf(source, textOf(endpoint.url).replace(/^tcp:\/\//, ''));
  if (address === undefined) return undefined;
  const { hostname, port } = address;
  if (port === undefined) {
    report('skipped', undefined, 'its URL has no port');
    return undefined;
  }
  const isRefused = takeConnected(source, true);
  const assertions = conditions.convert('BODY', (condition) => {
    const assertion = bodyAssertion(condition, 'RESPONSE_DATA');
    return assertion?.source === 'RESPONSE_DATA' ? assertion : undefined;
  });
  const data = bodyOf(source);
  return {
    checkType: 'TCP',
    request: {
      hostname,
      port,
      ...(data === '' ? {} : { data }),
      ...(assertions.length > 0 ? { assertions } : {}),
    },
    ...timeLimits(source, 5000),
    ...(isRefused ? { shouldFail: true } : {}),
  };
}

export function convertTls(source: EndpointSource): JsonObject | undefined {
  const address = addressOf(source, textOf(source.endpoint.url).replace(/^tls:\/\//, ''));
  return address && tlsCheck(source, { hostname: address.hostname, port: address.port ?? 443 });
}

/** Returns a check of the certificate of a host, which all certificate conditions decide. */
export function tlsCheck(
  source: EndpointSource,
  host: { readonly hostname: string; readonly port: number | string },
): JsonObject {
  takeConnected(source, false);
  const days = Math.max(0, ...expiryDays(source));
  return {
    checkType: 'SSL',
    ...certificateCheck({ ...host, skipsChain: skipsChain(source) }, days, 'fails'),
    ...timeLimits(source, 30_000),
  };
}

const DAY_MS = 24 * 3600 * 1000;

/** Returns the days that a certificate must still be valid, of each condition. */
export const expiryDays = ({ conditions, report }: EndpointSource): readonly number[] =>
  conditions.convert('CERTIFICATE_EXPIRATION', (condition) => {
    const milliseconds = expectedNumber(condition);
    if (!condition.operator.startsWith('>') || Number.isNaN(milliseconds)) return undefined;
    const days = Math.ceil(milliseconds / DAY_MS);
    if (days * DAY_MS !== milliseconds)
      report('changed', `condition ${condition.text}`, `the check counts whole days: ${days}`);
    return days;
  });
