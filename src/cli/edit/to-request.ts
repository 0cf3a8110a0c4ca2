/** Converts API responses to request bodies: drops response-only fields and orders fields as in the contract. */

import { isObject } from '../../base/object.ts';
import { findNearest } from '../../base/suggest.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { COLOR_PATTERN } from '../../contract/limits.ts';

const isNullable = ({ type }: JsonSchema): boolean => [type ?? []].flat().includes('null');

/** Fields of responses that are dropped from requests, unless the request's schema has them. */
const RESPONSE_ONLY = new Set([
  'id',
  'name',
  'accountId',
  'created_at',
  'updated_at',
  'whiteLabel',
  'isPrivate',
  'alertChannels',
  'customDomainStatus',
  'customDomainChallenge',
]);

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

/**
 * Drops the response-only fields of a body from a user. If the body comes from `get` (it has an ID or times), unknown fields are
 * dropped too, with a warning, unless they resemble a known field: validation then reports the typo.
 */
export function withoutResponseFields(
  schema: JsonSchema,
  body: Readonly<Record<string, unknown>>,
  warn: (sentence: string) => void,
): Record<string, unknown> {
  const printed = ['id', 'created_at', 'updated_at'].some((name) => Object.hasOwn(body, name));
  const cut = (here: JsonSchema | undefined, value: unknown, place: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => cut(here?.items, item, `${place}[${index}]`));
    const known = here?.properties;
    if (!isObject(value) || !known) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        const field = known[name];
        const at = place === '' ? name : `${place}.${name}`;
        if (field)
          return printed && item === null && !isNullable(field) ? [] : [[name, cut(field, item, at)]];
        if (RESPONSE_ONLY.has(name)) return [];
        if (!printed || findNearest(name, Object.keys(known)) !== undefined) return [[name, item]];
        warn(`skipped ${at}: the request has no such field`);
        return [];
      }),
    );
  };
  return cut(schema, body, '') as Record<string, unknown>;
}

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
