/** Groups the components of status pages of version 3: groups become cards, and services become services of a card. */
import { isGroupComponent, referenceOf, toComponentCards } from '../../../contract/page-components.ts';
import { Problem } from '../api/problem.ts';
import type { DeclaredResource } from './links.ts';
import type { Body } from './payloads.ts';

const COMPONENT = 'status-page-component';

const componentsOf = (declared: readonly DeclaredResource[]) =>
  declared.filter(({ type, member }) => type === COMPONENT && member !== false);

/** Returns whether a resource is a group of components: it becomes a card of its page, and is not stored alone. */
export const isGroup = (resource: DeclaredResource): boolean =>
  resource.type === COMPONENT && isGroupComponent(resource);

/** Throws `Problem` 400 that names the component and the field. */
function assertPlaced(
  component: DeclaredResource,
  groups: ReadonlyMap<string, DeclaredResource>,
  pages: ReadonlySet<string>,
) {
  const { logicalId, payload } = component;
  const refuse = (message: string): never => {
    throw new Problem(400, `${COMPONENT} "${logicalId}": ${message}`, {
      attributes: { resource: { type: COMPONENT, logicalId } },
    });
  };
  const page = referenceOf(payload?.statusPageId) ?? '';
  if (!pages.has(page)) refuse('statusPageId must refer to a status page of the project');
  if ((payload?.parentId ?? null) === null) return;
  if (isGroup(component)) refuse('parentId is not supported for a group: a card of a page has no cards');
  const group = groups.get(referenceOf(payload?.parentId) ?? '');
  if (group === undefined) refuse('parentId must refer to a group of the project');
  if (referenceOf(group?.payload?.statusPageId) !== page)
    refuse('parentId must refer to a group of the same status page');
}

/** Returns the cards of the pages of version 3, by logical ID. Throws `Problem` 400 for components without a place. */
export function groupComponents(declared: readonly DeclaredResource[]): ReadonlyMap<string, readonly Body[]> {
  const pages = declared.filter(({ type, payload }) => type === 'status-page' && payload?.version === 3);
  const components = componentsOf(declared);
  const groups = new Map(components.filter(isGroup).map((group) => [group.logicalId, group]));
  const pageIds = new Set(pages.map(({ logicalId }) => logicalId));
  for (const component of components) assertPlaced(component, groups, pageIds);
  return new Map(
    pages.map(({ logicalId }) => [
      logicalId,
      toComponentCards(components.filter(({ payload }) => referenceOf(payload?.statusPageId) === logicalId)),
    ]),
  );
}
