/** What scripts see of a request and its response, and what is taken back of that: it may be anything by then. */
import { isDeepStrictEqual } from 'node:util';
import { headersOf } from '../http/report.ts';
import type { Header } from '../http/types.ts';
import { CannotRun } from '../types.ts';
import type { ApiResponse } from './response.ts';
import type { ApiRequest, Pair } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The global `request` of a setup script. */
export function shownRequest(request: ApiRequest): Fields {
  const { method, url, headers, queryParameters, body, bodyType } = request;
  return {
    ...{
      method: method ?? 'GET',
      url,
      headers: objectOf(headers),
      queryParameters: objectOf(queryParameters),
    },
    ...{ body: body ?? null, bodyType: bodyType ?? 'NONE' },
    followRedirects: request.followRedirects ?? true,
    skipSSL: request.skipSSL ?? false,
  };
}

/** The request as the setup left it. Throws CannotRun where it left none. */
export function changedRequest(request: ApiRequest, left: unknown): ApiRequest {
  const before = shownRequest(request);
  const { method, url, headers, queryParameters, body, bodyType, followRedirects, skipSSL } = fieldsOf(left);
  if (typeof url !== 'string' || typeof method !== 'string')
    throw new CannotRun('the setup script removed the url or method of the request: both must be strings');
  const text = typeof body === 'string' || body === null || body === undefined ? body : JSON.stringify(body);
  const hasBody = text !== null && text !== undefined && text !== '';
  // A body that the setup adds is sent: JSON where it is no text.
  const type =
    hasBody && (bodyType ?? 'NONE') === 'NONE' ? (typeof body === 'string' ? 'RAW' : 'JSON') : bodyType;
  return {
    ...request,
    ...{ method, url, body: text ?? null, bodyType: typeof type === 'string' ? type : 'NONE' },
    headers: pairsOf(headers, before.headers, request.headers),
    queryParameters: pairsOf(queryParameters, before.queryParameters, request.queryParameters),
    followRedirects: followRedirects !== false,
    skipSSL: skipSSL === true,
  };
}

/** The global `response` of a teardown script. */
export function shownResponse(response: ApiResponse, url: string): Fields {
  const { status, statusText, headers, body } = response;
  return { url, status, statusCode: status, statusText, headers: headersOf(headers), body };
}

/** The response as the teardown left it: what it changed of the body, the headers and the status counts. */
export function changedResponse(response: ApiResponse, url: string, left: unknown): ApiResponse {
  const before = shownResponse(response, url);
  const { body, headers, status, statusCode } = fieldsOf(left);
  const code = [statusCode, status].find((one) => typeof one === 'number' && one !== response.status);
  const isSame = isDeepStrictEqual(headers, before.headers);
  return {
    ...response,
    status: typeof code === 'number' ? code : response.status,
    body: typeof body === 'string' ? body : body === undefined || body === null ? '' : JSON.stringify(body),
    headers: isSame ? response.headers : Object.entries(fieldsOf(headers)).map(headerOf),
  };
}

const headerOf = ([name, value]: [string, unknown]): Header => [name, textOf(value)];

/** As they were where nothing changed: a name may stand there twice, which an object cannot say. */
function pairsOf(left: unknown, shown: unknown, before: readonly Pair[] | null | undefined): readonly Pair[] {
  if (isDeepStrictEqual(left, shown)) return before ?? [];
  return Object.entries(fieldsOf(left)).map(([key, value]) => ({ key, value: textOf(value) }));
}

const objectOf = (pairs: readonly Pair[] | null | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, value]));

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
