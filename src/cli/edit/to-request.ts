/** From what the API answered to what a request may hold: response-only fields go, and the contract's order is kept. */

import { isObject } from '../../base/object.ts';
import { nearest } from '../../base/suggest.ts';
import type { JsonSchema } from '../../contract/index.ts';

const isNullable = ({ type }: JsonSchema): boolean => [type ?? []].flat().includes('null');

/** What answers have and requests have not, wherever the request's schema does not know it. */
const RESPONSE_ONLY = new Set([
  'id',
  'name',
  'accountId',
  'created_at',
  'updated_at',
  'whiteLabel',
  'isPrivate',
  'alertChannels',
]);

/** An answer, cut down to what its request knows; a null that the request does not allow goes as well. */
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
 * A body that a person wrote, or that `get` printed and a person changed: response-only fields are dropped. In what `get`
 * printed (it has the answer's id or times), fields that this version does not know are dropped too, with a word, unless
 * they look like a known one misspelt: that is left for the contract to refuse.
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
        if (!printed || nearest(name, Object.keys(known)) !== undefined) return [[name, item]];
        warn(`skipped ${at}: the request has no such field`);
        return [];
      }),
    );
  };
  return cut(schema, body, '') as Record<string, unknown>;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Two requests that mean the same look the same: defaults filled in, what is empty left out, in the contract's order. */
export function normalizeRequest(schema: JsonSchema, value: unknown): unknown {
  return normalizeIn(schema, value, true);
}

function normalizeIn(schema: JsonSchema, value: unknown, isWhole: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item) => (schema.items ? normalizeIn(schema.items, item, false) : item));
  if (!isObject(value) || !schema.properties) return value;
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]) => {
      const given = value[name];
      // Nothing on purpose is not the default: no retries at all, say.
      const isNothing =
        given === null && isNullable(field) && (field['x-null'] ?? field.default) !== undefined;
      // Within a field, an object may stand for what is never shown: a sign-in of which there is only the password.
      const stands = !isWhole && isObject(given) && field.default === undefined;
      const here = isNothing ? null : normalizeIn(field, given ?? field.default, false);
      return isEmpty(here) && !isNothing && !stands ? [] : [[name, here]];
    }),
  );
}

/**
 * Whether all that a request says was shown of what stands: a deployment that does not show a field may hold another
 * value than its default.
 */
export function isVisibleIn(request: unknown, standing: unknown): boolean {
  if (Array.isArray(request)) {
    return Array.isArray(standing) && request.every((item, index) => isVisibleIn(item, standing[index]));
  }
  if (!isObject(request)) return standing !== undefined;
  return (
    isObject(standing) && Object.entries(request).every(([name, value]) => isVisibleIn(value, standing[name]))
  );
}
