/** Converts API responses to request bodies: drops response-only fields and orders fields as in the contract. */

import { isObject } from '../../base/object.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { COLOR_PATTERN } from '../../contract/limits.ts';

const isNullable = ({ type }: JsonSchema): boolean => [type ?? []].flat().includes('null');

/** Returns a response without the fields and nulls that the request does not allow. */
export function toRequestBody(schema: JsonSchema, answer: unknown): unknown {
  if (Array.isArray(answer))
    return schema.items ? answer.map((item) => itemToRequestBody(schema.items, item)) : answer;
  if (!isObject(answer) || !schema.properties) return answer;
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]) => {
      const value = answer[name];
      if (value === undefined || (value === null && !isNullable(field))) return [];
      return [[name, toRequestBody(field, value)]];
    }),
  );
}

const itemToRequestBody = (schema: JsonSchema | undefined, value: unknown): unknown =>
  schema ? toRequestBody(schema, value) : value;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Normalizes a request for comparison: fills in defaults, drops empty values, and orders fields as in the contract. */
export function normalizeRequest(schema: JsonSchema, value: unknown): unknown {
  return normalizeIn(schema, value, true);
}

function normalizeIn(schema: JsonSchema, value: unknown, isWhole: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item) => (schema.items ? normalizeIn(schema.items, item, false) : item));
  if (typeof value === 'string' && schema.pattern === COLOR_PATTERN) return value.toUpperCase();
  if (!isObject(value) || !schema.properties) return value;
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]) => {
      const item = value[name];
      // An explicit null differs from the default: no retries, for example.
      const isNothing =
        item === null && isNullable(field) && (field['x-null'] ?? field.default) !== undefined;
      // A nested empty object may contain a write-only field: credentials with only a password.
      const mayHideSecret = !isWhole && isObject(item) && field.default === undefined;
      const here = isNothing ? null : normalizeIn(field, item ?? field.default, false);
      return isEmpty(here) && !isNothing && !mayHideSecret ? [] : [[name, here]];
    }),
  );
}

/** Whether the response contains every field of a request. A field that a deployment omits may differ from its default. */
export function isVisibleIn(request: unknown, response: unknown): boolean {
  if (Array.isArray(request)) {
    return Array.isArray(response) && request.every((item, index) => isVisibleIn(item, response[index]));
  }
  if (!isObject(request)) return response !== undefined;
  return (
    isObject(response) && Object.entries(request).every(([name, value]) => isVisibleIn(value, response[name]))
  );
}
