/** Converts a configuration of Gatus to entries of a manifest. */

import { isObject, type JsonObject } from '../../../../base/object.ts';
import { isUrl } from '../../../../base/parse-url.ts';
import { certificateCheck, formatSeconds, scheduleOf } from '../check-parts.ts';
import {
  type Conversion,
  createConversion,
  hasVariable,
  type ImportResult,
  type ReportLoss,
} from '../conversion.ts';
import { convertItem, reportSettings } from '../convert-item.ts';
import { withoutCredentials } from '../http-parts.ts';
import { readWhole, trackSource } from '../tracked-source.ts';
import { durationOf, flagOf, mapOf, mapsOf, splitAddress, textOf } from '../values.ts';
import { type Alerts, createAlerts } from './alerting.ts';
import { Conditions } from './conditions.ts';
import {
  convertDns,
  convertHttp,
  convertIcmp,
  convertTcp,
  convertTls,
  type EndpointSource,
  expiryDays,
  skipsChain,
  tlsCheck,
} from './endpoint-types.ts';
import { ENDPOINT_RULES, SETTING_RULES } from './rules.ts';
import { addWindows } from './windows.ts';

interface Context {
  readonly conversion: Conversion;
  readonly alerts: Alerts;
  readonly now: number;
  /** Names of the checks of certificates, by host and days. */
  readonly certificates: Set<string>;
}

/** `now`: ms since the epoch. */
export function convertGatus(source: JsonObject, now: number): ImportResult {
  const config = trackSource(source);
  const conversion = createConversion();
  const alerts = createAlerts(mapOf(config.alerting), conversion);
  const context: Context = { conversion, alerts, now, certificates: new Set() };
  // Versions before 3 call them services.
  const endpoints = mapsOf(config.endpoints ?? config.services);
  const external = mapsOf(config['external-endpoints']);
  const groups = [...endpoints, ...external].map(({ group }) => textOf(group)).filter((name) => name !== '');
  for (const name of new Set(groups))
    conversion.add('groups', { name, useGlobalAlertSettings: null, retryStrategy: 'FALLBACK' });
  for (const endpoint of endpoints) addEndpoint(endpoint, context);
  for (const endpoint of external) addExternalEndpoint(endpoint, context);
  alerts.finish();
  for (const suite of mapsOf(config.suites))
    skipItem(
      conversion,
      'suite',
      textOf(suite.name),
      suite,
      'write a multi-step check that sends its requests',
    );
  for (const [index, one] of mapsOf(config.announcements).entries())
    skipItem(conversion, 'announcement', String(index + 1), one, 'open an incident instead');
  if (isObject(config.maintenance))
    addWindows('Maintenance', [config.maintenance], { silenceAllAlerts: true }, conversion, now);
  // Anchors of YAML, which the endpoints use.
  for (const name of Object.keys(config)) if (name.startsWith('x-')) readWhole(config[name]);
  reportSettings(conversion, config, SETTING_RULES);
  return conversion.finish();
}

const skipItem = (
  conversion: Conversion,
  kind: string,
  name: string,
  source: JsonObject,
  reason: string,
): void =>
  void convertItem(conversion, { kind, name, source }, (report) => report('skipped', undefined, reason));

/** Adds the check of an endpoint, and windows that silence it. */
function addCheck(
  name: string,
  endpoint: JsonObject,
  { conversion, alerts, now }: Context,
  convert: (report: ReportLoss) => JsonObject | undefined,
): void {
  const { value, isPaused } = convertItem(
    conversion,
    { kind: 'endpoint', name, source: endpoint, rules: ENDPOINT_RULES },
    (report) => {
      const converted = convert(report);
      if (converted === undefined) return undefined;
      const { checkType, ...fields } = converted;
      const unique = conversion.uniqueName('checks', name);
      if (unique !== name)
        report('changed', 'name', `another endpoint has this name; the check is "${unique}"`);
      const labels = Object.entries(mapOf(endpoint['extra-labels'])).map(
        ([key, label]) => `${key}:${textOf(label)}`,
      );
      const windows = mapsOf(endpoint['maintenance-windows']);
      addWindows(unique, windows, { silenceAlertsTags: [unique] }, conversion, now);
      return {
        checkType,
        name: unique,
        ...switchOf(endpoint, report),
        ...(labels.length > 0 ? { tags: labels } : {}),
        ...fields,
        ...alerts.of(endpoint, report),
      };
    },
  );
  if (value !== undefined) conversion.add('checks', { ...value, ...(isPaused ? { activated: false } : {}) });
}

/** Returns whether the check runs, and its group. */
function switchOf(endpoint: JsonObject, report: ReportLoss): JsonObject {
  const group = textOf(endpoint.group);
  return {
    ...(flagOf(endpoint, 'enabled', report, { fallback: true }) ? {} : { activated: false }),
    ...(group === '' ? {} : { group }),
  };
}

function addEndpoint(endpoint: JsonObject, context: Context): void {
  const { conversion } = context;
  const name = textOf(endpoint.name) || withoutCredentials(textOf(endpoint.url));
  addCheck(name, endpoint, context, (report) => {
    const texts = Array.isArray(endpoint.conditions) ? endpoint.conditions.map(String) : [];
    const conditions = new Conditions(texts, report);
    const { all } = conditions;
    if (all.length > 0 && all.every(({ placeholder }) => placeholder === 'DOMAIN_EXPIRATION')) {
      report('skipped', undefined, 'sonde does not look up when a domain expires');
      return undefined;
    }
    const source: EndpointSource = { endpoint, name, conditions, conversion, report };
    const type = typeOf(endpoint, conditions);
    const own = type === 'http' ? certificateOf(source, context) : undefined;
    const fields = own ?? convertType(type, source);
    if (fields === undefined) return undefined;
    conditions.finish();
    const interval = durationOf(endpoint, 'interval', DEFAULT_INTERVAL_SECONDS, report);
    return { ...fields, ...scheduleOf(interval, report), retryStrategy: null };
  });
}

/**
 * Converts the conditions on the certificate of an HTTP endpoint: to the check itself if it has no others, otherwise to a
 * second check. Without a host, they stay open. Returns the fields of the check itself.
 */
function certificateOf(source: EndpointSource, context: Context): JsonObject | undefined {
  const { endpoint, conditions } = source;
  if (!conditions.has('CERTIFICATE_EXPIRATION')) return undefined;
  const host = secureHostOf(textOf(endpoint.url));
  if (host === undefined) {
    const reason = 'its URL has no host with https; add a TLS check of the host';
    conditions.convert('CERTIFICATE_EXPIRATION', () => undefined, reason);
    return undefined;
  }
  if (conditions.all.every(({ placeholder }) => placeholder === 'CERTIFICATE_EXPIRATION'))
    return tlsCheck(source, host);
  addCertificateCheck(source, host, Math.max(0, ...expiryDays(source)), context);
  return undefined;
}

interface SecureHost {
  readonly hostname: string;
  readonly port: number | string;
}

/** Returns the host of a URL with https. The host and the port can be variables. */
function secureHostOf(url: string): SecureHost | undefined {
  const [, address = ''] = url.match(/^https:\/\/(?:[^/?#]*@)?(.*)$/is) ?? [];
  const { hostname, port = 443 } = splitAddress(address);
  return hostname === '' || Number.isNaN(port) ? undefined : { hostname, port };
}

/** Adds a TLS check of the host, unless another endpoint has the same conditions and alerts. */
function addCertificateCheck(
  source: EndpointSource,
  { hostname, port }: SecureHost,
  days: number,
  { conversion, certificates, alerts }: Context,
): void {
  if (days === 0) return;
  const { endpoint } = source;
  const fields = {
    ...switchOf(endpoint, () => {}),
    ...certificateCheck({ hostname, port, skipsChain: skipsChain(source) }, days, 'fails'),
    frequency: 60,
    retryStrategy: null,
    ...alerts.of(endpoint, () => {}),
  };
  const identity = JSON.stringify(fields);
  if (certificates.has(identity)) return;
  certificates.add(identity);
  const shown = port === 443 ? hostname : `${hostname}:${port}`;
  conversion.add('checks', {
    checkType: 'SSL',
    name: conversion.uniqueName('checks', `Certificate of ${shown}`),
    ...fields,
  });
}

const DEFAULT_INTERVAL_SECONDS = 60;

const UNSUPPORTED: Readonly<Record<string, string>> = {
  udp: 'UDP',
  sctp: 'SCTP',
  ws: 'WebSocket',
  wss: 'WebSocket',
  grpc: 'gRPC',
  grpcs: 'gRPC',
  ssh: 'SSH',
  starttls: 'STARTTLS',
};

/** Fields that only HTTP endpoints have. */
const HTTP_FIELDS = ['method', 'headers', 'graphql'];

/** Returns `dns`, or the scheme of the URL; both forms of HTTP are `http`. A URL in a variable shows its type by its use. */
function typeOf(endpoint: JsonObject, conditions: Conditions): string {
  if (isObject(endpoint.dns)) return 'dns';
  const url = textOf(endpoint.url);
  const [, scheme = ''] = url.match(/^(\w+):\/\//) ?? [];
  if (
    scheme === '' &&
    hasVariable(url) &&
    (conditions.has('STATUS') || HTTP_FIELDS.some((name) => name in endpoint))
  )
    return 'http';
  return scheme.toLowerCase().replace('https', 'http');
}

function convertType(type: string, source: EndpointSource): JsonObject | undefined {
  const { report, endpoint } = source;
  const url = textOf(endpoint.url);
  switch (type) {
    case 'dns':
      return convertDns(source);
    case 'http':
      if (isUrl(url) || hasVariable(url)) return convertHttp(source);
      report('skipped', undefined, 'its URL is not valid');
      return undefined;
    case 'icmp':
      return convertIcmp(source);
    case 'tcp':
      return convertTcp(source);
    case 'tls':
      return convertTls(source);
    default: {
      const protocol = UNSUPPORTED[type];
      report(
        'skipped',
        undefined,
        protocol === undefined ? 'the type of its URL is unknown' : `sonde has no ${protocol} check`,
      );
      return undefined;
    }
  }
}

const LEAST_PERIOD_SECONDS = 30;

/** Adds a heartbeat check for an endpoint whose results are pushed. */
function addExternalEndpoint(endpoint: JsonObject, context: Context): void {
  addCheck(textOf(endpoint.name), endpoint, context, (report) => {
    const interval = durationOf(mapOf(endpoint.heartbeat), 'interval', 0, report, 'heartbeat.interval');
    if (interval === 0) {
      report(
        'skipped',
        undefined,
        'its results are pushed, and sonde only notices missing ones: set heartbeat.interval',
      );
      return undefined;
    }
    const period = Math.max(Math.round(interval), LEAST_PERIOD_SECONDS);
    if (period !== interval)
      report(
        'changed',
        'heartbeat.interval',
        `${formatSeconds(interval)} became ${formatSeconds(period)}, the minimum`,
      );
    report('changed', 'push URL', 'the job must ping the URL of the new check, and only if it succeeds');
    return {
      checkType: 'HEARTBEAT',
      heartbeat: { period, periodUnit: 'seconds', grace: 1, graceUnit: 'seconds' },
    };
  });
}
