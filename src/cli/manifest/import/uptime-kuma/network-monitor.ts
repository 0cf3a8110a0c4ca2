/** Converts monitors of Uptime Kuma without an HTTP request: port, ping, dns, push and real-browser. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { DNS_RECORD_TYPES } from '../../../../contract/enumerations.ts';
import {
  type Assertion,
  anyOfRecord,
  escapePattern,
  recordAssertion,
  recordCondition,
} from '../assertions.ts';
import { formatSeconds } from '../check-parts.ts';
import type { ReportLoss } from '../conversion.ts';
import { flagOf, jsonOf, numberOf, type Row, textOf } from './tables.ts';

export function convertPort(row: Row, report: ReportLoss): JsonObject {
  if (!['', 'none'].includes(textOf(row, 'expected_tls_alert')))
    report('paused', 'TLS alert', 'a TCP check does not start TLS');
  if (!['', 'none'].includes(textOf(row, 'smtp_security')) && flagOf(row, 'expiry_notification'))
    report('changed', 'certificate', 'the TCP check does not examine the certificate');
  return {
    checkType: 'TCP',
    request: { hostname: hostOf(row), port: numberOf(row, 'port') },
    degradedResponseTime: null,
    maxResponseTime: 5000,
  };
}

const DEFAULT_PACKET_BYTES = 56;

/** A ping of Uptime Kuma is up if one packet is answered. */
export function convertPing(row: Row, report: ReportLoss): JsonObject {
  const size = numberOf(row, 'packet_size', DEFAULT_PACKET_BYTES);
  if (size !== DEFAULT_PACKET_BYTES)
    report('changed', 'packet size', `${size} bytes; sonde decides the size`);
  return {
    checkType: 'ICMP',
    request: { hostname: hostOf(row), pingCount: Math.min(Math.max(numberOf(row, 'ping_count', 1), 1), 50) },
    degradedPacketLossThreshold: 100,
    maxPacketLossThreshold: 100,
  };
}

const hostOf = (row: Row): string => textOf(row, 'hostname').trim();

/** Returns the fields of the check. Undefined: it cannot be converted, and the reason is reported. */
export function convertDns(row: Row, report: ReportLoss): JsonObject | undefined {
  const recordType = textOf(row, 'dns_resolve_type') || 'A';
  if (!(DNS_RECORD_TYPES as readonly string[]).includes(recordType)) {
    report('skipped', undefined, `sonde does not query ${recordType} records`);
    return undefined;
  }
  const [nameServer, ...others] = textOf(row, 'dns_resolve_server')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (others.length > 0)
    report('changed', 'resolvers', `only ${nameServer} is queried, not ${others.join(', ')}`);
  return {
    checkType: 'DNS',
    request: {
      query: hostOf(row),
      recordType,
      ...(nameServer === undefined ? {} : { nameServer, port: numberOf(row, 'port', 53) }),
      assertions: recordAssertions(row, recordType, report),
    },
    degradedResponseTime: null,
    maxResponseTime: 5000,
  };
}

/** Patterns by operator. `any` matches other characters of the compared part. */
const PATTERNS: Readonly<Record<string, (value: string, any: string) => string>> = {
  equals: (value) => value,
  contains: (value, any) => `${any}${value}${any}`,
  starts_with: (value, any) => `${value}${any}`,
  ends_with: (value, any) => `${any}${value}`,
};

/** Returns an assertion that a record of the queried type exists and meets the conditions. */
function recordAssertions(row: Row, recordType: string, report: ReportLoss): readonly Assertion[] {
  const written = jsonOf(row, 'conditions');
  const conditions = (Array.isArray(written) ? written : []).filter(isObject);
  const any = anyOfRecord(recordType);
  const filters = conditions.flatMap(({ type, andOr, operator, value }, at) => {
    const name = String(operator);
    const pattern = PATTERNS[name.replace(/^not_/, '')]?.(escapePattern(String(value ?? '')), any);
    if (type !== 'expression' || pattern === undefined || (at > 0 && andOr === 'or')) return [];
    return [`${name.startsWith('not_') ? '!' : ''}${recordCondition(recordType, pattern)}`];
  });
  if (filters.length < conditions.length)
    report('paused', 'conditions', 'groups and "or" have no counterpart; write an assertion with a JSONPath');
  return [recordAssertion(recordType, filters)];
}

const LEAST_PERIOD_SECONDS = 30;

/** The grace is the time that a push monitor waits for its retries, at least its buffer of one second. */
export function convertPush(row: Row, report: ReportLoss): JsonObject {
  const interval = numberOf(row, 'interval', 60);
  const period = Math.max(interval, LEAST_PERIOD_SECONDS);
  if (period !== interval)
    report('changed', 'interval', `${formatSeconds(interval)} became ${formatSeconds(period)}, the minimum`);
  const retries = numberOf(row, 'maxretries');
  const pause = numberOf(row, 'retry_interval') || interval;
  report('changed', 'push URL', 'the job must ping the URL of the new check: sonde checks get <id> shows it');
  return {
    checkType: 'HEARTBEAT',
    heartbeat: { period, periodUnit: 'seconds', grace: Math.max(retries * pause, 1), graceUnit: 'seconds' },
  };
}

export function convertBrowser(row: Row): JsonObject {
  return {
    checkType: 'BROWSER',
    script: [
      "const { expect, test } = require('@playwright/test');",
      '',
      "test('visit the page', async ({ page }) => {",
      `  const response = await page.goto(${JSON.stringify(textOf(row, 'url'))});`,
      '  expect(response.status()).toBeLessThan(400);',
      "  await page.screenshot({ path: 'page.jpg' });",
      '});',
      '',
    ].join('\n'),
  };
}
