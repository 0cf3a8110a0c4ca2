/** Applies the defaults of a schema. The service applies all; a client sends only those of fields that deployments require. */
import { isObject } from '../base/object.ts';
import type { JsonSchema } from './endpoint.ts';

/** Returns a copy of the value with the defaults of absent fields, at every level that is present. */
export const withDefaults = <T>(schema: JsonSchema, value: T): T => fill(schema, value, () => true);

/** Returns a copy of a whole resource with the defaults of absent fields that deployments require (`x-sent`). */
export const withSentDefaults = <T>(schema: JsonSchema, value: T): T =>
  fill(schema, value, (field) => field['x-sent'] === true);

function fill<T>(schema: JsonSchema, value: T, isWanted: (field: JsonSchema) => boolean): T {
  if (Array.isArray(value)) {
    const { items } = schema;
    return (items ? value.map((item) => fill(items, item, isWanted)) : value) as T;
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (filled[name] !== undefined) filled[name] = fill(field, filled[name], isWanted);
    else if (field.default !== undefined && isWanted(field)) filled[name] = structuredClone(field.default);
  }
  return filled as T;
}
