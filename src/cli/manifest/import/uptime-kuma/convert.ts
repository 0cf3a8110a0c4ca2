/** Converts the data of Uptime Kuma to entries of a manifest. */

import { groupBy, type JsonObject } from '../../../../base/object.ts';
import { isUrl } from '../../../../base/parse-url.ts';
import { alertSettingsOf, certificateCheck, cutText, retriesOf, scheduleOf } from '../check-parts.ts';
import { type Conversion, createConversion, type ImportResult, type ReportLoss } from '../conversion.ts';
import { convertItem } from '../convert-item.ts';
import { trackSource } from '../tracked-source.ts';
import { HTTP_TYPES, isDefault, isOwnSetting, monitorRules } from './columns.ts';
import { acceptedCodes, convertHttp } from './http-monitor.ts';
import { addWindows } from './maintenance.ts';
import { convertBrowser, convertDns, convertPing, convertPort, convertPush } from './network-monitor.ts';
import { addNotifications, type ChannelNames } from './notifications.ts';
import { addPages, addServices, incidentOf } from './status-pages.ts';
import { flagOf, jsonOf, type KumaTables, numberOf, type Row, TABLES, textOf } from './tables.ts';
import { turnUpsideDown } from './upside-down.ts';

const DEFAULT_INTERVAL_SECONDS = 60;

interface Context {
  readonly tables: KumaTables;
  readonly conversion: Conversion;
  readonly channels: ChannelNames;
  readonly services: ReadonlyMap<unknown, string>;
  readonly monitors: ReadonlyMap<unknown, Row>;
  /** Names of the groups by the ID of their monitor. */
  readonly groups: ReadonlyMap<unknown, string>;
}

/** `now`: ms since the epoch. */
export function convertKuma(source: KumaTables, now: number): ImportResult {
  const views = TABLES.map((table) => [table, source[table].map(trackSource)] as const);
  const tables = { ...source, ...Object.fromEntries(views) };
  const conversion = createConversion();
  const services = addServices(tables, conversion);
  const expiring = tables.monitor.filter(watchesCertificate);
  const channels = addNotifications(tables, conversion, expiring.length > 0);
  const monitors = new Map(tables.monitor.map((row) => [row.id, row]));
  const groups = addGroups(tables, monitors, conversion);
  const context: Context = { tables, conversion, channels, services, monitors, groups };
  const names = new Map<unknown, string>(groups);
  for (const row of tables.monitor) {
    const name = textOf(row, 'type') === 'group' ? undefined : addCheck(row, context);
    if (name !== undefined) names.set(row.id, name);
  }
  addCertificateChecks(expiring, context);
  const pages = addPages(tables, services, conversion);
  addWindows(tables, { monitors: names, pages }, conversion, now);
  reportRest(tables, conversion);
  return conversion.finish();
}

/** Reports incidents, settings and tables that no check, channel, page or window uses. */
function reportRest({ incident, setting, others }: KumaTables, conversion: Conversion): void {
  for (const row of incident)
    if (flagOf(row, 'active', true))
      conversion.lossesOf('incident', textOf(row, 'title'))(
        'skipped',
        undefined,
        'open it on the status page',
      );
  for (const row of setting) {
    const key = textOf(row, 'key');
    if (isOwnSetting(key) || isDefault('value', textOf(row, 'value'))) continue;
    conversion.lossesOf('setting', key)('skipped', undefined, 'the service has its own settings');
  }
  for (const [name, rows] of others)
    if (rows > 0) conversion.lossesOf('table', name)('skipped', undefined, 'it has no counterpart');
}

const nameOf = (row: Row): string => textOf(row, 'name').trim() || 'Monitor';

/** Returns the groups above a monitor, the nearest first. */
function groupsAbove(row: Row, monitors: ReadonlyMap<unknown, Row>): readonly Row[] {
  const above: Row[] = [];
  for (
    let next = monitors.get(row.parent);
    next !== undefined && !above.includes(next);
    next = monitors.get(next.parent)
  )
    above.push(next);
  return above;
}

/** Adds the groups. A group in a group has the names of both. */
function addGroups(
  { monitor, monitor_tag: tags }: KumaTables,
  monitors: ReadonlyMap<unknown, Row>,
  conversion: Conversion,
) {
  const names = new Map<unknown, string>();
  for (const row of monitor) {
    if (textOf(row, 'type') !== 'group') continue;
    const above = groupsAbove(row, monitors);
    const wanted = [...above.toReversed(), row].map(nameOf).join(' / ');
    const item = { kind: 'group', name: wanted, source: row, ...monitorRules(row) };
    const { value } = convertItem(conversion, item, () => ({
      name: conversion.uniqueName('groups', wanted),
      ...([row, ...above].every(isActive) ? {} : { activated: false }),
      ...tagsOf(row, tags),
      useGlobalAlertSettings: null,
      retryStrategy: 'FALLBACK',
    }));
    if (value === undefined) continue;
    names.set(row.id, value.name);
    conversion.add('groups', value);
  }
  return names;
}

const isActive = (row: Row): boolean => flagOf(row, 'active', true);

function tagsOf(row: Row, tags: readonly Row[]): JsonObject {
  const own = tags
    .filter((tag) => tag.monitor_id === row.id)
    .map((tag) => [textOf(tag, 'name'), textOf(tag, 'value')].filter((part) => part !== '').join(':'));
  return own.length > 0 ? { tags: [...new Set(own)] } : {};
}

/** Adds the check of a monitor. Returns its name; undefined if it cannot be converted. */
function addCheck(row: Row, context: Context): string | undefined {
  const { conversion, tables, groups } = context;
  const name = nameOf(row);
  const item = { kind: 'monitor', name, source: row, ...monitorRules(row) };
  const { value, isPaused } = convertItem(conversion, item, (report) => {
    const converted = convertType(row, name, conversion, report);
    if (converted === undefined) return undefined;
    const own = flagOf(row, 'upside_down')
      ? turnUpsideDown(converted, acceptedCodes(row), report)
      : converted;
    const { checkType, ...fields } = own;
    const unique = conversion.uniqueName('checks', name);
    if (unique !== name) report('changed', 'name', `another monitor has this name; the check is "${unique}"`);
    const group = groups.get(row.parent);
    const description = cutText(textOf(row, 'description'), MAX_DESCRIPTION, 'description', report);
    return {
      checkType,
      name: unique,
      ...(description === '' ? {} : { description }),
      ...(isActive(row) ? {} : { activated: false }),
      ...(group === undefined ? {} : { group }),
      ...tagsOf(row, tables.monitor_tag),
      ...fields,
      ...(checkType === 'HEARTBEAT' ? {} : runFields(row, checkType === 'BROWSER' ? 60 : 0, report)),
      ...alertFields(row, context, resendSeconds(row), report),
    };
  });
  if (value !== undefined) conversion.add('checks', { ...value, ...(isPaused ? { activated: false } : {}) });
  return value?.name;
}

const MAX_DESCRIPTION = 500;

function convertType(
  row: Row,
  name: string,
  conversion: Conversion,
  report: ReportLoss,
): JsonObject | undefined {
  const type = textOf(row, 'type');
  if (HTTP_TYPES.includes(type)) return convertHttp(row, name, conversion, report);
  switch (type) {
    case 'port':
      return convertPort(row, report);
    case 'ping':
      return convertPing(row, report);
    case 'dns':
      return convertDns(row, report);
    case 'push':
      return convertPush(row, report);
    case 'real-browser':
      return convertBrowser(row);
    default:
      report(
        'skipped',
        undefined,
        `sonde has no check for the type ${type}; let a script ping a heartbeat check instead`,
      );
      return undefined;
  }
}

function runFields(row: Row, leastSeconds: number, report: ReportLoss): JsonObject {
  const interval = numberOf(row, 'interval', DEFAULT_INTERVAL_SECONDS);
  const pause = numberOf(row, 'retry_interval') || interval;
  if (flagOf(row, 'retry_only_on_status_code_failure'))
    report('changed', 'retries', 'sonde also retries if the JSON query fails');
  return {
    ...scheduleOf(interval, report, leastSeconds),
    ...retriesOf(numberOf(row, 'maxretries'), pause, report),
  };
}

const resendSeconds = (row: Row): number =>
  numberOf(row, 'resend_interval') * numberOf(row, 'interval', DEFAULT_INTERVAL_SECONDS);

/** `reminderSeconds`: how often an alert repeats; 0: never. */
function alertFields(
  row: Row,
  { tables, channels, services, monitors }: Context,
  reminderSeconds: number,
  report: ReportLoss,
): JsonObject {
  const above = [row, ...groupsAbove(row, monitors)];
  const ids = above.flatMap(({ id }) =>
    tables.monitor_notification.filter((link) => link.monitor_id === id).map((link) => link.notification_id),
  );
  const subscribed = [...new Set(ids.flatMap((id) => channels.get(id) ?? []))];
  const service = above.map(({ id }) => services.get(id)).find((one) => one !== undefined);
  return {
    ...alertSettingsOf(1, reminderSeconds, report),
    ...(subscribed.length > 0
      ? { alertChannelSubscriptions: subscribed.map((alertChannel) => ({ alertChannel, activated: true })) }
      : {}),
    ...(service === undefined ? {} : { triggerIncident: incidentOf(service, nameOf(row)) }),
  };
}

const watchesCertificate = (row: Row): boolean =>
  HTTP_TYPES.includes(textOf(row, 'type')) &&
  flagOf(row, 'expiry_notification') &&
  !flagOf(row, 'ignore_tls') &&
  isUrl(textOf(row, 'url')) &&
  new URL(textOf(row, 'url')).protocol === 'https:';

const DEFAULT_EXPIRY_DAYS = [7, 14, 21];

/** Adds a TLS check for each host whose certificate monitors watch. */
function addCertificateChecks(rows: readonly Row[], context: Context): void {
  const setting = context.tables.setting.find((row) => row.key === 'tlsExpiryNotifyDays');
  const written = setting && jsonOf(setting, 'value');
  const days = Math.max(
    ...(Array.isArray(written) && written.length > 0 ? written.map(Number) : DEFAULT_EXPIRY_DAYS),
  );
  const byHost = groupBy(rows, (row) => new URL(textOf(row, 'url')).host);
  for (const [host, watching] of byHost) {
    const { hostname, port } = new URL(`https://${host}`);
    const subscriptions = watching.map((row) => alertFields(row, context, 0, () => {}));
    const channels = subscriptions.flatMap(
      ({ alertChannelSubscriptions: each }) => (Array.isArray(each) ? each : []) as JsonObject[],
    );
    const unique = [...new Map(channels.map((each) => [each.alertChannel, each])).values()];
    context.conversion.add('checks', {
      checkType: 'SSL',
      name: context.conversion.uniqueName('checks', `Certificate of ${host}`),
      ...(watching.some(isActive) ? {} : { activated: false }),
      frequency: 60,
      retryStrategy: null,
      ...certificateCheck(
        { hostname, port: port === '' ? 443 : Number(port) },
        Math.min(Math.max(days, 1), 365),
        'degraded',
      ),
      ...(unique.length > 0 ? { alertChannelSubscriptions: unique } : {}),
    });
  }
}
