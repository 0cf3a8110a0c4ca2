/** Redacts secrets: the key, and values that the contract marks as secrets. */
import { isObject } from '../base/object.ts';
import { secretNames, secretSchemas } from '../contract/generated/secret-schemas.js';
import type { JsonSchema } from '../contract/index.ts';

export const HIDDEN = '***';

/** Matches headers with secret values. */
export const SECRET_HEADER = /^((proxy-)?authorization|(set-)?cookie|.*(api-?key|token|secret).*)$/i;

/** Returns the body with each secret and each other write-only value of its schema replaced by `***`. */
export function redact(schema: JsonSchema | undefined, body: unknown): unknown {
  if (!schema || body === null || body === undefined) return body;
  if (schema.writeOnly || schema['x-secret'] !== undefined) return HIDDEN;
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

/** A request or the answer to it. */
interface Message {
  readonly method: string;
  readonly pathname: string;
  readonly part: 'body' | 'answer';
}

/** Matches the paths of an endpoint, also below the path of a base URL. */
const toPathPattern = (path: string): RegExp => new RegExp(`${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Redacts a message by the schema of its endpoint, if the contract has one, and by the names of its fields. */
export function redactMessage({ method, pathname, part }: Message, body: unknown): unknown {
  const schemas = Object.values(secretSchemas).flatMap((endpoint) => {
    const schema = endpoint[part];
    return schema && endpoint.method === method && toPathPattern(endpoint.path).test(pathname)
      ? [schema]
      : [];
  });
  return redactByName(schemas.reduce((redacted, schema) => redact(schema, redacted), body));
}

/**
 * Redacts values by name for messages without a schema: passwords, tokens, keys, and the value of each `key` and
 * `value` pair.
 */
function redactByName(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redactByName);
  if (!isObject(body)) return body;
  const isPair = typeof body.key === 'string';
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const secret = SECRET_NAME.test(name) || secretNames.includes(name) || (isPair && name === 'value');
      return [name, secret && typeof value === 'string' ? HIDDEN : redactByName(value)];
    }),
  );
}

/** Shorter pieces of an encoded key would match unrelated text. */
const MIN_PIECE_LENGTH = 12;

/** Returns the base64 characters that a text has inside longer texts, for each of the three alignments. */
function base64Pieces(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    // The first and last characters also encode adjacent bytes.
    const from = Math.ceil((before * 8) / 6);
    return padded.toString('base64').slice(from, Math.floor((padded.length * 8) / 6));
  });
}

function encodedForms(key: string): string[] {
  const inBase64 = base64Pieces(key);
  const encoded = [...inBase64, ...inBase64.map(toUrlAlphabet), Buffer.from(key).toString('hex')];
  return [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    ...encoded.filter((form) => form.length >= MIN_PIECE_LENGTH),
  ];
}

const toUrlAlphabet = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/**
 * Creates a function that removes a key (printable ASCII) from text, ignoring case: plain, JSON-escaped, URL-encoded,
 * in hex, and in base64 of a longer text.
 */
export function createKeyRedactor(key: string): (text: string) => string {
  if (!key) return (text) => text;
  // Longest first, because one form may contain another.
  const forms = [...new Set(encodedForms(key))].sort((one, other) => other.length - one.length);
  const anyForm = new RegExp(forms.map((form) => form.replace(/[^\w]/g, '\\$&')).join('|'), 'gi');
  return (text) => text.replace(anyForm, HIDDEN);
}

/** Removes a key from a body, even if its JSON uses escape sequences; otherwise the body is unchanged. */
export function redactKeyInBody(text: string, redactKey: (text: string) => string): string {
  const hidden = redactKey(text);
  let plain: string;
  try {
    plain = JSON.stringify(JSON.parse(hidden));
  } catch {
    return hidden;
  }
  const hiddenInPlain = redactKey(plain);
  return hiddenInPlain === plain ? hidden : hiddenInPlain;
}
