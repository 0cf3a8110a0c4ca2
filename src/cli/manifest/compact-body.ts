/** Reduces a body to the fields that differ from their defaults, so that bodies with and without defaults can be compared. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/object.ts';
import type { JsonSchema } from '../../contract/index.ts';

export const isNullable = ({ type }: JsonSchema): boolean => [type ?? []].flat().includes('null');

/** Whether null differs from an absent field: no retries, for example. */
const isNullMeaningful = (schema: JsonSchema): boolean =>
  isNullable(schema) && (schema['x-null'] ?? schema.default ?? undefined) !== undefined;

/** Whether an empty object differs from an absent one: credentials with only a password, or a nullable object. */
const isEmptyMeaningful = (schema: JsonSchema): boolean =>
  isNullable(schema) || Object.values(schema.properties ?? {}).some(({ writeOnly }) => writeOnly === true);

/** Whether a value means the same as an absent field. A switch without a default is off. */
const isDefault = (schema: JsonSchema, value: unknown): boolean =>
  (value === false && schema.type === 'boolean' && schema.default === undefined) ||
  isSame(schema.default, value) ||
  isSame(schema['x-unset'], value) ||
  isSame(schema['x-absent'], value);

const isSame = (meaningless: unknown, value: unknown): boolean =>
  meaningless === value || (typeof meaningless === 'object' && isDeepStrictEqual(meaningless, value));

/** Returns a value without defaults. Undefined: the value means the same as an absent field. */
function compact(schema: JsonSchema, value: unknown, isRequired: boolean): unknown {
  if (value === undefined) return undefined;
  if (isDefault(schema, value)) return isRequired && typeof value === 'boolean' ? value : undefined;
  if (value === null) return isNullMeaningful(schema) ? null : undefined;
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item) => compactItem(schema.items ?? {}, item));
  }
  if (!isObject(value)) return value;
  const fields = compactBody(schema, value);
  return Object.keys(fields).length === 0 && !isEmptyMeaningful(schema) ? undefined : fields;
}

/** Returns an item of a list, which is never absent. */
const compactItem = (schema: JsonSchema, value: unknown): unknown =>
  isObject(value) ? compactBody(schema, value) : value;

/** Returns the fields that differ from their defaults, in the order of the contract; unknown fields are last. */
export function compactBody(schema: JsonSchema, body: JsonObject): JsonObject {
  const known = schema.properties ?? {};
  const names = [...Object.keys(known), ...Object.keys(body).filter((name) => !Object.hasOwn(known, name))];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = compact(known[name] ?? {}, body[name], schema.required?.includes(name) ?? false);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
