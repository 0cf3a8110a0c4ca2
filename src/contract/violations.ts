/** Converts validator errors to violations for people: one per problem, with the nearest allowed value. */

import { findNearest } from '../base/suggest.ts';
import type { JsonSchema, SchemaError, Violation } from './endpoint.ts';
import { COLOR_PATTERN, FOLDER_PATTERN, LOCATION_SLUG_LIMIT, SLUG_LIMIT } from './limits.ts';

const decodeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function nearestNumber(typed: number, candidates: readonly unknown[]): string | undefined {
  const numbers = candidates.filter((candidate) => typeof candidate === 'number');
  const ranked = numbers.sort((a, b) => Math.abs(a - typed) - Math.abs(b - typed));
  return ranked[0] === undefined ? undefined : String(ranked[0]);
}

/** Returns the schemas from the root to the violated keyword. */
function schemasAlong(root: JsonSchema, schemaPath: string): readonly JsonSchema[] {
  const tokens = schemaPath
    .slice(schemaPath.indexOf('#') + 1)
    .split('/')
    .slice(1, -1)
    .map(decodeToken);
  const along: JsonSchema[] = [root];
  let here: unknown = root;
  for (const [index, token] of tokens.entries()) {
    here = (here as Record<string, unknown> | undefined)?.[token];
    // `properties` is a map of schemas, not a schema.
    if (typeof here === 'object' && here !== null && (token !== 'properties' || index % 2 === 1))
      along.push(here as JsonSchema);
  }
  return along;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

export const formatMessages = {
  uuid: 'must be a UUID',
  date: 'must be a date (2026-11-21) or an ISO 8601 timestamp (2026-11-21T08:00:00Z)',
  'date-time': 'must be an ISO 8601 timestamp (2026-11-21T08:00:00Z)',
  ipv4: 'must be an IPv4 address',
};

/** Regular expressions in words. */
export const patternMessages: Readonly<Record<string, string>> = {
  '[^\\s\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff]':
    'must not be blank',
  '^FALLBACK$': 'must be FALLBACK or an object',
  '^[hH][tT][tT][pP][sS]?://': 'must begin with https:// or http://',
  '^[^\\s/]+$': 'must be a host name or IP address, without scheme, path or spaces',
  '^[A-Za-z_][A-Za-z0-9_]*$': 'must contain only letters, digits and _, and not begin with a digit',
  '^(?:|(?:[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:]+\\])(?::(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]))?)$':
    'must be a domain such as example.com, without scheme, path or spaces',
  '^[A-Za-z0-9_/#.-]+$': 'must contain only letters, digits and the characters _ - / # .',
  [String(LOCATION_SLUG_LIMIT.pattern)]:
    'must be a slug of letters, digits and -, and not a name that the service uses itself',
  [String(SLUG_LIMIT.pattern)]:
    'must be a slug such as my-page, without slashes, outer spaces and invisible characters, and not a name that the service uses itself',
  '^\\d+(\\.\\d+){0,2}$': 'must be a version such as 22 or 1.3',
  [FOLDER_PATTERN]:
    'must be the relative path of a folder in the project, such as e2e, without "..", backslashes and NUL',
  [COLOR_PATTERN]: 'must be a color such as #FFF or #1A2B3C',
};

function list(values: readonly unknown[]): string {
  return values.map(String).join(', ');
}

/** Returns the violated keyword as a predicate, with an example if the schema has one. */
function sentence(error: SchemaError, schema: JsonSchema | undefined): string {
  const example = schema?.['x-example'];
  return `${predicate(error, schema)}${example === undefined ? '' : `, such as ${example}`}`;
}

function predicate(error: SchemaError, schema: JsonSchema | undefined): string {
  const limit = error.params.limit;
  switch (error.keyword) {
    case 'type': {
      const types = [error.params.type].flat().map((type) => kinds[String(type)] ?? String(type));
      return `must be ${types.join(' or ')}`;
    }
    case 'enum':
      return `must be ${schema?.enum?.length === 1 ? '' : 'one of '}${list(schema?.enum ?? [])}`;
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'multipleOf':
      return error.params.multipleOf === 1
        ? 'must be a whole number'
        : `must be a multiple of ${error.params.multipleOf}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'minProperties':
    case 'maxProperties':
      return `must have exactly one of ${list(Object.keys(schema?.properties ?? {}))}`;
    case 'pattern':
      return patternMessages[schema?.pattern ?? ''] ?? `must match ${schema?.pattern}`;
    case 'format':
      return (
        (formatMessages as Record<string, string>)[String(error.params.format)] ??
        `must be a valid ${error.params.format}`
      );
    default:
      return error.message ?? 'is not valid';
  }
}

/** Returns the path of the problem; for a missing or unknown field, the path of that field. */
function placeOf(error: SchemaError): (string | number)[] {
  const path = error.instancePath.split('/').slice(1).map(decodeToken);
  const named = error.params.missingProperty ?? error.params.additionalProperty;
  const whole = named === undefined ? path : [...path, String(named)];
  return whole.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (here, step) => (here as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
}

/** Returns all problems of one part of a request. `schema`: the schema of the validator. */
export function toViolations(
  errors: readonly SchemaError[],
  schema: JsonSchema,
  value: unknown,
  part: Violation['in'],
): readonly Violation[] {
  // An invalid enumeration value needs no error about its type, and an empty value none about its format.
  const placesOf = (...keywords: string[]) =>
    new Set(
      errors.filter(({ keyword }) => keywords.includes(keyword)).map(({ instancePath }) => instancePath),
    );
  const [enumerated, empty] = [placesOf('enum'), placesOf('minLength')];
  const relevant = errors.filter(
    ({ keyword, instancePath }) =>
      !(keyword === 'type' && enumerated.has(instancePath)) &&
      !(keyword === 'pattern' && empty.has(instancePath)),
  );
  return relevant.map((error) => {
    const along = schemasAlong(schema, error.schemaPath);
    const here = along.at(-1);
    const path = placeOf(error);
    const allowed =
      error.keyword === 'enum'
        ? here?.enum
        : error.keyword === 'additionalProperties'
          ? Object.keys(here?.properties ?? {})
          : undefined;
    const typed = error.keyword === 'additionalProperties' ? path.at(-1) : valueAt(value, path);
    const near = !allowed
      ? undefined
      : typeof typed === 'number'
        ? nearestNumber(typed, allowed)
        : typeof typed === 'string'
          ? findNearest(typed, allowed.map(String))
          : undefined;
    const onlyGaps =
      here?.['x-gaps']?.includes(error.keyword) ||
      along.some((schemaHere) => schemaHere['x-gaps']?.includes('*'));
    return {
      in: part,
      path,
      keyword: error.keyword,
      message: sentence(error, here),
      ...(allowed ? { allowed } : {}),
      ...(near === undefined ? {} : { nearest: near }),
      origin: onlyGaps ? 'gaps' : 'specification',
    };
  });
}
