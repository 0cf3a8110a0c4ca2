/** How what ids name is read before it goes: the thing itself, and what is seen to hang on it. Loaded only where a person is asked. */
import { plural } from '../../../base/plural.ts';
import type { CallOptions, Client } from '../../../client/index.ts';
import {
  type Endpoint,
  getAlertChannel,
  getCheck,
  getCheckGroup,
  getCheckSession,
  getCheckTrigger,
  getDashboard,
  getGroupTrigger,
  getIncident,
  getMaintenanceWindow,
  getPrivateLocation,
  getService,
  getSnippet,
  getStatusPage,
  getVariable,
  type Input,
  listCheckGroups,
  listChecks,
} from '../../../contract/index.ts';
import { formatRelativeTime, sanitizeLine, toInstant } from '../../../terminal/index.ts';
import type { ThingName } from '../../framework/index.ts';
import { candidateOf, labelOf, things } from '../catalog.ts';

type Id = string | number;

/** What a person knows a thing by, and what hangs on it; both sanitised. */
export interface Found {
  readonly label: string;
  readonly hangs?: string;
}

/** Opens the way to what ids name; what it gives rejects where one cannot be read. `now` in ms. */
type Look = (api: Client, options: CallOptions, now: number) => (id: Id) => Promise<Found>;
type Fields = Readonly<Record<string, unknown>>;

/** Reads one thing. What it is called is told by the table of things. */
async function read(
  api: Client,
  endpoint: Endpoint,
  params: Readonly<Record<string, Id>>,
  options: CallOptions,
): Promise<Fields> {
  const { body } = await api.call(endpoint, { params } as unknown as Input<Endpoint>, options);
  return body as unknown as Fields;
}

function nameOf(thing: ThingName, body: Fields, now: number): string {
  const candidate = candidateOf(things[thing], body);
  return candidate ? labelOf(candidate, now) : '';
}

/** What of a thing itself tells what hangs on it; empty where nothing does. */
const look =
  (
    thing: ThingName,
    endpoint: Endpoint,
    param: string,
    hangsOf: (body: Fields, now: number) => string = () => '',
  ): Look =>
  (api, options, now) =>
  async (id) => {
    const body = await read(api, endpoint, { [param]: id }, options);
    return { label: nameOf(thing, body, now), hangs: hangsOf(body, now) };
  };

/** What checks and groups a service lists first; nothing where they cannot be read. */
async function readUsers(api: Client, options: CallOptions): Promise<readonly [string, Fields][]> {
  const page = async (endpoint: Endpoint, noun: string): Promise<[string, Fields][]> => {
    try {
      const { body } = await api.call(
        endpoint,
        { query: { limit: 100 } } as unknown as Input<Endpoint>,
        options,
      );
      const rows: readonly unknown[] = Array.isArray(body) ? body : [];
      return rows.map((row) => [noun, row as Fields]);
    } catch {
      return [];
    }
  };
  return (await Promise.all([page(listCheckGroups, 'group'), page(listChecks, 'check')])).flat();
}

/** `used by group A, check B`: the first three by their names. */
const usedBy = (users: readonly [noun: string, user: Fields][], words: string): readonly string[] => {
  const named = users.slice(0, 3).map(([noun, user]) => `${noun} ${sanitizeLine(String(user.name))}`);
  const rest = users.length - named.length;
  const told = rest > 0 ? [...named, `${rest} more`] : named;
  return told.length > 0 ? [`${words} ${told.join(', ')}`] : [];
};

/** As `look`, with the checks and groups that name the thing. */
const lookWithUsers =
  (
    thing: ThingName,
    endpoint: Endpoint,
    uses: (user: Fields, body: Fields) => boolean,
    { words = 'used by', more = () => [] }: UserWords = {},
  ): Look =>
  (api, options, now) => {
    const users = readUsers(api, options);
    return async (id) => {
      const body = await read(api, endpoint, { id }, options);
      const using = (await users).filter(([, user]) => uses(user, body));
      return { label: nameOf(thing, body, now), hangs: [...more(body), ...usedBy(using, words)].join('; ') };
    };
  };

interface UserWords {
  /** What stands before their names. */
  readonly words?: string;
  readonly more?: (body: Fields) => readonly string[];
}

/** A trigger has no name: it is known by what it starts. */
const lookAtTrigger =
  (thing: 'check' | 'group', owner: Endpoint, trigger: Endpoint, param: string): Look =>
  (api, options, now) =>
  async (id) => {
    const [body, { called_at: called }] = await Promise.all([
      read(api, owner, { id }, options),
      read(api, trigger, { [param]: id }, options),
    ]);
    const at = toInstant(called);
    return {
      label: nameOf(thing, body, now),
      hangs: at === undefined ? 'never called' : `last called ${formatRelativeTime(at, now)}`,
    };
  };

const isNamed = (list: unknown, value: unknown): boolean => Array.isArray(list) && list.includes(value);

export const looks = {
  alertChannel: look('alert-channel', getAlertChannel, 'id', ({ subscriptions }) => {
    const count = Array.isArray(subscriptions) ? subscriptions.length : 0;
    return count === 0 ? '' : `alerted by ${plural(count, 'check or group', 'checks and groups')}`;
  }),
  check: look('check', getCheck, 'id'),
  group: lookWithUsers('group', getCheckGroup, (user, { id }) => user.groupId === id, {
    words: 'contains',
  }),
  incident: look('incident', getIncident, 'id', ({ services }) =>
    Array.isArray(services)
      ? services.map((service: Fields) => sanitizeLine(String(service.name))).join(', ')
      : '',
  ),
  maintenanceWindow: look('maintenance-window', getMaintenanceWindow, 'id'),
  service: look('service', getService, 'id'),
  statusPage: look('status-page', getStatusPage, 'statusPageId'),
  checkTrigger: lookAtTrigger('check', getCheck, getCheckTrigger, 'checkId'),
  groupTrigger: lookAtTrigger('group', getCheckGroup, getGroupTrigger, 'groupId'),
  dashboard: look('dashboard', getDashboard, 'dashboardId', ({ customUrl }) =>
    typeof customUrl === 'string' ? `served at ${sanitizeLine(customUrl)}` : '',
  ),
  variable: look('variable', getVariable, 'key'),
  snippet: lookWithUsers(
    'snippet',
    getSnippet,
    (user, { id }) => user.setupSnippetId === id || user.tearDownSnippetId === id,
  ),
  privateLocation: lookWithUsers(
    'private-location',
    getPrivateLocation,
    (user, { slugName }) => isNamed(user.privateLocations, slugName),
    {
      more: ({ agentCount }) =>
        typeof agentCount === 'number' && agentCount > 0
          ? [plural(agentCount, 'agent runs', 'agents run')]
          : [],
    },
  ),
  session: look('session', getCheckSession, 'checkSessionId'),
} satisfies Readonly<Record<string, Look>>;

export type LookName = keyof typeof looks;
