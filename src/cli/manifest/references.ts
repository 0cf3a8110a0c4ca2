/** Converts references between names, as in manifests, and IDs, as in the API. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { JsonSchema } from '../../contract/index.ts';
import type { Section } from './kinds.ts';

/** A field with an ID or a list of IDs, its name in manifests, and the section that it references. */
interface Reference {
  readonly field: string;
  readonly name: string;
  readonly to: Section;
}

export const REFERENCES: readonly Reference[] = [
  { field: 'groupId', name: 'group', to: 'groups' },
  { field: 'alertChannelId', name: 'alertChannel', to: 'alertChannels' },
  { field: 'setupSnippetId', name: 'setupSnippet', to: 'snippets' },
  { field: 'tearDownSnippetId', name: 'tearDownSnippet', to: 'snippets' },
  { field: 'serviceId', name: 'service', to: 'services' },
  { field: 'serviceIds', name: 'services', to: 'services' },
  { field: 'dependsOn', name: 'dependsOn', to: 'checks' },
  { field: 'statusPageIds', name: 'statusPages', to: 'statusPages' },
];

const BY_NAME = new Map(REFERENCES.map((reference) => [reference.name, reference]));
const BY_FIELD = new Map(REFERENCES.map((reference) => [reference.field, reference]));

/** Returns the name that manifests use for a field of the API. */
export const toManifestField = (step: string | number): string | number =>
  (typeof step === 'string' ? BY_FIELD.get(step)?.name : undefined) ?? step;

/** Whether a response shows a field of manifests. */
export const showsField = (row: JsonObject, name: string): boolean =>
  row[BY_NAME.get(name)?.field ?? name] !== undefined;

/** Adds the sections to which a body of a manifest may refer. */
export function addReferencedSections(value: unknown, sections: Set<Section>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    const item = (value as JsonObject)[name];
    const reference = BY_NAME.get(name);
    if (reference && item !== null) sections.add(reference.to);
    if (typeof item === 'object') addReferencedSections(item, sections);
  }
}

type Path = readonly (string | number)[];
/** Converts one reference. Undefined: the target does not exist, and an object that requires it is omitted. */
type MapReference = (value: unknown, to: Section, path: Path) => unknown;

const isDefined = (value: unknown): boolean => value !== undefined;

/** Whether a list contains references as `{id}`, such as the services of a card. */
export const isIdList = ({ items }: JsonSchema): boolean =>
  Object.keys(items?.properties ?? {}).join() === 'id';

/** Whether bodies of a schema may contain references. Most parts of a body have none, and are not copied. */
const refers = new WeakMap<JsonSchema, boolean>();
function mayRefer(schema: JsonSchema): boolean {
  let known = refers.get(schema);
  if (known === undefined) {
    const { items, properties = {} } = schema;
    const names = Object.keys(properties);
    known =
      isIdList(schema) ||
      names.some((name) => BY_FIELD.has(name)) ||
      Object.values(properties).some(mayRefer) ||
      (items !== undefined && mayRefer(items));
    refers.set(schema, known);
  }
  return known;
}

function mapReferences(
  schema: JsonSchema,
  value: unknown,
  direction: 'ids' | 'names',
  turn: MapReference,
  path: Path,
): unknown {
  if (!mayRefer(schema)) return value;
  if (Array.isArray(value)) {
    return value
      .map((item, index) => mapReferences(schema.items ?? {}, item, direction, turn, [...path, index]))
      .filter(isDefined);
  }
  const known = schema.properties;
  if (!isObject(value) || !known) return value;
  let isWhole = true;
  const fields = Object.entries(value)
    .map(([name, item]): [string, unknown] => {
      const field = known[name];
      const found = (direction === 'ids' ? BY_NAME : BY_FIELD).get(name);
      const reference = found && known[found.field] ? found : undefined;
      if (!reference && !(field && mayRefer(field))) return [name, item];
      const at = [...path, name];
      if (name === 'services' && field && isIdList(field) && Array.isArray(item)) {
        const ids = item.map((each: unknown, index) =>
          direction === 'ids'
            ? { id: turn(each, 'services', [...at, index]) }
            : turn(isObject(each) ? each.id : each, 'services', [...at, index]),
        );
        return [name, ids.filter(isDefined)];
      }
      if (!reference) return [name, mapReferences(field ?? {}, item, direction, turn, at)];
      const other = direction === 'ids' ? reference.field : reference.name;
      const one = (each: unknown, place: Path) => (each === null ? null : turn(each, reference.to, place));
      if (Array.isArray(item)) {
        return [other, item.map((each, index) => one(each, [...at, index])).filter(isDefined)];
      }
      const converted = one(item, at);
      if (converted === undefined && item !== undefined && schema.required?.includes(name)) isWhole = false;
      return [other, converted];
    })
    .filter(([, item]) => isDefined(item));
  return isWhole ? Object.fromEntries(fields) : undefined;
}

/** Converts a body of a manifest for the API. */
export const namesToIds = (schema: JsonSchema, body: unknown, idOf: MapReference): Record<string, unknown> =>
  mapReferences(schema, body, 'ids', idOf, []) as Record<string, unknown>;

/** Converts a body of the API for a manifest. */
export const idsToNames = (
  schema: JsonSchema,
  body: unknown,
  nameOf: MapReference,
): Record<string, unknown> => mapReferences(schema, body, 'names', nameOf, []) as Record<string, unknown>;
