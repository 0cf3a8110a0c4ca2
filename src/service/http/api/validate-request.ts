/** Parses and validates the path, the query and the body of a request by the schemas of its endpoint. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { isObject } from '../../../base/object.ts';
import { coerceText, coerceTexts, typesOf } from '../../../contract/coerce.ts';
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint, JsonSchema, Violation } from '../../../contract/index.ts';
import { isUnstorable } from '../../../contract/storable.ts';
import { fieldNamed } from '../../../contract/tolerant-reader.ts';
import { violationsOf } from '../../../contract/validate.ts';
import { createIgnoredFields, type IgnoredFields } from './ignored-fields.ts';
import { assertValid, invalid, violation } from './problem.ts';

interface Pair {
  readonly name: string;
  /** The member in brackets: `gte` in `startsAt[gte]=…`. */
  readonly member: string | undefined;
  readonly text: string;
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
/** Lists: `tag[]=a` or `tag[0]=a`. */
const LIST_MEMBER = /^\d*$/;
const BRACKETED = /^([^[\]]+)\[([^[\]]*)\]$/;

function parsePair(part: string): Pair | undefined {
  const separator = part.indexOf('=');
  try {
    const fullName = decode(separator < 0 ? part : part.slice(0, separator));
    const [, name, member] = BRACKETED.exec(fullName) ?? [];
    return { name: name ?? fullName, member, text: separator < 0 ? '' : decode(part.slice(separator + 1)) };
  } catch {
    return undefined;
  }
}

/** Parses `{"gte": "2026-11-21"}`, an alternative to brackets. Returns other text unchanged. */
function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

function parseValue(pairs: readonly Pair[], schema: JsonSchema): unknown {
  const texts = pairs.map(({ text }) => text);
  const types = typesOf(schema);
  const isList = types.includes('array') && pairs.every(({ member = '' }) => LIST_MEMBER.test(member));
  if (isList || pairs.every(({ member }) => member === undefined)) {
    const isObject = types.includes('object');
    return isObject ? parseObject(texts.at(-1) ?? '') : coerceTexts(texts, schema);
  }
  // A value without brackets gets an empty member name, so that the validator rejects it.
  return Object.fromEntries(
    pairs.map(({ member = '', text }) => [member, coerceText(text, schema.properties?.[member] ?? {})]),
  );
}

/** Parses `limit=5&startsAt[gte]=2026-11-21` by the schema. The validator reports values that do not match it. */
export function parseQuery(text: string, schema: JsonSchema) {
  const violations: Violation[] = [];
  const groups = new Map<string, Pair[]>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    const pair = parsePair(part);
    if (!pair) {
      violations.push(violation('query', [], 'encoding', 'contains an invalid percent-encoding'));
    } else if (isUnstorable(pair.name) || isUnstorable(pair.member ?? '') || isUnstorable(pair.text)) {
      violations.push(violation('query', [], 'nul', 'must not contain a NUL character'));
    } else {
      groups.set(pair.name, [...(groups.get(pair.name) ?? []), pair]);
    }
  }
  const entries = [...groups].map(([name, pairs]) => {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    const distinct = new Set(pairs.map(({ member }) => member));
    if (property && distinct.size < pairs.length && !typesOf(property).includes('array')) {
      violations.push(violation('query', [name], 'repeated', 'must not be repeated'));
    }
    return [name, parseValue(pairs, property ?? {})] as const;
  });
  return { query: Object.fromEntries(entries) as Readonly<Record<string, unknown>>, violations };
}

function readParams(request: FastifyRequest, endpoint: Endpoint) {
  const violations: Violation[] = [];
  const entries = Object.entries(request.params as Record<string, string>).map(([name, text]) => {
    if (isUnstorable(text))
      violations.push(violation('path', [name], 'nul', 'must not contain a NUL character'));
    const schema = endpoint.params.properties?.[name] ?? {};
    // UUIDs are case-insensitive. The store uses lower case.
    return [name, coerceText(schema.format === 'uuid' ? text.toLowerCase() : text, schema)] as const;
  });
  return { params: Object.fromEntries(entries), violations };
}

/** Returns the query of a URL, without its question mark and fragment. */
export const queryText = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : (url.slice(at + 1).split('#')[0] ?? '');
};

export const isEmptyBody = (body: unknown): boolean =>
  body === undefined ||
  body === null ||
  (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0);

/** A request whose path and query are parsed but not validated. */
export interface ParsedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly violations: readonly Violation[];
  readonly ignored: IgnoredFields;
}

/** Parses the path and the query. `?strict=true` refuses unknown fields. Throws `Problem` 400 for another value of `strict`. */
export function parseRequest(request: FastifyRequest, endpoint: Endpoint): ParsedRequest {
  const path = readParams(request, endpoint);
  const parsed = parseQuery(queryText(request.raw.url ?? ''), endpoint.query);
  const { strict, ...query } = parsed.query;
  if (strict !== undefined && strict !== 'true' && strict !== 'false')
    throw invalid([violation('query', ['strict'], 'type', 'must be true or false')]);
  const ignored = createIgnoredFields(strict === 'true');
  return {
    params: path.params,
    query: ignored.readQuery(endpoint, query),
    violations: [...path.violations, ...parsed.violations],
    ignored,
  };
}

/** Returns a violation if the endpoint knows no field of a body, such as an error answer: it would replace a resource by defaults. */
function unknownBody({ body: schema }: Endpoint, sent: unknown): Violation[] {
  const { properties, additionalProperties } = schema ?? {};
  if (additionalProperties !== false || properties === undefined || !isObject(sent) || isEmptyBody(sent))
    return [];
  const names = Object.keys(sent);
  if (names.some((name) => Object.hasOwn(properties, fieldNamed(properties, name, sent)))) return [];
  const shown = names.slice(0, 3).map((name) => name.slice(0, 50));
  const message = `must contain a field of this endpoint, and contains only ${shown.join(', ')}${names.length > 3 ? ' …' : ''}`;
  return [violation('body', [], 'unknownFields', message)];
}

/** Names the resource of a project that a violation is about: its sender does not count resources. */
function withOwner(found: Violation, body: unknown): Violation {
  const [list, index] = found.path;
  const items = found.in === 'body' && isObject(body) ? body[String(list)] : undefined;
  const item: unknown = Array.isArray(items) ? items[Number(index)] : undefined;
  if (!isObject(item) || typeof item.type !== 'string' || typeof item.logicalId !== 'string') return found;
  return { ...found, owner: `${item.type.slice(0, 50)} "${item.logicalId.slice(0, 100)}"` };
}

/** Returns the validated parts of a request. Throws `Problem` 400 with all violations. */
export function validateRequest(
  request: FastifyRequest,
  endpoint: Endpoint,
  { params, query, ignored, ...parsed }: ParsedRequest,
  now: number,
) {
  const violations = [...parsed.violations];
  // An uploaded file does not count as a body.
  const sent: unknown = request.body instanceof Readable ? undefined : request.body;
  if (endpoint.body === undefined && !isEmptyBody(sent)) {
    violations.push(violation('body', [], 'body', 'is not accepted by this endpoint'));
  }
  const unknown = unknownBody(endpoint, sent);
  const body = ignored.readBody(endpoint, sent);
  const found = violationsOf(endpoint, { params, query, ...(endpoint.body ? { body } : {}) }, now);
  // Only the fields that were sent say why the body is empty.
  const relevant = found.filter(({ keyword }) => !unknown.length || keyword !== 'emptyBody');
  violations.push(...unknown, ...relevant.map((each) => withOwner(each, body)));
  assertValid(violations);
  return { params, query: withDefaults(endpoint.query, query), body };
}
