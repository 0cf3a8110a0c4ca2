/** Checks that the resources that a request refers to exist in the account. */

import { findNearest } from '../../../base/suggest.ts';
import { isRunnable } from '../../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { BodyOf, createApiCheck, Violation } from '../../../contract/index.ts';
import type { CheckGroupRecord, CheckRecord, Store } from '../../store/index.ts';
import { notFound, violation } from './problem.ts';

/** The store, or a transaction in which the referenced resources cannot disappear. */
export type ReferenceStore = Pick<
  Store,
  'alertChannels' | 'checks' | 'codeBundles' | 'groups' | 'privateLocations' | 'services' | 'snippets'
>;

/** Returns the check. Throws `Problem` 404. */
export async function requireCheck(
  store: ReferenceStore,
  accountId: string,
  id: string,
): Promise<CheckRecord> {
  const check = await store.checks.get(accountId, id);
  if (!check) throw notFound(`check ${id}`);
  return check;
}

/** Returns the message of the 404 for a target that starts no session. */
export async function noCheckToRunMessage(
  store: ReferenceStore,
  accountId: string,
  ids: readonly string[] = [],
): Promise<string> {
  const heartbeats = (await store.checks.byIds(accountId, ids)).filter((check) => !isRunnable(check));
  const names = heartbeats.map(({ name }) => name).join(', ');
  return names === ''
    ? 'No active check matches the target'
    : `Heartbeat checks cannot be run, they wait for pings: ${names}`;
}

/** Returns the message of the 404 for a group that starts no session: a response without sessions would look like success. */
export async function noCheckInGroupMessage(
  store: ReferenceStore,
  { id, accountId, body }: CheckGroupRecord,
): Promise<string> {
  if (body.activated === false) return `Check group ${id} is deactivated`;
  const checks = await store.checks.byGroup(accountId, id);
  if (checks.length === 0) return `Check group ${id} has no checks`;
  return checks.some(isRunnable)
    ? `Check group ${id} has no active checks`
    : `Check group ${id} has only heartbeat checks, which wait for pings and cannot be run`;
}

/** Returns the group. Throws `Problem` 404. */
export async function requireGroup(
  store: ReferenceStore,
  accountId: string,
  id: number,
): Promise<CheckGroupRecord> {
  const group = await store.groups.get(accountId, id);
  if (!group) throw notFound(`check group ${id}`);
  return group;
}

type Path = Violation['path'];
const missingReference = (path: Path, label: string): Violation =>
  violation('body', path, 'reference', `does not match any ${label} of this account`);

/** Returns a violation for each ID that does not exist in the account. */
async function missingIds<Id extends string | number>(
  ids: readonly (readonly [Path, Id])[],
  label: string,
  find: (ids: readonly Id[]) => Promise<readonly { readonly id: Id }[]>,
): Promise<Violation[]> {
  if (ids.length === 0) return [];
  const existing = new Set((await find([...new Set(ids.map(([, id]) => id))])).map(({ id }) => id));
  return ids.filter(([, id]) => !existing.has(id)).map(([path]) => missingReference(path, label));
}

/** Returns violations for services of a card or an incident that do not exist. */
export function missingServices(
  store: ReferenceStore,
  accountId: string,
  services: readonly { readonly id: string }[],
  path: Path,
): Promise<Violation[]> {
  return missingIds(
    services.map(({ id }, index) => [[...path, index, 'id'], id] as const),
    'status page service',
    (ids) => store.services.byIds(accountId, ids),
  );
}

async function missingPrivateLocations(
  store: ReferenceStore,
  accountId: string,
  slugs: readonly string[],
): Promise<Violation[]> {
  if (slugs.length === 0) return [];
  const knownSlugs = (await store.privateLocations.list(accountId)).map(({ body }) => body.slugName);
  return slugs.flatMap((slug, index) => {
    if (knownSlugs.includes(slug)) return [];
    const suggestion = findNearest(slug, knownSlugs);
    const more = { allowed: knownSlugs, ...(suggestion === undefined ? {} : { nearest: suggestion }) };
    const message = 'does not match any private location of this account';
    return [violation('body', ['privateLocations', index], 'reference', message, more)];
  });
}

/** Returns a violation unless the location is a public code or the slug of a private location. */
export async function locationViolations(
  store: ReferenceStore,
  accountId: string,
  location: string,
  path: Path = ['runLocation'],
  part: Violation['in'] = 'body',
): Promise<readonly Violation[]> {
  if (LOCATIONS.some((code) => code === location)) return [];
  const slugs = (await store.privateLocations.list(accountId)).map(({ body }) => body.slugName);
  if (slugs.includes(location)) return [];
  const allowed = [...LOCATIONS, ...slugs];
  const suggestion = findNearest(location, allowed);
  const message = 'must be a public location or the slug of a private location';
  return [
    violation(part, path, 'reference', message, {
      allowed,
      ...(suggestion === undefined ? {} : { nearest: suggestion }),
    }),
  ];
}

type References = Partial<
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

function duplicateChannels(subscriptions: NonNullable<References['alertChannelSubscriptions']>): Violation[] {
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

/** Returns violations for all resources that a check or group refers to and that do not exist. */
export async function missingReferences(
  store: ReferenceStore,
  accountId: string,
  body: References,
): Promise<Violation[]> {
  const { alertChannelSubscriptions: subscriptions = [], groupId, triggerIncident } = body;
  const snippets = (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = body[field];
    return typeof id === 'number' ? [[[field], id] as const] : [];
  });
  const serviceId = triggerIncident?.serviceId;
  // Sequential, because a transaction has one connection.
  return [
    ...duplicateChannels(subscriptions),
    ...(await missingIds(
      subscriptions.map(
        ({ alertChannelId }, index) =>
          [['alertChannelSubscriptions', index, 'alertChannelId'], alertChannelId] as const,
      ),
      'alert channel',
      (ids) => store.alertChannels.byIds(accountId, ids),
    )),
    ...(await missingIds(
      typeof groupId === 'number' ? [[['groupId'], groupId] as const] : [],
      'check group',
      (ids) => store.groups.byIds(accountId, ids),
    )),
    ...(await missingIds(snippets, 'snippet', (ids) => store.snippets.byIds(accountId, ids))),
    ...(await missingIds(
      serviceId === undefined ? [] : [[['triggerIncident', 'serviceId'], serviceId] as const],
      'status page service',
      (ids) => store.services.byIds(accountId, ids),
    )),
    ...(await missingPrivateLocations(store, accountId, body.privateLocations ?? [])),
    ...(body.codeBundleId === undefined || (await store.codeBundles.has(accountId, body.codeBundleId))
      ? []
      : [missingReference(['codeBundleId'], 'code bundle')]),
  ];
}
