/** Builds the HTTP request of an API check: variables, query, body and authentication. */
import { headerNameProblem, headerValueProblem } from '../../contract/sendable.ts';
import { InvalidCheck } from '../core/runner.ts';
import { formatBasicAuth } from '../http/basic-auth.ts';
import { parseTargetUrl } from '../http/send-request.ts';
import type { Header, HttpRequest } from '../http/types.ts';
import type { ApiRequest } from './types.ts';
import { createInterpolator } from './variables.ts';

/** Default content types by body type. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  GRAPHQL: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  RAW: 'text/plain; charset=utf-8',
};

/** Builds the request. Throws UnknownVariable, or InvalidCheck if it cannot be sent. */
export function buildRequest(request: ApiRequest, variables: ReadonlyMap<string, string>): HttpRequest {
  const interpolate = createInterpolator(variables);
  const query = (request.queryParameters ?? [])
    .filter(({ key }) => key !== '')
    .map(({ key, value }): [string, string] => [
      interpolate(key, 'a query parameter'),
      interpolate(value, `the query parameter ${key}`),
    ]);
  const target = parseTargetUrl(appendQuery(interpolate(request.url, 'the url').trim(), query));
  const locked = (request.headers ?? []).filter((header) => header.locked === true);
  const headers = (request.headers ?? [])
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, value }): Header => [key.trim(), interpolate(value, `the header ${key}`)]);
  for (const [name, value] of headers) assertSendable(name, value);
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name);
  const body = buildBody(request, interpolate);
  const type = CONTENT_TYPES[request.bodyType ?? ''];
  if (body !== undefined && type !== undefined && !has('content-type')) headers.push(['Content-Type', type]);
  const { username = '', password = '' } = request.basicAuth ?? {};
  if ((username !== '' || password !== '') && !has('authorization')) {
    const user = interpolate(username, "basicAuth's username");
    headers.push(['Authorization', formatBasicAuth(user, interpolate(password, "basicAuth's password"))]);
  }
  return {
    ...target,
    headers,
    lockedHeaders: locked.map(({ key }) => key.trim().toLowerCase()),
    body,
    method: parseMethod(request.method ?? 'GET'),
    ipFamily: request.ipFamily ?? undefined,
    skipSsl: request.skipSSL ?? false,
    followRedirects: request.followRedirects ?? true,
  };
}

/** Throws InvalidCheck without the value, which may be secret. */
function assertSendable(name: string, value: string): void {
  const nameProblem = headerNameProblem(name);
  if (nameProblem !== undefined)
    throw new InvalidCheck(`the name of the header ${JSON.stringify(name.slice(0, 200))} ${nameProblem}`);
  const problem = headerValueProblem(value);
  if (problem !== undefined)
    throw new InvalidCheck(`the header ${name} ${problem}: change its value or the variables in it`);
}

/** Returns the method, which a setup script may have set. Throws InvalidCheck for other text. */
function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (headerNameProblem(method) === undefined && method !== 'CONNECT') return method;
  throw new InvalidCheck(
    `the method ${JSON.stringify(text.slice(0, 50))} must be an HTTP method such as GET or POST`,
  );
}

/** Appends parameters to the query of a URL, and leaves the rest as it was typed. */
function appendQuery(url: string, parameters: [string, string][]): string {
  if (parameters.length === 0) return url;
  const hashAt = url.indexOf('#');
  const before = hashAt < 0 ? url : url.slice(0, hashAt);
  const separator = before.includes('?') ? (/[?&]$/.test(before) ? '' : '&') : '?';
  return `${before}${separator}${new URLSearchParams(parameters)}${url.slice(before.length)}`;
}

function buildBody(
  { body, bodyType }: ApiRequest,
  interpolate: (text: string, where: string) => string,
): Buffer | undefined {
  if (bodyType === undefined || bodyType === null || bodyType === 'NONE') return undefined;
  if (body === undefined || body === null || body === '') return undefined;
  const text = interpolate(body, 'the body');
  return Buffer.from(
    bodyType === 'GRAPHQL' && !isJsonObjectOrArray(text) ? JSON.stringify({ query: text }) : text,
  );
}

/** Returns whether a text is a JSON object or array. GraphQL queries also start with a brace. */
function isJsonObjectOrArray(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
