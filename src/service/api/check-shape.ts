/** How a stored check reads in an answer. */
import type { createBrowserCheck, createDnsCheck, listChecks, ResponseOf } from '../../contract/index.ts';
import type {
  AlertChannelRecord,
  BrowserCheckBody,
  CheckRecord,
  DnsCheckBody,
  Subscription,
} from '../store/index.ts';
import { shownChannels, shownSubscriptions } from './alerting.ts';
import { ages, isoOrNull } from './documents.ts';
import { shownVariables } from './secrets.ts';

export type DnsAnswer = ResponseOf<typeof createDnsCheck>;
export type BrowserAnswer = ResponseOf<typeof createBrowserCheck>;
export type AnyAnswer = ResponseOf<typeof listChecks>[number];

export type DnsRecord = CheckRecord & { readonly type: 'DNS' };
export type BrowserRecord = CheckRecord & { readonly type: 'BROWSER' };

/** Whom a check alerts, as the store tells it. */
export interface Alerting {
  readonly subscriptions: readonly Subscription[];
  readonly channels: readonly AlertChannelRecord[];
}

/** What answers say of a nullable field that was never set. Not of retryStrategy: there null means no retries. */
const UNSET = {
  tags: [] as string[],
  locations: null,
  privateLocations: null,
  groupId: null,
  groupOrder: null,
  runtimeId: null,
  description: null,
};

function around(check: CheckRecord, { subscriptions, channels }: Alerting) {
  return {
    alertChannelSubscriptions: shownSubscriptions(subscriptions),
    alertChannels: shownChannels(subscriptions, channels),
    ...ages(check),
  };
}

/** What the specification leaves out of a DNS check's answer. */
function shownDns(body: DnsCheckBody) {
  const {
    script: _script,
    heartbeat: _heartbeat,
    scriptPath: _scriptPath,
    sslCheckDomain: _sslCheckDomain,
    environmentVariables: _environmentVariables,
    setupSnippetId: _setupSnippetId,
    tearDownSnippetId: _tearDownSnippetId,
    localSetupScript: _localSetupScript,
    localTearDownScript: _localTearDownScript,
    ...shown
  } = body;
  return shown;
}

function shownBrowser({ environmentVariables, ...body }: BrowserCheckBody) {
  return {
    scriptPath: null,
    dependencies: null,
    sslCheckDomain: null,
    ...body,
    environmentVariables: shownVariables(environmentVariables ?? null),
  };
}

export function presentDns(check: DnsRecord, alerting: Alerting): DnsAnswer {
  const { frequencyOffset } = check;
  return {
    id: check.id,
    checkType: 'DNS',
    ...UNSET,
    ...shownDns(check.body),
    ...(frequencyOffset === null ? {} : { frequencyOffset }),
    ...around(check, alerting),
  };
}

export function presentBrowser(check: BrowserRecord, alerting: Alerting): BrowserAnswer {
  return {
    id: check.id,
    checkType: 'BROWSER',
    ...UNSET,
    ...shownBrowser(check.body),
    ...around(check, alerting),
  };
}

export function presentCheck(check: CheckRecord, alerting: Alerting): AnyAnswer {
  const fixed = {
    ...{ id: check.id, name: check.name, checkType: check.type },
    ...{ status: check.status, nextRunAt: isoOrNull(check.nextRunAt) },
  };
  switch (check.type) {
    case 'DNS':
      return { ...presentDns(check, alerting), ...fixed };
    case 'BROWSER':
      return { ...presentBrowser(check, alerting), ...fixed };
    default:
      return check satisfies never;
  }
}
