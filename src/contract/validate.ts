/** Judges a request by the contract: compiled schemas first, then the rules between fields; all problems at once. */
import type { Endpoint, RequestParts, Violation } from './endpoint.ts';
import { toViolations } from './violations.ts';

/**
 * Every violation of a request, empty where it keeps the contract. `now`: milliseconds since the epoch. The client turns
 * those of origin `gaps` into warnings; the service refuses both.
 */
export function violationsOf(
  endpoint: Endpoint,
  input: Partial<RequestParts>,
  now: number,
): readonly Violation[] {
  const parts: RequestParts = { params: input.params ?? {}, query: input.query ?? {}, body: input.body };
  const found: Violation[] = [];
  const judge = (part: Violation['in'], name: 'params' | 'query' | 'body') => {
    const [validator, schema] = [endpoint.validate[name], endpoint[name]];
    if (!validator || !schema || validator(parts[name])) return;
    found.push(...toViolations(validator.errors ?? [], schema, parts[name], part));
  };
  judge('path', 'params');
  judge('query', 'query');
  judge('body', 'body');
  const places = new Set(found.map(({ in: part, path }) => `${part} ${path.join('.')}`));
  for (const rule of endpoint.rules) {
    // A field that is wrong by itself is not judged again together with others.
    found.push(...rule(parts, now).filter(({ in: part, path }) => !places.has(`${part} ${path.join('.')}`)));
  }
  return found;
}

/** `request.assertions[0].source`: a place as people write it. */
export function placeText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  );
}
