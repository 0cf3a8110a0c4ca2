/** Checks that the resources that a request refers to exist in the account. */

import { findNearest } from '../../../base/suggest.ts';
import { isRunnable } from '../../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { BodyOf, createApiCheck, Violation } from '../../../contract/index.ts';
import { findCycle } from '../../store/check-dependencies.ts';
import type { CheckGroupRecord, CheckRecord, Store } from '../../store/index.ts';
import { assertValid, notFound, requireFound, violation } from './problem.ts';

/** The store, or a transaction in which the referenced resources cannot disappear. */
export type ReferenceStore = Pick<
  Store,
  | 'alertChannels'
  | 'checkDependencies'
  | 'checks'
  | 'codeBundles'
  | 'groups'
  | 'privateLocations'
  | 'services'
  | 'snippets'
>;

export async function requireCheck(
  store: ReferenceStore,
  accountId: string,
  id: string,
): Promise<CheckRecord> {
  return requireFound(await store.checks.get(accountId, id), `check ${id}`);
}

/** Throws `Problem` 404 for a target with an unknown check: a session without it would pass for one that has run it. */
export async function assertKnownChecks(
  store: ReferenceStore,
  accountId: string,
  ids: readonly string[] = [],
): Promise<void> {
  const known = new Set((await store.checks.byIds(accountId, ids)).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id.toLowerCase()));
  if (unknown !== undefined) throw notFound(`check ${unknown}`);
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

export async function requireGroup(
  store: ReferenceStore,
  accountId: string,
  id: number,
): Promise<CheckGroupRecord> {
  return requireFound(await store.groups.get(accountId, id), `check group ${id}`);
}

type Path = Violation['path'];
const missingReference = (
  path: Path,
  label: string,
  more?: Pick<Violation, 'allowed' | 'nearest'>,
): Violation => violation('body', path, 'reference', `does not match any ${label} of this account`, more);

export async function missingIds<Id extends string | number>(
  ids: readonly (readonly [Path, Id])[],
  label: string,
  find: (ids: readonly Id[]) => Promise<readonly { readonly id: Id }[]>,
): Promise<Violation[]> {
  if (ids.length === 0) return [];
  const existing = new Set((await find([...new Set(ids.map(([, id]) => id))])).map(({ id }) => id));
  return ids.filter(([, id]) => !existing.has(id)).map(([path]) => missingReference(path, label));
}

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

/** Returns the names that a reference may have, and the nearest one. */
function suggest(name: string, allowed: readonly string[]): Pick<Violation, 'allowed' | 'nearest'> {
  const nearest = findNearest(name, allowed);
  return { allowed, ...(nearest === undefined ? {} : { nearest }) };
}

const privateSlugs = async (store: ReferenceStore, accountId: string): Promise<string[]> =>
  (await store.privateLocations.list(accountId)).map(({ body }) => body.slugName);

async function missingPrivateLocations(
  store: ReferenceStore,
  accountId: string,
  slugs: readonly string[],
): Promise<Violation[]> {
  if (slugs.length === 0) return [];
  const known = await privateSlugs(store, accountId);
  return slugs.flatMap((slug, index) =>
    known.includes(slug)
      ? []
      : missingReference(['privateLocations', index], 'private location', suggest(slug, known)),
  );
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
  const slugs = await privateSlugs(store, accountId);
  if (slugs.includes(location)) return [];
  const message = 'must be a public location or the slug of a private location';
  return [violation(part, path, 'reference', message, suggest(location, [...LOCATIONS, ...slugs]))];
}

type References = Partial<
  Pick<
    BodyOf<typeof createApiCheck>,
    | 'alertChannelSubscriptions'
    | 'dependsOn'
    | 'groupId'
    | 'privateLocations'
    | 'setupSnippetId'
    | 'tearDownSnippetId'
    | 'triggerIncident'
  >
> & { readonly codeBundleId?: string };

/** Returns violations for dependencies that do not exist, and for those that lead back to the check. */
async function dependencyViolations(
  store: ReferenceStore,
  accountId: string,
  dependsOn: readonly string[],
  checkId: string | undefined,
): Promise<readonly Violation[]> {
  const paths = dependsOn.map((id, index) => [['dependsOn', index] as Path, id] as const);
  const missing = await missingIds(paths, 'check', (ids) => store.checks.byIds(accountId, ids));
  if (missing.length > 0 || checkId === undefined) return missing;
  const violations: Violation[] = [];
  for (const [path, id] of paths) {
    const cycle = await findCycle(store.checkDependencies, checkId, id);
    if (cycle === undefined) continue;
    const named = new Map(
      (await store.checks.byIds(accountId, cycle)).map((check) => [check.id, check.name]),
    );
    const names = [checkId, ...cycle].map((each) => `"${named.get(each) ?? each}"`);
    violations.push(
      violation('body', path, 'cycle', `makes the check depend on itself: ${names.join(' → ')}`),
    );
  }
  return violations;
}

/**
 * Throws `Problem` 400 for all resources that a check or group refers to and that do not exist. `checkId`: the check that
 * is updated.
 */
export async function assertReferences(
  store: ReferenceStore,
  accountId: string,
  body: References,
  checkId?: string,
): Promise<void> {
  const channels = (body.alertChannelSubscriptions ?? []).map(
    ({ alertChannelId }, index) =>
      [['alertChannelSubscriptions', index, 'alertChannelId'], alertChannelId] as const,
  );
  const duplicates = channels.filter(
    ([, id], index) => channels.findIndex(([, other]) => other === id) < index,
  );
  const snippets = (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = body[field];
    return typeof id === 'number' ? [[[field], id] as const] : [];
  });
  const { groupId, codeBundleId } = body;
  const groups = typeof groupId === 'number' ? [[['groupId'], groupId] as const] : [];
  const serviceId = body.triggerIncident?.serviceId;
  const services = serviceId === undefined ? [] : [[['triggerIncident', 'serviceId'], serviceId] as const];
  const hasBundle = codeBundleId === undefined || (await store.codeBundles.has(accountId, codeBundleId));
  // Sequential, because a transaction has one connection.
  assertValid([
    ...duplicates.map(([path]) =>
      violation('body', path, 'uniqueItems', 'must not contain the same channel twice'),
    ),
    ...(await missingIds(channels, 'alert channel', (ids) => store.alertChannels.byIds(accountId, ids))),
    ...(await missingIds(groups, 'check group', (ids) => store.groups.byIds(accountId, ids))),
    ...(await missingIds(snippets, 'snippet', (ids) => store.snippets.byIds(accountId, ids))),
    ...(await missingIds(services, 'status page service', (ids) => store.services.byIds(accountId, ids))),
    ...(await missingPrivateLocations(store, accountId, body.privateLocations ?? [])),
    ...(await dependencyViolations(store, accountId, body.dependsOn ?? [], checkId)),
    ...(hasBundle ? [] : [missingReference(['codeBundleId'], 'code bundle')]),
  ]);
}
