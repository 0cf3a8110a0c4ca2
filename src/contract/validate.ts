/** Validates requests against the contract: first the compiled schemas, then the rules between fields; reports all problems. */
import type { Endpoint, RequestParts, Violation } from './endpoint.ts';
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
  // No rule reads a text that is too long.
  if (found.some(({ keyword }) => keyword === 'maxLength')) return found;
  const places = new Set(found.map(({ in: part, path }) => `${part} ${path.join('.')}`));
  for (const rule of endpoint.rules) {
    // Rules skip fields that are already invalid by themselves.
    found.push(...rule(parts, now).filter(({ in: part, path }) => !places.has(`${part} ${path.join('.')}`)));
  }
  return found;
}

/** Formats a path: `request.assertions[0].source`. */
export function placeText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  );
}
