/** What must not be shown: the key, and the values that the contract calls write-only. */
import type { JsonSchema } from '../contract/index.ts';

export const HIDDEN = '***';

/** Headers whose values are not shown. */
export const SECRET_HEADER = /^((proxy-)?authorization|(set-)?cookie|.*(api-?key|token|secret).*)$/i;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same body with every write-only value of its schema (variables, passwords, keys) replaced by `***`. */
export function redact(schema: JsonSchema | undefined, body: unknown): unknown {
  if (!schema || body === null || body === undefined) return body;
  if (schema.writeOnly) return HIDDEN;
  if (Array.isArray(body)) return body.map((item) => redact(schema.items, item));
  if (!isObject(body)) return body;
  const others = isObject(schema.additionalProperties)
    ? (schema.additionalProperties as JsonSchema)
    : undefined;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, redact(schema.properties?.[name] ?? others, value)]),
  );
}

const SECRET_NAME = /passw(or)?d|secret|token|authorization|credential|(api|raw|private)[-_]?key/i;

/**
 * The same body without what looks like a secret by its name, for answers, whose schemas are not at hand: passwords,
 * tokens, keys, and the value of every pair of `key` and `value`.
 */
export function redactByName(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redactByName);
  if (!isObject(body)) return body;
  const isPair = typeof body.key === 'string';
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const secret = SECRET_NAME.test(name) || (isPair && name === 'value');
      return [name, secret && typeof value === 'string' ? HIDDEN : redactByName(value)];
    }),
  );
}

/** Takes every occurrence of a key (printable ASCII) out of a text, as it is and as JSON and URLs would write it. */
export function keyRemover(key: string): (text: string) => string {
  if (!key) return (text) => text;
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  return (text) => [...forms].reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
}
