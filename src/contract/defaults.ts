/** Fills in what a request left out. For the service only: a client sends what it was given. */
import { isObject } from '../base/object.ts';
import type { JsonSchema } from './endpoint.ts';

/** A copy of the value in which every absent field that has a default has it, at every depth that is present. */
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
