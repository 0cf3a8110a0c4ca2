/** Applies the defaults of a schema. Only the service does this; clients send only what the user gave. */
import { isObject } from '../base/object.ts';
import type { JsonSchema } from './endpoint.ts';

/** Returns a copy of the value with the defaults of absent fields, at every level that is present. */
export function withDefaults<T>(schema: JsonSchema, value: T): T {
  if (Array.isArray(value)) {
    const { items } = schema;
    return (items ? value.map((item) => withDefaults(items, item)) : value) as T;
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (filled[name] !== undefined) filled[name] = withDefaults(property, filled[name]);
    else if (property.default !== undefined) filled[name] = structuredClone(property.default);
  }
  return filled as T;
}
