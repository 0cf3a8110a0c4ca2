/** Reads requests tolerantly, and reports the fields that the service ignores in a response header and in the log. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answers } from '../../../contract/generated/answers.js';
import type { Endpoint } from '../../../contract/index.ts';
import {
  type FieldPath,
  formatFieldPath,
  hasField,
  readTolerantly,
} from '../../../contract/tolerant-reader.ts';

/** Names the ignored fields of a request: `id, created_at, request.foo`, `query.foo` for a query parameter. */
export const IGNORED_HEADER = 'x-ignored-fields';
const MAX_HEADER_LENGTH = 1000;
/** Maximum number of different ignored names that are collected; the rest is only counted. */
const MAX_COLLECTED = 1000;

/** Returns whether an endpoint selects rows by its query. Without an unknown filter, its response would be a wrong answer. */
const selectsRows = ({ name, method, paging, resource }: Endpoint): boolean =>
  method === 'GET' && (paging !== undefined || answers[name]?.type === 'array' || resource === 'analytics');

/** Parameters that clients send to every endpoint of checks, although they only affect new checks. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['autoAssignAlerts']);

export interface IgnoredFields {
  /** Returns a body without the fields that the body of the endpoint lacks. It may be invalid. */
  readonly readBody: <T>(endpoint: Endpoint, body: T) => T;
  /** Returns a query without the parameters that the endpoint lacks. A list keeps them, so that the validation refuses them. */
  readonly readQuery: <T extends object>(endpoint: Endpoint, query: T) => T;
  readonly isEmpty: () => boolean;
  /** Sets the header of the response, and logs the fields that the responses of the endpoint lack too. */
  readonly report: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Percent-encodes the separator and characters that a header cannot carry. */
const encodeName = (name: string): string =>
  name.replaceAll(/[^\x21-\x2b\x2d-\x7e]|%/gu, (character) =>
    Buffer.from(character).toString('hex').replaceAll(/../g, '%$&').toUpperCase(),
  );

/** Joins names for a header or a log line, with the number of those that exceed the length. */
export function joinNames(names: readonly string[]): string {
  const encoded = names.map(encodeName);
  let length = 0;
  const fitting = encoded.filter((name) => {
    length += name.length + 2;
    return length <= MAX_HEADER_LENGTH;
  });
  const more = encoded.length - fitting.length;
  return [...fitting, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Names that clients use for times of creation and change in both spellings. */
const TIMES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'created_at', 'updated_at']);

/** Returns whether responses contain a field. Checks of all types are read with one endpoint. */
const isReadable = (endpoint: Endpoint, path: FieldPath): boolean =>
  TIMES.has(path.at(-1) ?? '') ||
  hasField(answers[endpoint.name], path) ||
  (endpoint.resource === 'checks' && hasField(answers.getCheck, path));

/** Creates the reader of one request. `isStrict`: it changes nothing, so that the validation refuses unknown fields. */
export function createIgnoredFields(isStrict: boolean): IgnoredFields {
  /** By name: whether the request or the response of the endpoint has the field. */
  const names = new Map<string, boolean>();
  const add = (name: string, isKnown: boolean) => {
    if (names.size < MAX_COLLECTED) names.set(name, isKnown);
  };
  return {
    readBody<T>(endpoint: Endpoint, body: T): T {
      if (isStrict || endpoint.body === undefined) return body;
      const onIgnored = (path: FieldPath, isKnown: boolean) =>
        add(formatFieldPath(path), isKnown || isReadable(endpoint, path));
      return readTolerantly(endpoint.body, body, onIgnored) as T;
    },
    readQuery<T extends object>(endpoint: Endpoint, query: T): T {
      const { properties = {} } = endpoint.query;
      const unknown = Object.keys(query).filter((name) => !Object.hasOwn(properties, name));
      if (isStrict || unknown.length === 0 || selectsRows(endpoint)) return query;
      for (const name of unknown) add(`query.${name}`, WITHOUT_EFFECT.has(name));
      return Object.fromEntries(
        Object.entries(query).filter(([name]) => Object.hasOwn(properties, name)),
      ) as T;
    },
    isEmpty: () => names.size === 0,
    report(request, reply) {
      if (names.size === 0) return;
      reply.header(IGNORED_HEADER, joinNames([...names.keys()]));
      const unknown = [...names].filter(([, isKnown]) => !isKnown).map(([name]) => name);
      if (unknown.length === 0) return;
      const { method, routeOptions } = request;
      request.log.warn(
        { method, route: routeOptions.url, fields: joinNames(unknown) },
        'ignored unknown fields',
      );
    },
  };
}
