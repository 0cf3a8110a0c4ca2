/** The table of things: what the service has, what people call it, what lists it, and what of it is shown beside its id. */
import { isObject } from '../../base/object.ts';
import type { EntryOf } from '../../client/index.ts';
import {
  type Endpoint,
  listAlertChannels,
  listCheckGroups,
  listCheckSessions,
  listChecks,
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
import { sanitizeLine } from '../../terminal/sanitize.ts';
import { formatRelativeTime, toInstant } from '../../terminal/time.ts';
import type { ThingName } from '../framework/options.ts';

/** What of an entry of the list is shown, as it came: nothing of it is trusted yet. */
interface Seen {
  readonly id: unknown;
  /** What people call it, where that is not its id. */
  readonly name?: unknown;
  readonly status?: unknown;
  /** What else tells it from others, one word each. */
  readonly notes?: readonly unknown[];
  /** When something happened to it that people remember it by; those near to now are listed first. */
  readonly at?: unknown;
}

/** One thing that may be meant, cleaned for a terminal. */
export interface Candidate {
  readonly id: string;
  readonly name?: string;
  readonly status?: string;
  readonly notes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

export interface Thing {
  /** `check session`, and several of it. */
  readonly noun: string;
  readonly plural: string;
  /** Lists it. */
  readonly list: Endpoint;
  /** The command that lists it: `checks list`. */
  readonly command?: string;
  /** False where its name is that of another thing, and tells none of its own kind apart. */
  readonly isNamed?: boolean;
  /** The thing whose id the list wants in its path, and the parameter that it fills. */
  readonly within?: { readonly of: ThingName; readonly param: string };
  /** Another thing that may be meant as well. */
  readonly besides?: ThingName;
  readonly see: (entry: never) => Seen;
}

/** Only infers what the list holds. */
const row = <E extends Endpoint>(
  thing: Omit<Thing, 'list' | 'see'> & { readonly list: E; readonly see: (entry: EntryOf<E>) => Seen },
): Thing => thing;

export const things: Readonly<Record<ThingName, Thing>> = {
  'alert-channel': row({
    noun: 'alert channel',
    plural: 'alert channels',
    list: listAlertChannels,
    command: 'alert-channels list',
    see: ({ id, type, config }) => ({
      id,
      name: config.name ?? config.address ?? config.number ?? type,
      notes: [type],
    }),
  }),
  check: row({
    noun: 'check',
    plural: 'checks',
    list: listChecks,
    command: 'checks list',
    see: ({ id, name, checkType, activated }) => ({
      id,
      name,
      notes: [checkType, activated === false && 'deactivated'],
    }),
  }),
  // A trigger is of the one or of the other: ids of groups are numbers.
  'check-or-group': row({
    noun: 'check or group',
    plural: 'checks and groups',
    list: listChecks,
    command: 'checks list',
    besides: 'group',
    see: ({ id, name, checkType, activated }) => ({
      id,
      name,
      notes: [checkType, activated === false && 'deactivated'],
    }),
  }),
  dashboard: row({
    noun: 'dashboard',
    plural: 'dashboards',
    list: listDashboards,
    command: 'dashboards list',
    see: ({ dashboardId, header, customUrl }) => ({ id: dashboardId, name: header ?? customUrl }),
  }),
  'error-group': row({
    noun: 'error group',
    plural: 'error groups',
    list: listErrorGroups,
    within: { of: 'check', param: 'checkId' },
    see: ({ id, cleanedErrorMessage, archiveForEver, archivedUntilNextEvent, lastSeen }) => ({
      id,
      name: cleanedErrorMessage,
      notes: [(archiveForEver || archivedUntilNextEvent) && 'archived'],
      at: lastSeen,
    }),
  }),
  group: row({
    noun: 'check group',
    plural: 'check groups',
    list: listCheckGroups,
    command: 'groups list',
    see: ({ id, name, activated }) => ({ id, name, notes: [activated === false && 'deactivated'] }),
  }),
  incident: row({
    noun: 'incident',
    plural: 'incidents',
    list: listIncidents,
    command: 'incidents list',
    see: ({ id, name, lastUpdateStatus, severity, created_at }) => ({
      id,
      name,
      notes: [severity, lastUpdateStatus],
      at: created_at,
    }),
  }),
  'maintenance-window': row({
    noun: 'maintenance window',
    plural: 'maintenance windows',
    list: listMaintenanceWindows,
    command: 'maintenance list',
    see: ({ id, name, startsAt }) => ({ id, name, at: startsAt }),
  }),
  'private-location': row({
    noun: 'private location',
    plural: 'private locations',
    list: listPrivateLocations,
    command: 'private-locations list',
    see: ({ id, name, slugName }) => ({ id, name, notes: [slugName] }),
  }),
  service: row({
    noun: 'service',
    plural: 'services',
    list: listServices,
    command: 'services list',
    see: ({ id, name }) => ({ id, name }),
  }),
  session: row({
    noun: 'check session',
    plural: 'check sessions',
    list: listCheckSessions,
    isNamed: false,
    command: 'sessions list',
    see: ({ checkSessionId, name, checkId, status, startedAt }) => ({
      id: checkSessionId,
      name: name ?? checkId,
      status,
      at: startedAt,
    }),
  }),
  snippet: row({
    noun: 'snippet',
    plural: 'snippets',
    list: listSnippets,
    command: 'snippets list',
    see: ({ id, name }) => ({ id, name }),
  }),
  'status-page': row({
    noun: 'status page',
    plural: 'status pages',
    list: listStatusPages,
    command: 'status-pages list',
    see: ({ id, name, url }) => ({ id, name, notes: [url] }),
  }),
  'test-session': row({
    noun: 'test session',
    plural: 'test sessions',
    list: listTestSessions,
    isNamed: false,
    see: ({ testSessionId, name, status, startedAt }) => ({
      id: testSessionId,
      name,
      status,
      at: startedAt,
    }),
  }),
  variable: row({
    noun: 'environment variable',
    plural: 'environment variables',
    list: listVariables,
    see: ({ key, secret, locked }) => ({ id: key, notes: [secret ? 'secret' : locked && 'locked'] }),
  }),
};

const textOf = (value: unknown): string | undefined => {
  const text =
    typeof value === 'number' ? String(value) : typeof value === 'string' ? sanitizeLine(value).trim() : '';
  return text === '' ? undefined : text;
};

/** What an entry of the thing's list comes to; undefined where it has no id. */
export function candidateOf({ see }: Thing, entry: unknown): Candidate | undefined {
  if (!isObject(entry)) return undefined;
  const { id: given, name: called, status: state, notes = [], at: when } = see(entry as never);
  const id = textOf(given);
  if (id === undefined) return undefined;
  const name = textOf(called);
  const status = textOf(state);
  const at = toInstant(when);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    notes: notes.flatMap((note) => textOf(note) ?? []),
    ...(at === undefined ? {} : { at }),
  };
}

/** What is shown beside the id, in one line: `FAILED Apex record, 3m ago`. `now` in milliseconds; empty where nothing is known. */
export function labelOf({ name, status, notes, at }: Candidate, now: number): string {
  const head = [status, name].filter((part) => part !== undefined).join(' ');
  const tail = [...notes, ...(at === undefined ? [] : [formatRelativeTime(at, now)])];
  return [head, ...tail].filter((part) => part !== '').join(', ');
}
