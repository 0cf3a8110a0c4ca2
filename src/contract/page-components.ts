/** Converts the components of a status page of version 3, as projects declare them, to services and cards. Pure. */
import { isObject, type JsonObject } from '../base/object.ts';

/** A declared component: a service, or a group of services. */
export interface Component {
  readonly logicalId: string;
  readonly payload?: JsonObject | null | undefined;
}

/** Returns whether a component is a group: it becomes a card of its page. */
export const isGroupComponent = ({ payload }: Component): boolean => payload?.type === 'GROUP';

/** Returns the logical ID that a value refers to; undefined if it is no reference. */
export const referenceOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.ref === 'string' && Object.keys(value).length === 1 ? value.ref : undefined;

/**
 * Returns the fields of the service, or of the card of a group, that show a component. A group is collapsed by default.
 * Unknown fields stay, so that the contract refuses them by name.
 */
export function fieldsOfComponent(payload: JsonObject): JsonObject {
  const { statusPageId: _, parentId: __, displayOrder: ___, type, configuration, ...fields } = payload;
  const { expandedByDefault, showHistoricalData, ...others } = isObject(configuration) ? configuration : {};
  const all: JsonObject = {
    ...fields,
    expandedByDefault: expandedByDefault ?? (type === 'GROUP' ? false : undefined),
    showHistoricalData,
    configuration: Object.keys(others).length > 0 ? others : undefined,
  };
  // Clients omit settings, or send null for them.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

const byOrder = (one: Component, other: Component): number =>
  Number(one.payload?.displayOrder ?? 0) - Number(other.payload?.displayOrder ?? 0);

/**
 * Returns the cards of a page: one for each group, and one without a name for services in a row without a group. Their
 * `components` are references to the services.
 */
export function toComponentCards(components: readonly Component[]): readonly JsonObject[] {
  const cards: (JsonObject & { readonly components: JsonObject[] })[] = [];
  const ordered = components.toSorted(byOrder);
  const refOf = ({ logicalId }: Component) => ({ ref: logicalId });
  for (const component of ordered) {
    const { logicalId } = component;
    const payload = component.payload ?? {};
    if (isGroupComponent(component)) {
      const services = ordered.filter(
        (each) => !isGroupComponent(each) && referenceOf(each.payload?.parentId) === logicalId,
      );
      cards.push({ ...fieldsOfComponent(payload), components: services.map(refOf) });
    } else if (referenceOf(payload.parentId) === undefined) {
      const last = cards.at(-1);
      if (last !== undefined && last.name === undefined) last.components.push(refOf(component));
      else cards.push({ components: [refOf(component)] });
    }
  }
  return cards;
}
