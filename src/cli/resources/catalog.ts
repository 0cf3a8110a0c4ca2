/** Lists the resources of the service: their names, the endpoint that lists them, and how an item is described to a person. */
import { isObject, type JsonObject } from '../../base/object.ts';
import { plural } from '../../base/plural.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { tolerate } from '../../base/tolerate.ts';
import type { EntryOf } from '../../client/index.ts';
import {
  type Endpoint,
  listAlertChannels,
  listCheckGroups,
  listCheckSessions,
  listChecks,
  listClientCertificates,
  listDashboards,
  listErrorGroups,
  listIncidents,
  listMaintenanceWindows,
  listPrivateLocations,
  listServices,
  listSnippets,
  listStatusPages,
  listTestSessions,
  listVariables,
} from '../../contract/index.ts';
import { formatRelativeTime, toInstant } from '../../terminal/time.ts';
import type { ResourceName } from '../framework/options.ts';

/** The fields that describe an item, as the service returned them: unvalidated. */
interface CandidateFields {
  readonly id: unknown;
  /** The display name, if it differs from the ID. */
  readonly name?: unknown;
  /** Another name that is unique, such as a slug. */
  readonly slug?: unknown;
  readonly status?: unknown;
  /** Short texts that tell items apart. */
  readonly notes?: readonly unknown[];
  /** A time that people remember the item by. Lists begin with the items nearest to now. */
  readonly at?: unknown;
}

/** An item to choose from, sanitised for a terminal. */
export interface Candidate {
  readonly id: string;
  readonly name?: string;
  readonly slug?: string;
  readonly status?: string;
  readonly notes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

export interface CatalogEntry {
  /** `check session`, `check sessions`. */
  readonly noun: string;
  readonly plural: string;
  readonly list: Endpoint;
  /** The command that lists the resource: `checks list`. */
  readonly command?: string;
  /** False if the name is that of another resource, so that it identifies no item. */
  readonly isNamed?: boolean;
  /** The resource whose ID is part of the path of `list`, and the parameter for it. */
  readonly parent?: { readonly of: ResourceName; readonly param: string };
  /** Another resource that an ID may belong to. */
  readonly alternative?: ResourceName;
  /** Returns what to show of an item of the list. */
  readonly describe: (item: never) => CandidateFields;
  /** Returns what a person should know before an item is changed, from its own fields; empty if there is nothing. */
  readonly details?: (item: JsonObject) => string;
  /** Finds the checks and groups that use an item. */
  readonly usage?: {
    readonly verb: 'used by' | 'contains';
    readonly isUser: (checkOrGroup: JsonObject, item: JsonObject) => boolean;
  };
}

/** Infers the type of the list's items. */
const entry = <E extends Endpoint>(
  fields: Omit<CatalogEntry, 'list' | 'describe'> & {
    readonly list: E;
    readonly describe: (item: EntryOf<E>) => CandidateFields;
  },
): CatalogEntry => fields;

export const catalog: Readonly<Record<ResourceName, CatalogEntry>> = {
  'alert-channel': entry({
    noun: 'alert channel',
    plural: 'alert channels',
    list: listAlertChannels,
    command: 'alert-channels list',
    describe: ({ id, type, config }) => ({
      id,
      name: config.name ?? config.address ?? config.number ?? type,
      notes: [type],
    }),
    details: ({ subscriptions }) => {
      const count = Array.isArray(subscriptions) ? subscriptions.length : 0;
      return count === 0 ? '' : `alerted by ${plural(count, 'check or group', 'checks and groups')}`;
    },
  }),
  check: entry({
    noun: 'check',
    plural: 'checks',
    list: listChecks,
    command: 'checks list',
    describe: ({ id, name, checkType, activated }) => ({
      id,
      name,
      notes: [checkType, activated === false && 'deactivated'],
    }),
  }),
  // A trigger belongs to a check or a group. IDs of groups are numbers.
  'check-or-group': entry({
    noun: 'check or group',
    plural: 'checks and groups',
    list: listChecks,
    command: 'checks list',
    alternative: 'group',
    describe: ({ id, name, checkType, activated }) => ({
      id,
      name,
      notes: [checkType, activated === false && 'deactivated'],
    }),
  }),
  'client-certificate': entry({
    noun: 'client certificate',
    plural: 'client certificates',
    list: listClientCertificates,
    command: 'client-certificates list',
    describe: ({ id, host, created_at }) => ({ id, name: host, at: created_at }),
  }),
  dashboard: entry({
    noun: 'dashboard',
    plural: 'dashboards',
    list: listDashboards,
    command: 'dashboards list',
    describe: ({ dashboardId, header, customUrl }) => ({ id: dashboardId, name: header ?? customUrl }),
    details: ({ customUrl }) => (typeof customUrl === 'string' ? `served at ${sanitizeLine(customUrl)}` : ''),
  }),
  'error-group': entry({
    noun: 'error group',
    plural: 'error groups',
    list: listErrorGroups,
    parent: { of: 'check', param: 'checkId' },
    describe: ({ id, cleanedErrorMessage, archiveForEver, archivedUntilNextEvent, lastSeen }) => ({
      id,
      name: cleanedErrorMessage,
      notes: [(archiveForEver || archivedUntilNextEvent) && 'archived'],
      at: lastSeen,
    }),
  }),
  group: entry({
    noun: 'check group',
    plural: 'check groups',
    list: listCheckGroups,
    command: 'groups list',
    describe: ({ id, name, activated }) => ({ id, name, notes: [activated === false && 'deactivated'] }),
    usage: { verb: 'contains', isUser: ({ groupId }, { id }) => groupId === id },
  }),
  incident: entry({
    noun: 'incident',
    plural: 'incidents',
    list: listIncidents,
    command: 'incidents list',
    describe: ({ id, name, lastUpdateStatus, severity, created_at }) => ({
      id,
      name,
      notes: [severity, lastUpdateStatus],
      at: created_at,
    }),
    details: ({ services }) =>
      Array.isArray(services)
        ? services.map((service: JsonObject) => sanitizeLine(String(service.name))).join(', ')
        : '',
  }),
  'maintenance-window': entry({
    noun: 'maintenance window',
    plural: 'maintenance windows',
    list: listMaintenanceWindows,
    command: 'maintenance list',
    describe: ({ id, name, startsAt }) => ({ id, name, at: startsAt }),
  }),
  'private-location': entry({
    noun: 'private location',
    plural: 'private locations',
    list: listPrivateLocations,
    command: 'private-locations list',
    describe: ({ id, name, slugName }) => ({ id, name, slug: slugName, notes: [slugName] }),
    details: ({ agentCount }) =>
      typeof agentCount === 'number' && agentCount > 0 ? plural(agentCount, 'agent runs', 'agents run') : '',
    usage: {
      verb: 'used by',
      isUser: ({ privateLocations }, { slugName }) =>
        Array.isArray(privateLocations) && privateLocations.includes(slugName),
    },
  }),
  service: entry({
    noun: 'service',
    plural: 'services',
    list: listServices,
    command: 'services list',
    describe: ({ id, name }) => ({ id, name }),
  }),
  session: entry({
    noun: 'check session',
    plural: 'check sessions',
    list: listCheckSessions,
    isNamed: false,
    command: 'sessions list',
    describe: ({ checkSessionId, name, checkId, status, startedAt }) => ({
      id: checkSessionId,
      name: name ?? checkId,
      status,
      at: startedAt,
    }),
  }),
  snippet: entry({
    noun: 'snippet',
    plural: 'snippets',
    list: listSnippets,
    command: 'snippets list',
    describe: ({ id, name }) => ({ id, name }),
    usage: {
      verb: 'used by',
      isUser: ({ setupSnippetId, tearDownSnippetId }, { id }) =>
        setupSnippetId === id || tearDownSnippetId === id,
    },
  }),
  'status-page': entry({
    noun: 'status page',
    plural: 'status pages',
    list: listStatusPages,
    command: 'status-pages list',
    describe: ({ id, name, url }) => ({ id, name, notes: [url] }),
  }),
  'test-session': entry({
    noun: 'test session',
    plural: 'test sessions',
    list: listTestSessions,
    isNamed: false,
    command: 'test-sessions list',
    describe: ({ testSessionId, name, status, startedAt }) => ({
      id: testSessionId,
      name,
      status,
      at: startedAt,
    }),
  }),
  variable: entry({
    noun: 'environment variable',
    plural: 'environment variables',
    list: listVariables,
    describe: ({ key, secret, locked }) => ({ id: key, notes: [secret ? 'secret' : locked && 'locked'] }),
  }),
};

const textOf = (value: unknown): string | undefined => {
  const text =
    typeof value === 'number' ? String(value) : typeof value === 'string' ? sanitizeLine(value).trim() : '';
  return text === '' ? undefined : text;
};

/** Returns an item of a resource's list as a candidate. Undefined: it has no ID. */
export function toCandidate({ describe }: CatalogEntry, item: unknown): Candidate | undefined {
  if (!isObject(item)) return undefined;
  const described = tolerate(() => describe(item as never));
  if (!described) return undefined;
  const { notes = [], ...fields } = described;
  const id = textOf(fields.id);
  if (id === undefined) return undefined;
  const name = textOf(fields.name);
  const slug = textOf(fields.slug);
  const status = textOf(fields.status);
  const at = toInstant(fields.at);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(slug === undefined ? {} : { slug }),
    ...(status === undefined ? {} : { status }),
    notes: notes.flatMap((note) => textOf(note) ?? []),
    ...(at === undefined ? {} : { at }),
  };
}

/** Formats what to show beside an ID: `FAILED Apex record, 3m ago`. `now`: milliseconds since the epoch. */
export function formatCandidate({ name, status, notes, at }: Candidate, now: number): string {
  const head = [status, name].filter((part) => part !== undefined).join(' ');
  const tail = [...notes, ...(at === undefined ? [] : [formatRelativeTime(at, now)])];
  return [head, ...tail].filter((part) => part !== '').join(', ');
}
