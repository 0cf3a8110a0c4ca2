/** What a request names must be there: checks, groups, channels, snippets, services and locations of the same account. */
import { nearest } from '../../../base/suggest.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { BodyOf, createApiCheck, Violation } from '../../../contract/index.ts';
import { isRunnable } from '../../engine/sessions/settings.ts';
import type { CheckGroupRecord, CheckRecord, Store } from '../../store/index.ts';
import { notFound, violation } from './problem.ts';

/** What is looked in: the store, or a transaction of it, so that what was found is still there when it is referred to. */
export type Shelves = Pick<
  Store,
  'alertChannels' | 'checks' | 'codeBundles' | 'groups' | 'privateLocations' | 'services' | 'snippets'
>;

/** The check, or `Problem` 404. */
export async function requireCheck(store: Shelves, accountId: string, id: string): Promise<CheckRecord> {
  const check = await store.checks.get(accountId, id);
  if (!check) throw notFound(`check ${id}`);
  return check;
}

/** Returns the message of the 404 of a target that starts nothing. */
export async function nothingToRun(
  store: Shelves,
  accountId: string,
  ids: readonly string[] = [],
): Promise<string> {
  const pinged = (await store.checks.byIds(accountId, ids)).filter((check) => !isRunnable(check));
  const named = pinged.map(({ name }) => name).join(', ');
  return named === ''
    ? 'No active check matches the target'
    : `Heartbeat checks cannot be run, they wait for pings: ${named}`;
}

/** Returns the message of the 404 of a group that starts nothing: an answer without sessions would look like a good run. */
export async function nothingToRunIn(
  store: Shelves,
  { id, accountId, body }: CheckGroupRecord,
): Promise<string> {
  if (body.activated === false) return `Check group ${id} is deactivated`;
  const checks = await store.checks.byGroup(accountId, id);
  if (checks.length === 0) return `Check group ${id} has no checks`;
  return checks.some(isRunnable)
    ? `Check group ${id} has no active checks`
    : `Check group ${id} has only heartbeat checks, which wait for pings and cannot be run`;
}

/** The group, or `Problem` 404. */
export async function requireGroup(store: Shelves, accountId: string, id: number): Promise<CheckGroupRecord> {
  const group = await store.groups.get(accountId, id);
  if (!group) throw notFound(`check group ${id}`);
  return group;
}

type Path = Violation['path'];
const missing = (path: Path, what: string): Violation =>
  violation('body', path, 'reference', `does not match any ${what} of this account`);

/** Where one of these is named that the account doesn't have. */
async function absent<Id extends string | number>(
  ids: readonly (readonly [Path, Id])[],
  what: string,
  find: (ids: readonly Id[]) => Promise<readonly { readonly id: Id }[]>,
): Promise<Violation[]> {
  if (ids.length === 0) return [];
  const found = new Set((await find([...new Set(ids.map(([, id]) => id))])).map(({ id }) => id));
  return ids.filter(([, id]) => !found.has(id)).map(([path]) => missing(path, what));
}

/** Services that a card or an incident names and that are not there. */
export function missingServices(
  store: Shelves,
  accountId: string,
  services: readonly { readonly id: string }[],
  path: Path,
): Promise<Violation[]> {
  return absent(
    services.map(({ id }, index) => [[...path, index, 'id'], id] as const),
    'status page service',
    (ids) => store.services.byIds(accountId, ids),
  );
}

async function unknownSlugs(
  store: Shelves,
  accountId: string,
  slugs: readonly string[],
): Promise<Violation[]> {
  if (slugs.length === 0) return [];
  const known = (await store.privateLocations.list(accountId)).map(({ body }) => body.slugName);
  return slugs.flatMap((slug, index) => {
    if (known.includes(slug)) return [];
    const near = nearest(slug, known);
    const more = { allowed: known, ...(near === undefined ? {} : { nearest: near }) };
    const message = 'does not match any private location of this account';
    return [violation('body', ['privateLocations', index], 'reference', message, more)];
  });
}

/** What is wrong with a location to run in: it must be a public one's code or a private one's slug. */
export async function locationViolations(
  store: Shelves,
  accountId: string,
  location: string,
  path: Path = ['runLocation'],
  part: Violation['in'] = 'body',
): Promise<readonly Violation[]> {
  if (LOCATIONS.some((code) => code === location)) return [];
  const known = (await store.privateLocations.list(accountId)).map(({ body }) => body.slugName);
  if (known.includes(location)) return [];
  const allowed = [...LOCATIONS, ...known];
  const near = nearest(location, allowed);
  const message = 'must be a public location or the slug of a private location';
  return [
    violation(part, path, 'reference', message, {
      allowed,
      ...(near === undefined ? {} : { nearest: near }),
    }),
  ];
}

type Referring = Partial<
  Pick<
    BodyOf<typeof createApiCheck>,
    | 'alertChannelSubscriptions'
    | 'groupId'
    | 'privateLocations'
    | 'setupSnippetId'
    | 'tearDownSnippetId'
    | 'triggerIncident'
  >
> & { readonly codeBundleId?: string };

function namedTwice(subscriptions: NonNullable<Referring['alertChannelSubscriptions']>): Violation[] {
  const ids = subscriptions.map(({ alertChannelId }) => alertChannelId);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : [
          violation(
            'body',
            ['alertChannelSubscriptions', index, 'alertChannelId'],
            'uniqueItems',
            'must not contain the same channel twice',
          ),
        ],
  );
}

/** Everything that a check or a group names and that the account doesn't have. */
export async function missingReferences(
  store: Shelves,
  accountId: string,
  body: Referring,
): Promise<Violation[]> {
  const { alertChannelSubscriptions: subscriptions = [], groupId, triggerIncident } = body;
  const snippets = (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = body[field];
    return typeof id === 'number' ? [[[field], id] as const] : [];
  });
  const serviceId = triggerIncident?.serviceId;
  // One after the other: a transaction has one connection.
  return [
    ...namedTwice(subscriptions),
    ...(await absent(
      subscriptions.map(
        ({ alertChannelId }, index) =>
          [['alertChannelSubscriptions', index, 'alertChannelId'], alertChannelId] as const,
      ),
      'alert channel',
      (ids) => store.alertChannels.byIds(accountId, ids),
    )),
    ...(await absent(
      typeof groupId === 'number' ? [[['groupId'], groupId] as const] : [],
      'check group',
      (ids) => store.groups.byIds(accountId, ids),
    )),
    ...(await absent(snippets, 'snippet', (ids) => store.snippets.byIds(accountId, ids))),
    ...(await absent(
      serviceId === undefined ? [] : [[['triggerIncident', 'serviceId'], serviceId] as const],
      'status page service',
      (ids) => store.services.byIds(accountId, ids),
    )),
    ...(await unknownSlugs(store, accountId, body.privateLocations ?? [])),
    ...(body.codeBundleId === undefined || (await store.codeBundles.has(accountId, body.codeBundleId))
      ? []
      : [missing(['codeBundleId'], 'code bundle')]),
  ];
}
