/** Converts the components of a status page of version 3: groups become cards, and services become services of a card. */
import { isObject } from '../../../base/object.ts';
import { Problem } from '../api/problem.ts';
import type { DeclaredResource } from './links.ts';
import type { Body } from './payloads.ts';
import { referenceOf } from './references.ts';

export const COMPONENT = 'status-page-component';

const componentsOf = (declared: readonly DeclaredResource[]) =>
  declared.filter(({ type, member }) => type === COMPONENT && member !== false);

/** Returns whether a component is a group: it becomes a card of its page, and is not stored alone. */
export const isGroup = ({ type, payload }: DeclaredResource): boolean =>
  type === COMPONENT && payload?.type === 'GROUP';

/** Fields of components that status pages cannot show. A default value changes nothing. */
const NOT_SHOWN: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  hidden: (value) => (value === true ? 'is not supported: leave the component out of the page' : undefined),
  description: (value) => (value ? 'is not supported: put it into the name' : undefined),
  configuration: (value) => {
    if (!isObject(value)) return undefined;
    if (value.showHistoricalData === false) return 'showHistoricalData: false is not supported';
    return value.expandedByDefault === false ? 'expandedByDefault: false is not supported' : undefined;
  },
};

/** Throws `Problem` 400 that names the component and the field. */
function assertShown(component: DeclaredResource, groups: ReadonlySet<string>, pages: ReadonlySet<string>) {
  const { logicalId, payload } = component;
  const refuse = (message: string): never => {
    throw new Problem(400, `${COMPONENT} "${logicalId}": ${message}`, {
      attributes: { resource: { type: COMPONENT, logicalId } },
    });
  };
  for (const [field, problemOf] of Object.entries(NOT_SHOWN)) {
    const problem = problemOf(payload?.[field]);
    if (problem !== undefined) refuse(`${field} ${problem}`);
  }
  if (!pages.has(referenceOf(payload?.statusPageId) ?? ''))
    refuse('statusPageId must refer to a status page of the project');
  if ((payload?.parentId ?? null) === null) return;
  if (isGroup(component)) refuse('parentId is not supported for a group: a card of a page has no cards');
  if (!groups.has(referenceOf(payload?.parentId) ?? ''))
    refuse('parentId must refer to a group of the project');
}

const byOrder = (one: DeclaredResource, other: DeclaredResource): number =>
  Number(one.payload?.displayOrder ?? 0) - Number(other.payload?.displayOrder ?? 0);

const refOf = ({ logicalId }: DeclaredResource) => ({ ref: logicalId });

/** Returns the cards of one page: a card for each group, and one without a name for services in a row without a group. */
function toCards(components: readonly DeclaredResource[]): readonly Body[] {
  const cards: { name?: unknown; components: Body[] }[] = [];
  const ordered = components.toSorted(byOrder);
  for (const component of ordered) {
    if (isGroup(component)) {
      const children = ordered.filter(
        ({ payload }) => referenceOf(payload?.parentId) === component.logicalId,
      );
      cards.push({ name: component.payload?.name, components: children.map(refOf) });
    } else if (referenceOf(component.payload?.parentId) === undefined) {
      const last = cards.at(-1);
      if (last !== undefined && last.name === undefined) last.components.push(refOf(component));
      else cards.push({ components: [refOf(component)] });
    }
  }
  return cards;
}

/** Returns the cards of the pages of version 3, by logical ID. Throws `Problem` 400 for what a page cannot show. */
export function groupComponents(declared: readonly DeclaredResource[]): ReadonlyMap<string, readonly Body[]> {
  const pages = declared.filter(({ type, payload }) => type === 'status-page' && payload?.version === 3);
  const components = componentsOf(declared);
  const groups = new Set(components.filter(isGroup).map(({ logicalId }) => logicalId));
  const pageIds = new Set(pages.map(({ logicalId }) => logicalId));
  for (const component of components) assertShown(component, groups, pageIds);
  return new Map(
    pages.map(({ logicalId }) => [
      logicalId,
      toCards(components.filter(({ payload }) => referenceOf(payload?.statusPageId) === logicalId)),
    ]),
  );
}
