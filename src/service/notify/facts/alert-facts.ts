/** Defines the kinds and facts of alerts, and formats them for all channels. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import { oneLine, sanitizeBlock } from '../../../base/sanitize.ts';
import type { ALERT_KINDS } from '../../../contract/enumerations.ts';
import { cityOf } from '../../../contract/location-names.ts';
import type { Tone } from '../rendering/email-html.ts';
import { type CertificateFacts, formatCertificateTitle, formatNames } from './certificate-facts.ts';
import { formatLocationError, formatLocationTitle, type LocationFacts } from './location-facts.ts';

/** The run that caused an alert. */
export interface RunFacts {
  readonly sessionId: string;
  readonly resultId: string;
  readonly location: string;
  /** The main error message; empty for a good run. */
  readonly error: string;
  /** Ms; null: nothing was measured. */
  readonly responseTime: number | null;
  /** Ms since the epoch. */
  readonly startedAt: number;
  /** HTTP status of the response; absent: none. */
  readonly statusCode?: number;
}

/** Returns the URL of a page of the service, by its path; undefined: none. */
export type PageLink = (path: string) => string | undefined;

export interface AlertFacts {
  readonly kind: AlertKind;
  readonly at: number;
  /** When the first bad run ended. */
  readonly since: number;
  readonly check: { readonly id: string; readonly name: string; readonly type: string };
  readonly groupName: string | null;
  readonly tags: readonly string[];
  /** The last known run; null: none. */
  readonly run: RunFacts | null;
  /** URL of the result, of the check of a certificate, or of the checks of a bundle; null: none. */
  readonly link: string | null;
  /** What changed since the last good run: sentences without a full stop. */
  readonly changes?: readonly string[];
  /** The last results: `▁▂▁█×× (oldest first: 4 passed, 2 failed)`. */
  readonly recent?: string;
  /** The alerts of several checks of a group or service, which share a message. Then `check` and `run` are of the first. */
  readonly bundle?: AlertBundle;
  /** The certificate that expires; only for ALERT_SSL. */
  readonly certificate?: CertificateFacts;
  /** The private location without agents, whose ID and name `check` has; only for ALERT_LOCATION and its recovery. */
  readonly location?: LocationFacts;
  /** Why the incident ends without a recovery. */
  readonly ended?: 'deleted' | 'deactivated' | 'unsubscribed';
}

export interface AlertBundle {
  /** Name of the group or service. */
  readonly name: string;
  readonly alerts: readonly Pick<AlertFacts, 'kind' | 'check' | 'run' | 'link'>[];
}

const TITLES: Readonly<Record<AlertKind, string>> = {
  ALERT_FAILURE: 'Failing',
  ALERT_FAILURE_REMAIN: 'Still failing',
  ALERT_FAILURE_DEGRADED: 'Degraded (was failing)',
  ALERT_RECOVERY: 'Recovered',
  ALERT_DEGRADED: 'Degraded',
  ALERT_DEGRADED_REMAIN: 'Still degraded',
  ALERT_DEGRADED_FAILURE: 'Failing (was degraded)',
  ALERT_DEGRADED_RECOVERY: 'Recovered',
  ALERT_SSL: 'Certificate expires',
  ALERT_LOCATION: 'No agent',
  ALERT_LOCATION_RECOVERY: 'Recovered',
};

const ENDINGS: Readonly<Record<NonNullable<AlertFacts['ended']>, string>> = {
  deleted: 'Check deleted',
  deactivated: 'Check deactivated',
  unsubscribed: 'No longer alerted here',
};

/** What several checks do that share a message of a kind. */
const BUNDLE_PHRASES: Readonly<Record<AlertKind, string>> = {
  ALERT_FAILURE: 'are failing',
  ALERT_FAILURE_REMAIN: 'are still failing',
  ALERT_FAILURE_DEGRADED: 'are degraded',
  ALERT_RECOVERY: 'have recovered',
  ALERT_DEGRADED: 'are degraded',
  ALERT_DEGRADED_REMAIN: 'are still degraded',
  ALERT_DEGRADED_FAILURE: 'are failing',
  ALERT_DEGRADED_RECOVERY: 'have recovered',
  ALERT_SSL: 'have certificates that expire',
  ALERT_LOCATION: 'have no agent',
  ALERT_LOCATION_RECOVERY: 'have recovered',
};

/** Returns the title on one line. */
export function formatTitle({ kind, check, certificate, location, bundle, at, ended }: AlertFacts): string {
  if (location !== undefined) return formatLocationTitle(location, isRecovery(kind));
  if (certificate !== undefined) return formatCertificateTitle(certificate, at);
  return bundle === undefined
    ? `${ended === undefined ? TITLES[kind] : ENDINGS[ended]}: ${oneLine(check.name)}`
    : `${bundle.alerts.length} checks of ${oneLine(bundle.name)} ${BUNDLE_PHRASES[kind]}`;
}

const BAD: ReadonlySet<AlertKind> = new Set([
  'ALERT_FAILURE',
  'ALERT_FAILURE_REMAIN',
  'ALERT_DEGRADED_FAILURE',
  'ALERT_LOCATION',
]);

/** Returns the colour of an alert, from which channels derive severity, priority and signs. */
export function getTone({ kind }: Pick<AlertFacts, 'kind'>): Tone {
  if (isRecovery(kind)) return 'good';
  return BAD.has(kind) ? 'bad' : 'warning';
}

/** Returns the key under which incident tools open and resolve the incident of a check, or of a certificate. */
export const incidentKey = ({ check, certificate }: Pick<AlertFacts, 'check' | 'certificate'>): string =>
  certificate === undefined
    ? `sonde-${check.id}`
    : `sonde-certificate-${certificate.fingerprint.replaceAll(':', '')}`;

export const isRecovery = (kind: AlertKind): boolean => kind.endsWith('_RECOVERY');

/**
 * Returns the error message for people, or the list of checks that share the message; empty for one recovery.
 * `maxListLength`: in characters; the list ends with a whole line.
 */
export const formatAlertError = (
  facts: Pick<AlertFacts, 'kind' | 'run' | 'bundle' | 'location' | 'since' | 'at'>,
  maxListLength = MAX_LIST_LENGTH,
): string => {
  const { bundle, location, kind, since, at } = facts;
  if (location !== undefined) return isRecovery(kind) ? '' : formatLocationError(location, since, at);
  return bundle === undefined ? formatError(facts) : formatList(bundle, maxListLength);
};

const formatError = ({ kind, run }: Pick<AlertFacts, 'kind' | 'run'>): string =>
  run === null || isRecovery(kind) ? '' : sanitizeBlock(run.error);

/** Limits of the list. Most types of channels carry texts of 1,800 characters. */
const MAX_LISTED = 20;
const MAX_LIST_LENGTH = 1720;
/** Room for the line that counts the rest. */
const REST_LENGTH = 20;
const MAX_REASON_LENGTH = 160;

/** Returns the first alerts of a bundle with their reasons on one line. */
export const listAlerts = ({ alerts }: AlertBundle) =>
  alerts.slice(0, MAX_LISTED).map(({ check, link, ...alert }) => {
    const error = oneLine(formatError(alert));
    return {
      name: oneLine(check.name),
      reason: error.length > MAX_REASON_LENGTH ? `${error.slice(0, MAX_REASON_LENGTH - 1)}…` : error,
      link,
    };
  });

/** Returns what the link of a message leads to, as a command. */
export function formatLinkLabel({ bundle, certificate, location }: AlertFacts): string {
  if (location !== undefined) return 'Open the private locations';
  return bundle !== undefined
    ? 'Open the checks'
    : certificate === undefined
      ? 'Open the result'
      : 'Open the check';
}

/** Formats whole lines. An alert for which there is no room loses its link, or is counted only; the first is cut. */
function formatList(bundle: AlertBundle, maxLength: number): string {
  const lines: string[] = [];
  let left = maxLength - REST_LENGTH;
  for (const { name, reason, link } of listAlerts(bundle)) {
    const line = [name, reason].filter((part) => part !== '').join(': ');
    const forms = [...(link === null ? [] : [`${line}\n  ${link}`]), line];
    const text = forms.find(({ length }) => length < left);
    if (text === undefined) {
      if (lines.length === 0) lines.push(oneLine(line, Math.max(1, left - 1)));
      break;
    }
    left -= text.length + 1;
    lines.push(text);
  }
  const more = bundle.alerts.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** Formats `2026-11-21 08:00:00 UTC`. */
export const formatTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Formats `eu-west-1 (simulated)`: a self-hosted service runs all public locations itself. */
const formatLocation = (location: string): string =>
  cityOf(location) === undefined ? oneLine(location) : `${location} (simulated)`;

const MAX_SHOWN_TAGS = 10;

/** Returns the rows below the title and the message of an alert, in order. */
export function formatRows(facts: AlertFacts): (readonly [name: string, value: string])[] {
  const { check, groupName, tags, kind, at, since, certificate, location, bundle } = facts;
  if (certificate !== undefined)
    return [
      [certificate.hosts.length === 1 ? 'Host' : 'Hosts', formatNames(certificate.hosts, 'host')],
      ['Expires', formatTime(certificate.expiresAt)],
      [certificate.checks.length === 1 ? 'Check' : 'Checks', formatNames(certificate.checks, 'check')],
      ['SHA-256', certificate.fingerprint],
    ];
  const run = bundle === undefined ? facts.run : null;
  const rows: (readonly [string, string | null])[] = [
    ['Changed', bundle === undefined ? (facts.changes?.join('; ') ?? '') : ''],
    ['Last results', bundle === undefined ? (facts.recent ?? '') : ''],
    [
      location === undefined ? 'Check' : 'Private location',
      bundle === undefined ? `${oneLine(check.name)} (${location?.slug ?? check.type})` : null,
    ],
    ['Group', groupName === null ? null : oneLine(groupName)],
    ['Service', bundle === undefined || groupName !== null ? null : oneLine(bundle.name)],
    ['Location', run === null ? null : formatLocation(run.location)],
    ['Response time', run?.responseTime == null ? null : formatLongDuration(run.responseTime)],
    [
      isRecovery(kind) ? 'Duration' : 'Since',
      isRecovery(kind) ? formatLongDuration(Math.max(0, at - since)) : formatTime(since),
    ],
    ['Reported', formatTime(at)],
    ['Tags', tags.length === 0 ? null : formatNames(tags, 'tag', MAX_SHOWN_TAGS)],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== null && row[1] !== '');
}

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A channel's switches; the contract defines the defaults. */
export interface AlertSwitches {
  readonly sendFailure?: boolean | undefined;
  readonly sendRecovery?: boolean | undefined;
  readonly sendDegraded?: boolean | undefined;
  readonly sslExpiry?: boolean | undefined;
}

/**
 * Returns whether a channel receives an alert. `hasFailed`: a failure alert was sent since the last recovery. A channel
 * that got the failure also gets its end, even if the check was degraded in between and degradations are off.
 */
export function wantsAlert(
  { sendFailure = true, sendRecovery = true, sendDegraded = false, sslExpiry = false }: AlertSwitches,
  kind: AlertKind,
  hasFailed: boolean,
): boolean {
  switch (kind) {
    case 'ALERT_FAILURE':
    case 'ALERT_FAILURE_REMAIN':
    case 'ALERT_DEGRADED_FAILURE':
    case 'ALERT_LOCATION':
      return sendFailure;
    case 'ALERT_DEGRADED':
    case 'ALERT_DEGRADED_REMAIN':
      return sendDegraded;
    case 'ALERT_FAILURE_DEGRADED':
      return sendDegraded || sendRecovery;
    case 'ALERT_RECOVERY':
    case 'ALERT_LOCATION_RECOVERY':
      return sendRecovery;
    case 'ALERT_DEGRADED_RECOVERY':
      return sendRecovery && (sendDegraded || hasFailed);
    case 'ALERT_SSL':
      return sslExpiry;
    default:
      return kind satisfies never;
  }
}
