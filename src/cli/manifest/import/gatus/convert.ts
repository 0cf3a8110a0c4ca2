/** Converts a configuration of Gatus to entries of a manifest. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { isZone, zoneOf } from '../../../../calendar/zone.ts';
import { certificateCheck, formatSeconds, scheduleOf } from '../check-parts.ts';
import {
  type Conversion,
  createConversion,
  type ImportResult,
  type ReportLoss,
  watchLosses,
} from '../conversion.ts';
import { withoutCredentials } from '../http-parts.ts';
import { mapOf, mapsOf, secondsOf, textOf } from '../values.ts';
import { dailyPeriod, minutesOf, WEEKDAYS, weeklyPeriod, windowFields } from '../windows.ts';
import { createAlerts } from './alerting.ts';
import { type Condition, parseCondition } from './conditions.ts';
import {
  convertDns,
  convertHttp,
  convertIcmp,
  convertTcp,
  convertTls,
  type EndpointSource,
  expiryDays,
} from './endpoint-types.ts';

interface Context {
  readonly conversion: Conversion;
  readonly alertsOf: ReturnType<typeof createAlerts>;
  readonly now: number;
  /** Names of the checks of certificates, by host and days. */
  readonly certificates: Set<string>;
}

/** `now`: ms since the epoch. */
export function convertGatus(config: JsonObject, now: number): ImportResult {
  const conversion = createConversion();
  const context: Context = {
    conversion,
    alertsOf: createAlerts(mapOf(config.alerting), conversion),
    now,
    certificates: new Set(),
  };
  // Versions before 3 call them services.
  const endpoints = mapsOf(config.endpoints ?? config.services);
  const external = mapsOf(config['external-endpoints']);
  const groups = [...endpoints, ...external].map(({ group }) => textOf(group)).filter((name) => name !== '');
  for (const name of new Set(groups))
    conversion.add('groups', { name, useGlobalAlertSettings: null, retryStrategy: 'FALLBACK' });
  for (const endpoint of endpoints) addEndpoint(endpoint, context);
  for (const endpoint of external) addExternalEndpoint(endpoint, context);
  for (const suite of mapsOf(config.suites))
    conversion.lossesOf('suite', textOf(suite.name))(
      'skipped',
      undefined,
      'write a multi-step check that sends its requests',
    );
  if (isObject(config.maintenance))
    addWindows('Maintenance', [config.maintenance], { silenceAllAlerts: true }, context);
  for (const [index] of mapsOf(config.announcements).entries())
    conversion.lossesOf('announcement', String(index + 1))('skipped', undefined, 'open an incident instead');
  return conversion.finish();
}

function addEndpoint(endpoint: JsonObject, context: Context): void {
  const { conversion } = context;
  const name = textOf(endpoint.name) || withoutCredentials(textOf(endpoint.url));
  const { report, state } = watchLosses(conversion, 'endpoint', name);
  const texts = Array.isArray(endpoint.conditions) ? endpoint.conditions.map(String) : [];
  const parsed = texts.map((text) => [text, parseCondition(text)] as const);
  const conditions = parsed.map(([, condition]) => condition).filter((each) => each !== undefined);
  if (conditions.length > 0 && conditions.every(({ placeholder }) => placeholder === 'DOMAIN_EXPIRATION')) {
    report('skipped', undefined, 'sonde does not look up when a domain expires');
    return;
  }
  for (const [text, condition] of parsed)
    if (condition === undefined)
      report('paused', `condition ${text}`, 'it has no counterpart; write an assertion');
  const source = { endpoint, name, conditions, conversion, report };
  const type = typeOf(endpoint);
  const isExpiry = ({ placeholder }: Condition) => placeholder === 'CERTIFICATE_EXPIRATION';
  const certificates = type === 'http' ? conditions.filter(isExpiry) : [];
  const rest = conditions.filter((condition) => !certificates.includes(condition));
  const fields =
    rest.length === 0 && certificates.length > 0
      ? convertTls({
          ...source,
          endpoint: { ...endpoint, url: `tls://${new URL(textOf(endpoint.url)).host}` },
        })
      : convertType(type, { ...source, conditions: rest });
  if (fields === undefined) return;
  const schedule = { ...scheduleOf(intervalOf(endpoint, report), report), retryStrategy: null };
  const unique = addCheck({ ...fields, ...schedule }, source, context, state);
  if (rest.length > 0) addCertificateCheck({ ...source, conditions: certificates }, context);
  addWindows(unique, mapsOf(endpoint['maintenance-windows']), { silenceAlertsTags: [unique] }, context);
}

/** Adds a TLS check of the host, unless another endpoint has the same conditions and alerts. */
function addCertificateCheck(source: EndpointSource, { conversion, certificates, alertsOf }: Context): void {
  const { endpoint } = source;
  const days = Math.max(0, ...source.conditions.map((condition) => expiryDays(source, condition) ?? 0));
  if (days === 0 || !URL.canParse(textOf(endpoint.url))) return;
  const { host, hostname, port, protocol } = new URL(textOf(endpoint.url));
  const group = textOf(endpoint.group);
  const fields = {
    ...(endpoint.enabled !== false && protocol === 'https:' ? {} : { activated: false }),
    ...(group === '' ? {} : { group }),
    ...certificateCheck(
      {
        hostname,
        port: port === '' ? 443 : Number(port),
        skipsChain: mapOf(endpoint.client).insecure === true,
      },
      days,
      'fails',
    ),
    frequency: 60,
    retryStrategy: null,
    ...alertsOf(endpoint, () => {}),
  };
  const identity = JSON.stringify(fields);
  if (certificates.has(identity)) return;
  certificates.add(identity);
  conversion.add('checks', {
    checkType: 'SSL',
    name: conversion.uniqueName('checks', `Certificate of ${host}`),
    ...fields,
  });
}

const DEFAULT_INTERVAL_SECONDS = 60;

function intervalOf(endpoint: JsonObject, report: ReportLoss): number {
  const seconds = secondsOf(endpoint.interval);
  if (seconds !== undefined) return seconds;
  if (textOf(endpoint.interval) !== '')
    report(
      'changed',
      'interval',
      `${textOf(endpoint.interval)} is not a duration; it became ${formatSeconds(DEFAULT_INTERVAL_SECONDS)}`,
    );
  return DEFAULT_INTERVAL_SECONDS;
}

/** Adds the check. Returns its name. */
function addCheck(
  { checkType, ...fields }: JsonObject,
  { endpoint, name, conversion, report }: Pick<EndpointSource, 'endpoint' | 'name' | 'conversion' | 'report'>,
  { alertsOf }: Context,
  state: { readonly isPaused: boolean },
): string {
  const unique = conversion.uniqueName('checks', name);
  if (unique !== name) report('changed', 'name', `another endpoint has this name; the check is "${unique}"`);
  const group = textOf(endpoint.group);
  const labels = Object.entries(mapOf(endpoint['extra-labels'])).map(
    ([key, value]) => `${key}:${textOf(value)}`,
  );
  conversion.add('checks', {
    checkType,
    name: unique,
    ...(endpoint.enabled !== false && !state.isPaused ? {} : { activated: false }),
    ...(group === '' ? {} : { group }),
    ...(labels.length > 0 ? { tags: labels } : {}),
    ...fields,
    ...alertsOf(endpoint, report),
  });
  return unique;
}

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

/** Returns `dns`, or the scheme of the URL; both forms of HTTP are `http`. */
function typeOf(endpoint: JsonObject): string {
  if (isObject(endpoint.dns)) return 'dns';
  const [, scheme = ''] = textOf(endpoint.url).match(/^(\w+):\/\//) ?? [];
  return scheme.toLowerCase().replace('https', 'http');
}

function convertType(type: string, source: EndpointSource): JsonObject | undefined {
  switch (type) {
    case 'dns':
      return convertDns(source);
    case 'http':
      return convertHttp(source);
    case 'icmp':
      return convertIcmp(source);
    case 'tcp':
      return convertTcp(source);
    case 'tls':
      return convertTls(source);
    default: {
      const protocol = UNSUPPORTED[type];
      source.report(
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
  const name = textOf(endpoint.name);
  const { report, state } = watchLosses(context.conversion, 'endpoint', name);
  const interval = secondsOf(mapOf(endpoint.heartbeat).interval) ?? 0;
  if (interval === 0) {
    report(
      'skipped',
      undefined,
      'its results are pushed, and sonde only notices missing ones: set heartbeat.interval',
    );
    return;
  }
  const period = Math.max(Math.round(interval), LEAST_PERIOD_SECONDS);
  if (period !== interval)
    report(
      'changed',
      'heartbeat.interval',
      `${formatSeconds(interval)} became ${formatSeconds(period)}, the minimum`,
    );
  report('changed', 'push URL', 'the job must ping the URL of the new check, and only if it succeeds');
  addCheck(
    { checkType: 'HEARTBEAT', heartbeat: { period, periodUnit: 'seconds', grace: 1, graceUnit: 'seconds' } },
    { endpoint, name, conversion: context.conversion, report },
    context,
    state,
  );
}

/** Adds windows that repeat every day or on some weekdays, and only silence alerts. */
function addWindows(
  title: string,
  windows: readonly JsonObject[],
  effect: JsonObject,
  { conversion, now }: Context,
): void {
  for (const window of windows) {
    if (window.enabled === false) continue;
    const startMinutes = minutesOf(textOf(window.start));
    const seconds = secondsOf(window.duration);
    if (Number.isNaN(startMinutes) || seconds === undefined) {
      conversion.lossesOf('maintenance', title)('skipped', undefined, 'it has no start or duration');
      continue;
    }
    const timezone = isZone(window.timezone) ? window.timezone : 'UTC';
    const time = { from: now, startMinutes, lengthMinutes: seconds / 60, zone: zoneOf(timezone) };
    const days = Array.isArray(window.every) ? window.every.map((day) => WEEKDAYS.indexOf(String(day))) : [];
    const periods = days.length === 0 ? [dailyPeriod(time, 1)] : days.map((day) => weeklyPeriod(time, day));
    for (const period of periods) {
      const { name, ...times } = windowFields(title, period);
      conversion.add('maintenanceWindows', {
        name: conversion.uniqueName('maintenanceWindows', String(name)),
        ...times,
        ...(timezone === 'UTC' ? {} : { timezone }),
        ...effect,
      });
    }
  }
}
