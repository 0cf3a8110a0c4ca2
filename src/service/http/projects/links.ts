/** Finds the subscriptions and private locations that a project declares apart from the checks and groups that they belong to. */
import type { BodyOf, deployProject } from '../../../contract/index.ts';
import { referenceOf } from '../../../contract/page-components.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { assertValid, invalid, violation } from '../api/problem.ts';
import type { PayloadContext } from './payloads.ts';
import { type ResourceIds, resolveReferences, resourceKey } from './references.ts';

export type DeclaredResource = BodyOf<typeof deployProject>['resources'][number];

/** Maps each type of link to its field with the ID of the alert channel or private location. */
const LINK_TYPES: Readonly<Record<string, 'alertChannelId' | 'privateLocationId'>> = {
  'alert-channel-subscription': 'alertChannelId',
  'private-location-check-assignment': 'privateLocationId',
  'private-location-group-assignment': 'privateLocationId',
};

export const isLink = (type: string): boolean => Object.hasOwn(LINK_TYPES, type);

/** Returns the links by the key of their check or group. Throws `Problem` 400 if a link has none in the project. */
export function groupLinks(declared: readonly DeclaredResource[]): ReadonlyMap<string, DeclaredResource[]> {
  const keys = new Set(declared.map(({ type, logicalId }) => resourceKey(type, logicalId)));
  const links = new Map<string, DeclaredResource[]>();
  for (const link of declared.filter(({ type }) => isLink(type))) {
    const { checkId, groupId } = link.payload ?? {};
    const [checkName, groupName] = [referenceOf(checkId), referenceOf(groupId)];
    const key =
      checkName === undefined ? resourceKey('check-group', groupName ?? '') : resourceKey('check', checkName);
    if (!keys.has(key)) {
      const field = groupId === undefined ? 'checkId' : 'groupId';
      const message = `of ${link.type} "${link.logicalId}" must refer to a resource of the project`;
      throw invalid([violation('body', [field], 'reference', message)]);
    }
    const ofKey = links.get(key);
    if (ofKey === undefined) links.set(key, [link]);
    else ofKey.push(link);
  }
  return links;
}

/** Returns the channels and private locations of a check or group. Throws `Problem` 400 for those that do not exist. */
export async function resolveLinks(
  tx: StoreTransaction,
  accountId: string,
  links: readonly DeclaredResource[],
  ids: ResourceIds,
): Promise<Omit<PayloadContext, 'sharedFiles'>> {
  const linked = (field: 'alertChannelId' | 'privateLocationId') =>
    links
      .filter(({ type }) => LINK_TYPES[type] === field)
      .map(({ payload }) => ({
        ...resolveReferences({ [field]: payload?.[field] }, ids),
        activated: payload?.activated ?? true,
      })) as readonly Readonly<Record<string, unknown>>[];
  const subscriptions = linked('alertChannelId').map(({ alertChannelId, activated }) => ({
    alertChannelId,
    activated,
  }));
  const locationIds = linked('privateLocationId').map(({ privateLocationId }) => String(privateLocationId));
  const locations = await tx.privateLocations.byIds(accountId, [...new Set(locationIds)]);
  const slugOf = new Map(locations.map(({ id, body }) => [id, body.slugName]));
  const slugs = locationIds.map((id) => slugOf.get(id));
  assertValid(
    slugs.flatMap((slug, index) =>
      slug === undefined
        ? [
            violation(
              'body',
              ['privateLocationId', index],
              'reference',
              'does not match any private location',
            ),
          ]
        : [],
    ),
  );
  return { subscriptions, privateLocations: slugs.flatMap((slug) => slug ?? []) };
}
