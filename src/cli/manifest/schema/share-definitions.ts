/** Moves the repeated parts of a schema to definitions, so that it stays small. */
import { isObject } from '../../../base/object.ts';
import type { FileSchema } from './file-schema.ts';

/** Shorter parts are easier to read in place. */
const WORTH_SHARING = 120;

/** Keywords with schemas of the same field. */
const KEYWORDS = ['items', 'anyOf', 'allOf', 'then'];

type Properties = Readonly<Record<string, FileSchema>>;

/** Returns the properties with references, and the definitions. A definition has the name of the first field that it describes. */
export function shareDefinitions(properties: Properties): {
  readonly properties: Properties;
  readonly definitions: Properties;
} {
  const counts = new Map<string, number>();
  const count = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) count(item);
    if (!isObject(value)) return;
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (counts.get(text) === 1) Object.values(value).forEach(count);
  };
  for (const schema of Object.values(properties)) count(schema);

  const definitions: Record<string, FileSchema> = {};
  const names = new Map<string, string>();
  const nameFor = (wanted: string): string => {
    let name = wanted;
    for (let number = 2; name in definitions; number++) name = `${wanted}${number}`;
    return name;
  };
  const share = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => share(item, name));
    if (!isObject(value)) return value;
    const inside = () =>
      Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, share(item, KEYWORDS.includes(key) ? name : key)]),
      );
    const text = JSON.stringify(value);
    const isShared = isSchema(value) && text.length >= WORTH_SHARING && (counts.get(text) ?? 0) > 1;
    if (!isShared) return inside();
    let known = names.get(text);
    if (known === undefined) {
      known = nameFor(name);
      names.set(text, known);
      definitions[known] = {};
      definitions[known] = inside() as FileSchema;
    }
    return { $ref: `#/definitions/${known}` };
  };
  const shared = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, share(schema, name) as FileSchema]),
  );
  return { properties: shared, definitions };
}

/** Returns whether an object is a schema, not a map of properties. */
const isSchema = (value: Readonly<Record<string, unknown>>): boolean =>
  'anyOf' in value || typeof value.type === 'string' || Array.isArray(value.type);
