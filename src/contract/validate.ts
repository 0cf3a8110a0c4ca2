/** Validates requests against the contract: first the compiled schemas, then the rules between fields; reports all problems. */
import { isObject } from '../base/object.ts';
import type { Endpoint, RequestParts, Violation } from './endpoint.ts';
import { findMasks } from './masked-values.ts';
import { toViolations } from './violations.ts';

/**
 * Returns every violation of a request. `now`: milliseconds since the epoch. The client turns violations of origin `gaps` into
 * warnings; the service rejects both.
 */
export function violationsOf(
  endpoint: Endpoint,
  input: Partial<RequestParts>,
  now: number,
): readonly Violation[] {
  const parts: RequestParts = { params: input.params ?? {}, query: input.query ?? {}, body: input.body };
  const found: Violation[] = [];
  const validatePart = (part: Violation['in'], name: 'params' | 'query' | 'body') => {
    const [validator, schema] = [endpoint.validate[name], endpoint[name]];
    if (!validator || !schema || validator(parts[name])) return;
    found.push(...toViolations(validator.errors ?? [], schema, parts[name], part));
  };
  validatePart('path', 'params');
  validatePart('query', 'query');
  validatePart('body', 'body');
  found.push(...emptyBody(endpoint, parts.body, found));
  // No rule reads a text that is too long.
  if (found.some(({ keyword }) => keyword === 'maxLength')) return found;
  if (endpoint.body) found.push(...findMasks(endpoint.body, parts.body));
  const places = new Set(found.map(({ in: part, path }) => `${part} ${path.join('.')}`));
  for (const rule of endpoint.rules) {
    // Rules skip fields that are already invalid by themselves.
    found.push(...rule(parts, now).filter(({ in: part, path }) => !places.has(`${part} ${path.join('.')}`)));
  }
  return found;
}

/** Returns a violation if a change names no field: it changes nothing, or resets a whole resource to its defaults. */
function emptyBody(
  { method, body: schema, sendsEmptyBody }: Endpoint,
  body: unknown,
  found: readonly Violation[],
): readonly Violation[] {
  const isChange = (method === 'PUT' || method === 'PATCH') && !sendsEmptyBody;
  if (!isChange || !schema?.properties || !isObject(body) || Object.keys(body).length > 0) return [];
  if (found.some((violation) => violation.in === 'body')) return [];
  const names = Object.keys(schema.properties).slice(0, 3).join(', ');
  const message = `must contain at least one field, such as ${names}`;
  return [{ in: 'body', path: [], keyword: 'emptyBody', message, origin: 'specification' }];
}

/** Formats a path: `request.assertions[0].source`. */
export function placeText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  );
}
