/** Converts the components of status pages of version 3: groups become cards of their page, and the others services. */
import type { JsonObject } from '../../../../base/object.ts';
import {
  fieldsOfComponent,
  isGroupComponent,
  referenceOf,
  toComponentCards,
} from '../../../../contract/page-components.ts';
import type { Conversion } from '../conversion.ts';
import { mapOf, textOf } from '../values.ts';

interface Resource {
  readonly type: string;
  readonly logicalId: string;
  readonly payload: JsonObject;
}

const COMPONENT = 'status-page-component';
const SERVICE = 'status-page-service';

const isOnPage = ({ payload }: Resource, page: string): boolean => referenceOf(payload.statusPageId) === page;

/** Reports components that have another place in sonde, or none. */
function reportPlaces(components: readonly Resource[], pages: ReadonlySet<string>, conversion: Conversion) {
  const groups = new Set(components.filter(isGroupComponent).map(({ logicalId }) => logicalId));
  for (const component of components) {
    const { logicalId, payload } = component;
    const report = conversion.lossesOf('status page component', textOf(payload.name) || logicalId);
    const isGroup = isGroupComponent(component);
    const parent = payload.parentId ?? undefined;
    if (!pages.has(referenceOf(payload.statusPageId) ?? ''))
      report(
        isGroup ? 'skipped' : 'changed',
        'statusPage',
        'its page is not part of the source; add it there',
      );
    else if (isGroup && parent !== undefined)
      report('changed', 'parent', 'a card has no cards; the group became a card of the page');
    else if (parent !== undefined && !groups.has(referenceOf(parent) ?? ''))
      report('changed', 'parent', 'its group is not part of the source; add the service to a card');
  }
}

/** Returns the resources with services and cards instead of components. */
export function convertComponents<T extends Resource>(
  resources: readonly T[],
  conversion: Conversion,
): readonly T[] {
  const services = new Set(
    resources.filter(({ type }) => type === SERVICE).map(({ logicalId }) => logicalId),
  );
  // A service may have the logical ID of a component.
  const components = resources
    .filter(({ type }) => type === COMPONENT)
    .map((one) =>
      services.has(one.logicalId) && !isGroupComponent(one)
        ? { ...one, logicalId: `${one.logicalId}-component` }
        : one,
    );
  const isNewPage = ({ type, payload }: Resource) => type === 'status-page' && payload.version === 3;
  const pages = new Set(resources.filter(isNewPage).map(({ logicalId }) => logicalId));
  reportPlaces(components, pages, conversion);
  const toCards = (page: string): readonly JsonObject[] =>
    toComponentCards(components.filter((one) => isOnPage(one, page))).map(
      ({ components: shown, ...card }) => ({
        ...card,
        services: shown,
      }),
    );
  return [
    ...components
      .filter((one) => !isGroupComponent(one))
      .map((one) => ({ ...one, type: SERVICE, payload: fieldsOfComponent(one.payload) })),
    ...resources
      .filter(({ type }) => type !== COMPONENT)
      .map((one) =>
        isNewPage(one) ? { ...one, payload: { ...mapOf(one.payload), cards: toCards(one.logicalId) } } : one,
      ),
  ];
}
