/** Applies the defaults of a schema. Only the service does this; a client fills only what deployments require. */
import { isObject } from '../base/object.ts';
import type { JsonSchema } from './endpoint.ts';

/** Returns a copy of the value with the defaults of absent fields, at every level that is present. */
export const withDefaults = <T>(schema: JsonSchema, value: T): T => fill(schema, value, 'default');

/** Returns a copy of a whole resource with the values of absent fields that deployments require. */
export const withSentValues = <T>(schema: JsonSchema, value: T): T => fill(schema, value, 'x-sent');

function fill<T>(schema: JsonSchema, value: T, keyword: 'default' | 'x-sent'): T {
  if (Array.isArray(value)) {
    const { items } = schema;
    return (items ? value.map((item) => fill(items, item, keyword)) : value) as T;
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (filled[name] !== undefined) filled[name] = fill(field, filled[name], keyword);
    else if (field[keyword] !== undefined) filled[name] = copyOf(field[keyword]);
  }
  return filled as T;
}

/** Copies a default. Most are not objects, and `structuredClone` costs more than the rest. */
const copyOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? structuredClone(value) : value;
