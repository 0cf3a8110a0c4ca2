/** Reads request bodies tolerantly: removes unknown fields, and replaces null and unset values that have one clear meaning. */
import { isObject } from '../base/object.ts';
import type { AnswerShape } from './answer-shape.ts';
import { typesOf } from './coerce.ts';
import type { JsonSchema } from './endpoint.ts';

/** The step of a path into the items of a list. */
const ITEM = '[]';
/** Names from the root to a field, with `[]` for the items of a list. */
export type FieldPath = readonly string[];

/** Formats a path: `cards[].services[].name`. */
export const formatFieldPath = (path: FieldPath): string =>
  path.reduce((text, step) => (text === '' || step === ITEM ? `${text}${step}` : `${text}.${step}`), '');

/** Called for a field that is removed. `isKnown`: whether the schema has the field, but not this value. */
type OnIgnored = (path: FieldPath, isKnown: boolean) => void;

/**
 * Returns a body as the service reads it, at every level:
 *
 * - Unknown fields of closed objects are removed.
 * - `null` is an empty list for a list, and an absent field for an optional field, unless the schema allows null.
 * - A value of `x-unset` is null, or an absent field if the schema does not allow null.
 * - A required field with `x-absent` may be absent or null.
 * - A field with `x-alias` may have that name, unless the body also has its own.
 */
export function readTolerantly(
  schema: JsonSchema,
  value: unknown,
  onIgnored: OnIgnored,
  path: FieldPath = [],
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => readTolerantly(items, item, onIgnored, [...path, ITEM])) : value;
  }
  const { properties, required = [] } = schema;
  if (!isObject(value) || properties === undefined) return value;
  const entries = Object.entries(value).flatMap(([sent, item]) => {
    const name = fieldNamed(properties, sent, value);
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const here = [...path, name];
    if (field !== undefined) {
      const read = readField(field, item, !required.includes(name));
      if (read === undefined) onIgnored(here, true);
      return read === undefined ? [] : [[name, readTolerantly(field, read, onIgnored, here)] as const];
    }
    if (schema.additionalProperties !== false) return [[name, item] as const];
    onIgnored(here, false);
    return [];
  });
  const filled = required.flatMap((name) => {
    const absent = properties[name]?.['x-absent'];
    return absent === undefined || Object.hasOwn(value, name) ? [] : [[name, absent] as const];
  });
  return Object.fromEntries([...entries, ...filled]);
}

/** Returns the name of the field that a body means by a name, which may be an `x-alias`. */
export function fieldNamed(
  properties: NonNullable<JsonSchema['properties']>,
  sent: string,
  body: Readonly<Record<string, unknown>>,
): string {
  if (Object.hasOwn(properties, sent)) return sent;
  const found = Object.keys(properties).find((name) => properties[name]?.['x-alias'] === sent);
  return found === undefined || Object.hasOwn(body, found) ? sent : found;
}

/** Returns the value of a field; undefined if it counts as absent. */
function readField(field: JsonSchema, value: unknown, isOptional: boolean): unknown {
  const isUnset = field['x-unset'] !== undefined && value === field['x-unset'];
  const types = typesOf(field);
  if (!isUnset && value !== null) return value;
  if (types.includes('null') || types.length === 0) return null;
  if (types.includes('array')) return [];
  return isOptional ? undefined : (field['x-absent'] ?? value);
}

/** Returns whether a response has a field. */
export function hasField(shape: AnswerShape | undefined, [step, ...rest]: FieldPath): boolean {
  if (step === undefined) return shape !== undefined;
  const { properties = {}, items } = shape ?? {};
  if (step === ITEM) return hasField(items, rest);
  return Object.hasOwn(properties, step) && hasField(properties[step], rest);
}
