/** Converts requests and responses to globals of scripts and back. Scripts may have replaced them by any value. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/object.ts';
import { complete, incomplete, isComplete, type Observed, partOf } from '../assertions/observed.ts';
import { InvalidCheck } from '../core/runner.ts';
import { toHeaderObject } from '../http/headers.ts';
import type { Header } from '../http/types.ts';
import type { ApiResponse } from './response.ts';
import type { ApiRequest, Pair } from './types.ts';

/** Returns the global `request` of a setup script. */
export function toScriptRequest(request: ApiRequest): JsonObject {
  const { method, url, headers, queryParameters, body, bodyType } = request;
  return {
    method: method ?? 'GET',
    url,
    headers: toObject(headers),
    queryParameters: toObject(queryParameters),
    body: body ?? null,
    bodyType: bodyType ?? 'NONE',
    followRedirects: request.followRedirects ?? true,
    skipSSL: request.skipSSL ?? false,
  };
}

/** Returns the request as the setup modified it. Throws InvalidCheck if it is not a request any more. */
export function applyScriptRequest(request: ApiRequest, modified: unknown): ApiRequest {
  const original = toScriptRequest(request);
  const { method, url, headers, queryParameters, body, bodyType, followRedirects, skipSSL } =
    objectOrEmpty(modified);
  if (typeof url !== 'string' || typeof method !== 'string')
    throw new InvalidCheck('the setup script removed the url or method of the request: both must be strings');
  const text = typeof body === 'string' || body === null || body === undefined ? body : JSON.stringify(body);
  const hasBody = text !== null && text !== undefined && text !== '';
  // A body that the setup adds is sent, as JSON unless it is a string.
  const type =
    hasBody && (bodyType ?? 'NONE') === 'NONE' ? (typeof body === 'string' ? 'RAW' : 'JSON') : bodyType;
  return {
    ...request,
    method,
    url,
    body: text ?? null,
    bodyType: typeof type === 'string' ? type : 'NONE',
    headers: toPairs(headers, original.headers, request.headers),
    queryParameters: toPairs(queryParameters, original.queryParameters, request.queryParameters),
    followRedirects: followRedirects !== false,
    skipSSL: skipSSL === true,
  };
}

/** Returns the global `response` of a teardown script. */
export function toScriptResponse(response: ApiResponse, url: string): JsonObject {
  const { status, statusText, headers, body } = response;
  return {
    url,
    status,
    statusCode: status,
    statusText,
    headers: toHeaderObject(headers),
    body: partOf(body),
  };
}

/** Returns the response with the teardown's changes to body, headers and status. */
export function applyScriptResponse(response: ApiResponse, url: string, modified: unknown): ApiResponse {
  const original = toScriptResponse(response, url);
  const { body, headers, status, statusCode } = objectOrEmpty(modified);
  const code = [statusCode, status].find((one) => typeof one === 'number' && one !== response.status);
  const isSame = isDeepStrictEqual(headers, original.headers);
  return {
    ...response,
    status: typeof code === 'number' ? code : response.status,
    body: replaceText(response.body, typeof body === 'string' ? body : toBodyText(body)),
    headers: isSame ? response.headers : Object.entries(objectOrEmpty(headers)).flatMap(toHeaders),
  };
}

/** A script that saw only a part of the body cannot make it complete. */
const replaceText = (body: Observed<string>, text: string): Observed<string> =>
  isComplete(body) ? complete(text) : incomplete(text, body.incomplete);

const toBodyText = (body: unknown): string =>
  body === undefined || body === null ? '' : JSON.stringify(body);

/** Lines of Set-Cookie are separated by newlines, as `toScriptResponse` joins them. */
const toHeaders = ([name, value]: [string, unknown]): Header[] =>
  toText(value)
    .split('\n')
    .map((line) => [name, line]);

/** Returns the original pairs if nothing changed, because an object cannot contain a name twice. */
function toPairs(
  modified: unknown,
  original: unknown,
  before: readonly Pair[] | null | undefined,
): readonly Pair[] {
  if (isDeepStrictEqual(modified, original)) return before ?? [];
  const locked = new Set((before ?? []).filter((pair) => pair.locked === true).map(({ key }) => key));
  return Object.entries(objectOrEmpty(modified)).map(([key, value]) => ({
    key,
    value: toText(value),
    ...(locked.has(key) ? { locked: true } : {}),
  }));
}

const toObject = (pairs: readonly Pair[] | null | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, value]));

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});
