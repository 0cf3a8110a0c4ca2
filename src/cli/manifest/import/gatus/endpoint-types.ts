/** Converts endpoints of Gatus by the type of their URL: HTTP, DNS, ICMP, TCP and TLS. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { API_METHODS, DNS_RECORD_TYPES } from '../../../../contract/enumerations.ts';
import { anyOfRecord, recordAssertion, recordCondition, statusAssertions } from '../assertions.ts';
import { certificateCheck, formatSeconds } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { headersOf, httpCheckOf, splitUrl, withoutSecrets } from '../http-parts.ts';
import { mapOf, secondsOf, splitAddress, textOf } from '../values.ts';
import {
  bodyAssertion,
  type Condition,
  expectedNumber,
  expectedPattern,
  meetsCondition,
} from './conditions.ts';

export interface EndpointSource {
  readonly endpoint: JsonObject;
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly conversion: Conversion;
  readonly report: ReportLoss;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Reports a condition without a counterpart. */
const loseCondition = ({ report }: EndpointSource, { text }: Condition): void =>
  report('paused', `condition ${text}`, 'it has no counterpart; write an assertion');

/** Returns the conditions of a placeholder, and all others. */
function partition(conditions: readonly Condition[], ...placeholders: readonly string[]) {
  const isOwn = ({ placeholder }: Condition) => placeholders.includes(placeholder);
  return [conditions.filter(isOwn), conditions.filter((each) => !isOwn(each))] as const;
}

/** Returns the conditions that a check without them means as well, and those that need an assertion. */
const withoutConnected = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter(
    ({ placeholder, operator, expected }) =>
      !(
        placeholder === 'CONNECTED' &&
        operator === '==' &&
        'values' in expected &&
        expected.values[0] === 'true'
      ),
  );

/** Returns the limits of the response time: the timeout, or a shorter condition. Reports conditions without a counterpart. */
function timeLimits(source: EndpointSource, conditions: readonly Condition[], maximumMs: number): JsonObject {
  const timeout = (secondsOf(mapOf(source.endpoint.client).timeout) ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const limits = conditions.flatMap((condition) => {
    const number = expectedNumber(condition);
    if (Number.isNaN(number) || !condition.operator.startsWith('<')) {
      loseCondition(source, condition);
      return [];
    }
    return [condition.operator === '<' ? number : number + 1];
  });
  const wanted = Math.min(timeout, ...limits);
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

export function convertHttp(source: EndpointSource): JsonObject | undefined {
  const { endpoint, name, conversion, report } = source;
  const method = (textOf(endpoint.method) || 'GET').toUpperCase();
  if (!(API_METHODS as readonly string[]).includes(method)) {
    report('skipped', 'method', `sonde does not send ${method} requests`);
    return undefined;
  }
  const [status, afterStatus] = partition(withoutConnected(source.conditions), 'STATUS');
  const [times, afterTimes] = partition(afterStatus, 'RESPONSE_TIME');
  const [bodies, others] = partition(afterTimes, 'BODY');
  const client = clientOf(source);
  const { url, basicAuth } = splitUrl(textOf(endpoint.url), conversion, name);
  const headers = Object.entries(mapOf(endpoint.headers)).map(
    ([key, value]) => [key, textOf(value)] as const,
  );
  const isJson = headers.some(([key, value]) => /^content-type$/i.test(key) && /json/i.test(value));
  const body = withoutSecrets(bodyOf(source), conversion, name);
  const isRefused = others.length === 1 && others[0] !== undefined && isConnectionRefused(others[0]);
  for (const condition of isRefused ? [] : others) loseCondition(source, condition);
  return {
    ...httpCheckOf({
      method,
      url,
      headers: headersOf(headers, conversion, name),
      body,
      bodyType: endpoint.graphql === true ? 'GRAPHQL' : isJson ? 'JSON' : 'RAW',
      basicAuth,
      ...client,
      assertions: [
        ...statusAssertions((code) => status.every((condition) => meetsCondition(condition, code))),
        ...bodies.flatMap((condition) => {
          const assertion = bodyAssertion(condition);
          if (assertion === undefined) loseCondition(source, condition);
          if (assertion?.comparison === 'NOT_EQUALS' && assertion.source === 'JSON_BODY')
            report('changed', `condition ${condition.text}`, 'the check also fails if the path is missing');
          return assertion ?? [];
        }),
      ],
    }),
    ...timeLimits(source, times, 30_000),
    ...(isRefused ? { shouldFail: true } : {}),
  };
}

/** Whether a condition expects that there is no connection. */
const isConnectionRefused = ({ placeholder, operator, expected }: Condition): boolean =>
  placeholder === 'CONNECTED' && operator === '==' && 'values' in expected && expected.values[0] === 'false';

/** Returns settings of the client. Reports those that have no counterpart. */
function clientOf({ endpoint, report }: EndpointSource) {
  const client = mapOf(endpoint.client);
  const paused: Readonly<Record<string, string>> = {
    oauth2: 'sonde does not request OAuth tokens; fetch the token in a setup script',
    'identity-aware-proxy': 'sonde does not request tokens of the proxy; fetch the token in a setup script',
    tls: 'client certificates are not part of the files; add it with: sonde client-certificates create',
    tunnel: 'sonde opens no SSH tunnels; run the check in a private location',
  };
  for (const [field, reason] of Object.entries(paused))
    if (isObject(client[field]) || textOf(client[field]) !== '') report('paused', `client.${field}`, reason);
  if (textOf(client['proxy-url']) !== '')
    report(
      'changed',
      'client.proxy-url',
      'the check connects without a proxy; run it in a private location behind one',
    );
  if (textOf(client['dns-resolver']) !== '')
    report('changed', 'client.dns-resolver', 'the location resolves the name');
  return { followRedirects: client['ignore-redirect'] !== true, skipSSL: client.insecure === true };
}

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
    report('skipped', 'record type', `sonde does not query ${recordType} records`);
    return undefined;
  }
  const { hostname, port = 53 } = splitAddress(textOf(endpoint.url));
  const [codes, afterCodes] = partition(withoutConnected(conditions), 'DNS_RCODE');
  const [times, afterTimes] = partition(afterCodes, 'RESPONSE_TIME');
  const [bodies, others] = partition(afterTimes, 'BODY');
  const records = bodies.flatMap((condition) => {
    const { operator, path, expected } = condition;
    if ((operator === '==' || operator === '!=') && path === '' && condition.function === undefined) {
      const pattern = expectedPattern(expected)
        .replaceAll('[\\s\\S]*', anyOfRecord(recordType))
        .replace(/\\\.$/, '');
      return [`${operator === '!=' ? '!' : ''}${recordCondition(recordType, `(?:${pattern})`)}`];
    }
    loseCondition(source, condition);
    return [];
  });
  for (const condition of others) loseCondition(source, condition);
  return {
    checkType: 'DNS',
    request: {
      query: textOf(dns['query-name']).replace(/(?<=.)\.$/, ''),
      recordType,
      nameServer: hostname,
      port,
      assertions: [
        ...codes.map((condition) => ({
          source: 'RESPONSE_CODE',
          comparison: condition.operator === '!=' ? 'NOT_EQUALS' : 'EQUALS',
          target: 'values' in condition.expected ? (condition.expected.values[0] ?? '') : '',
        })),
        ...(records.length > 0 ? [recordAssertion(recordType, records)] : []),
      ],
    },
    ...timeLimits(source, times, 5000),
  };
}

/** Gatus sends one packet. */
export function convertIcmp(source: EndpointSource): JsonObject {
  const { endpoint, conditions } = source;
  const [times, others] = partition(withoutConnected(conditions), 'RESPONSE_TIME');
  const assertions = times.flatMap((condition) => {
    const number = expectedNumber(condition);
    if (!Number.isNaN(number) && condition.operator.startsWith('<')) {
      const target = String(condition.operator === '<' ? number : number + 1);
      return [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target }];
    }
    loseCondition(source, condition);
    return [];
  });
  for (const condition of others) loseCondition(source, condition);
  const isIpv6 = textOf(mapOf(endpoint.client).network) === 'ip6';
  return {
    checkType: 'ICMP',
    request: {
      hostname: textOf(endpoint.url)
        .replace(/^icmp:\/\//, '')
        .replace(/\/$/, ''),
      pingCount: 1,
      ...(isIpv6 ? { ipFamily: 'IPv6' } : {}),
      ...(assertions.length > 0 ? { assertions } : {}),
    },
    degradedPacketLossThreshold: 100,
    maxPacketLossThreshold: 100,
  };
}

export function convertTcp(source: EndpointSource): JsonObject | undefined {
  const { endpoint, conditions, report } = source;
  const { hostname, port } = splitAddress(textOf(endpoint.url).replace(/^tcp:\/\//, ''));
  if (port === undefined) {
    report('skipped', 'url', 'it has no port');
    return undefined;
  }
  const [times, afterTimes] = partition(withoutConnected(conditions), 'RESPONSE_TIME');
  const [bodies, others] = partition(afterTimes, 'BODY');
  const isRefused = others.length === 1 && others[0] !== undefined && isConnectionRefused(others[0]);
  for (const condition of isRefused ? [] : others) loseCondition(source, condition);
  const assertions = bodies.flatMap((condition) => {
    const assertion = bodyAssertion(condition, 'RESPONSE_DATA');
    if (assertion?.source === 'RESPONSE_DATA') return [assertion];
    loseCondition(source, condition);
    return [];
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
    ...timeLimits(source, times, 5000),
    ...(isRefused ? { shouldFail: true } : {}),
  };
}

export function convertTls(source: EndpointSource): JsonObject {
  const { hostname, port = 443 } = splitAddress(textOf(source.endpoint.url).replace(/^tls:\/\//, ''));
  const [certificates, afterCertificates] = partition(
    withoutConnected(source.conditions),
    'CERTIFICATE_EXPIRATION',
  );
  const [times, others] = partition(afterCertificates, 'RESPONSE_TIME');
  for (const condition of others) loseCondition(source, condition);
  const days = Math.max(0, ...certificates.map((condition) => expiryDays(source, condition) ?? 0));
  return {
    checkType: 'SSL',
    ...certificateCheck({ hostname, port, skipsChain: clientOf(source).skipSSL }, days, 'fails'),
    ...timeLimits(source, times, 30_000),
  };
}

const DAY_MS = 24 * 3600 * 1000;

/** Returns the days that a certificate must still be valid. Undefined: the condition has no counterpart, and is reported. */
export function expiryDays(source: EndpointSource, condition: Condition): number | undefined {
  const milliseconds = expectedNumber(condition);
  if (!condition.operator.startsWith('>') || Number.isNaN(milliseconds)) {
    loseCondition(source, condition);
    return undefined;
  }
  const days = Math.ceil(milliseconds / DAY_MS);
  if (days * DAY_MS !== milliseconds)
    source.report('changed', `condition ${condition.text}`, `the check counts whole days: ${days}`);
  return days;
}
