/** From what an API check says to the request that is sent: variables, query, body, authentication. */
import { basic } from '../http/basic-auth.ts';
import { targetUrl } from '../http/parse-target-url.ts';
import type { Header, HttpRequest } from '../http/types.ts';
import type { ApiRequest } from './types.ts';
import { filler } from './variables.ts';

/** What a body is said to be where no header says it. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  GRAPHQL: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  RAW: 'text/plain; charset=utf-8',
};

/** Throws UnknownVariable, or CannotRun where the address is none. */
export function requestOf(asked: ApiRequest, variables: ReadonlyMap<string, string>): HttpRequest {
  const fill = filler(variables);
  const url = targetUrl(fill(asked.url, 'the url'));
  for (const { key, value } of asked.queryParameters ?? []) {
    if (key === '') continue;
    url.searchParams.append(fill(key, 'a query parameter'), fill(value, `the query parameter ${key}`));
  }
  const headers = (asked.headers ?? [])
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, value }): Header => [key.trim(), fill(value, `the header ${key}`)]);
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name);
  const body = bodyOf(asked, fill);
  const type = CONTENT_TYPES[asked.bodyType ?? ''];
  if (body !== undefined && type !== undefined && !has('content-type')) headers.push(['Content-Type', type]);
  const { username = '', password = '' } = asked.basicAuth ?? {};
  if ((username !== '' || password !== '') && !has('authorization')) {
    const user = fill(username, "basicAuth's username");
    headers.push(['Authorization', basic(user, fill(password, "basicAuth's password"))]);
  }
  return {
    ...{ url, headers, body, method: (asked.method ?? 'GET').toUpperCase() },
    ...{ ipFamily: asked.ipFamily ?? undefined, skipSsl: asked.skipSSL ?? false },
    followRedirects: asked.followRedirects ?? true,
  };
}

function bodyOf(
  { body, bodyType }: ApiRequest,
  fill: (text: string, where: string) => string,
): Buffer | undefined {
  if (bodyType === undefined || bodyType === null || bodyType === 'NONE') return undefined;
  if (body === undefined || body === null || body === '') return undefined;
  const text = fill(body, 'the body');
  return Buffer.from(bodyType === 'GRAPHQL' && !isObject(text) ? JSON.stringify({ query: text }) : text);
}

/** A query of GraphQL begins with a brace, too. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
