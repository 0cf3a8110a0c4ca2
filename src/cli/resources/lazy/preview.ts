/** Reads the resources that a command is about to change, and what depends on them. Loaded only before a question. */
import type { JsonObject } from '../../../base/object.ts';
import type { CallOptions, Client } from '../../../client/index.ts';
import { type Endpoint, type Input, listCheckGroups, listChecks } from '../../../contract/index.ts';
import { formatRelativeTime, sanitizeLine, toInstant } from '../../../terminal/index.ts';
import type { ResourceName } from '../../framework/index.ts';
import { type CatalogEntry, catalog, formatCandidate, toCandidate } from '../catalog.ts';

type Id = string | number;

/** How to read the resource of an ID. */
export interface PreviewSource {
  readonly of: ResourceName;
  readonly get: Endpoint;
  /** Reads the trigger of the check or group, if the trigger is what changes. */
  readonly getTrigger?: Endpoint;
}

/** A resource as a person sees it; sanitised. */
export interface Preview {
  readonly label: string;
  /** What depends on the resource. */
  readonly details?: string;
}

/** Returns a function that reads one preview, and rejects as the client does. `now`: milliseconds since the epoch. */
export function createPreviewReader(
  api: Client,
  { of, get, getTrigger }: PreviewSource,
  options: CallOptions,
  now: number,
): (id: Id) => Promise<Preview> {
  const entry = catalog[of];
  const label = (item: JsonObject): string => {
    const candidate = toCandidate(entry, item);
    return candidate ? formatCandidate(candidate, now) : '';
  };
  if (getTrigger) {
    return async (id) => {
      const [item, { called_at: called }] = await Promise.all([
        readItem(api, get, id, options),
        readItem(api, getTrigger, id, options),
      ]);
      const at = toInstant(called);
      return {
        label: label(item),
        details: at === undefined ? 'never called' : `last called ${formatRelativeTime(at, now)}`,
      };
    };
  }
  const users = entry.usage ? readUsers(api, options) : Promise.resolve([]);
  return async (id) => {
    const item = await readItem(api, get, id, options);
    return { label: label(item), details: formatDetails(entry, item, await users) };
  };
}

/** Reads the item of an ID, which fills the only parameter of the endpoint's path. */
async function readItem(api: Client, endpoint: Endpoint, id: Id, options: CallOptions): Promise<JsonObject> {
  const [, param = ''] = /\{(\w+)\}/.exec(endpoint.path) ?? [];
  const { body } = await api.call(
    endpoint,
    { params: { [param]: id } } as unknown as Input<Endpoint>,
    options,
  );
  return body as unknown as JsonObject;
}

type User = readonly [noun: string, fields: JsonObject];

/** Reads the first page of checks and of groups; none if the service does not list them. */
async function readUsers(api: Client, options: CallOptions): Promise<readonly User[]> {
  const page = async (endpoint: Endpoint, noun: string): Promise<readonly User[]> => {
    try {
      const { body } = await api.call(
        endpoint,
        { query: { limit: 100 } } as unknown as Input<Endpoint>,
        options,
      );
      const rows: readonly unknown[] = Array.isArray(body) ? body : [];
      return rows.map((row) => [noun, row as JsonObject]);
    } catch {
      return [];
    }
  };
  return (await Promise.all([page(listCheckGroups, 'group'), page(listChecks, 'check')])).flat();
}

/** `2 agents run; used by group A, check B, 3 more`: names the first three users. */
function formatDetails({ details, usage }: CatalogEntry, item: JsonObject, all: readonly User[]): string {
  const users = usage ? all.filter(([, user]) => usage.isUser(user, item)) : [];
  const names = users.slice(0, 3).map(([noun, { name }]) => `${noun} ${sanitizeLine(String(name))}`);
  const rest = users.length - names.length;
  const listed = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return [details?.(item) ?? '', usage && listed ? `${usage.verb} ${listed}` : '']
    .filter((part) => part !== '')
    .join('; ');
}
