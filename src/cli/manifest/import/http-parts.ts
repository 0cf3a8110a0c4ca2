/** Builds requests of URL and API checks, and takes the secrets out of their texts. */
import { decodePercent } from '../../../base/decode-percent.ts';
import type { JsonObject } from '../../../base/object.ts';
import { findSecrets, type TextKind } from '../secrets/find-secrets.ts';
import { isSecretName } from '../secrets/key-like.ts';
import type { Assertion } from './assertions.ts';
import type { Conversion } from './conversion.ts';

/** Escapes `{{NAME}}`, which the requests of API checks replace by a variable. */
export const withoutBraces = (text: string): string => text.replaceAll('{{', '\\{{');

/** Replaces the secrets of a text by variables. */
export function withoutSecrets(
  text: string,
  { secret }: Conversion,
  owner: string,
  kind: TextKind = 'text',
): string {
  const spans = findSecrets(text, kind);
  const parts = spans.map(({ start, end, name }, index) => {
    const before = text.slice(spans[index - 1]?.end ?? 0, start);
    return `${before}${secret(text.slice(start, end), owner, name)}`;
  });
  return `${parts.join('')}${text.slice(spans.at(-1)?.end ?? 0)}`;
}

/** Returns a URL for a name: without user name, password, and values of parameters whose names look like secrets. */
export const withoutCredentials = (url: string): string =>
  url
    .replace(/^(\w+:\/\/)[^/?#]*@/, '$1')
    .replace(/([?&])([\w.[\]-]+)=[^&#]+/g, (whole, before: string, name: string) =>
      isSecretName(name) ? `${before}${name}` : whole,
    );

/** A URL without its user name and password, which have their own field. */
export interface PlainUrl {
  readonly url: string;
  readonly basicAuth?: JsonObject;
}

/** Takes the credentials out of a URL. */
export function splitUrl(url: string, conversion: Conversion, owner: string): PlainUrl {
  const match = url.match(/^(\w+:\/\/)([^/?#@:]*):?([^/?#@]*)@(.*)$/s);
  if (!match) return { url: withoutSecrets(url, conversion, owner) };
  const [, scheme = '', username = '', password = '', rest = ''] = match;
  return {
    url: withoutSecrets(`${scheme}${rest}`, conversion, owner),
    basicAuth: basicAuthOf(
      decodePercent(username) ?? username,
      decodePercent(password) ?? password,
      conversion,
      owner,
    ),
  };
}

export const basicAuthOf = (
  username: string,
  password: string,
  conversion: Conversion,
  owner: string,
): JsonObject => ({
  username,
  ...(password === '' ? {} : { password: conversion.secret(password, owner, 'password') }),
});

/** Returns request headers. Values whose names look like secrets become variables that responses of the API omit. */
export const headersOf = (
  headers: Iterable<readonly [string, string]>,
  conversion: Conversion,
  owner: string,
): readonly JsonObject[] =>
  [...headers].map(([key, value]) =>
    isSecretName(key)
      ? { key, value: conversion.secret(value, owner, key), locked: true }
      : { key, value: withoutBraces(value) },
  );

/** The request of a check in the terms of the contract, before its type is known. */
export interface HttpParts {
  readonly url: string;
  readonly method: string;
  readonly headers?: readonly JsonObject[];
  readonly body?: string;
  readonly bodyType?: string;
  readonly basicAuth?: JsonObject | undefined;
  readonly followRedirects?: boolean;
  readonly skipSSL?: boolean;
  readonly ipFamily?: string | undefined;
  readonly assertions: readonly Assertion[];
}

/** Returns the type and the request of a URL check if it suffices, else of an API check. */
export function httpCheckOf({
  url,
  method,
  headers = [],
  body = '',
  bodyType,
  basicAuth,
  followRedirects = true,
  skipSSL = false,
  ipFamily,
  assertions,
}: HttpParts): {
  readonly checkType: 'URL' | 'API';
  readonly request: JsonObject;
} {
  const isUrl =
    ['GET', 'HEAD'].includes(method) &&
    headers.length === 0 &&
    body === '' &&
    basicAuth === undefined &&
    assertions.every(({ source }) => source === 'STATUS_CODE');
  return {
    checkType: isUrl ? 'URL' : 'API',
    request: {
      ...(method === 'GET' ? {} : { method }),
      url: isUrl ? url : withoutBraces(url),
      ...(headers.length > 0 ? { headers } : {}),
      ...(body === '' ? {} : { bodyType: bodyType ?? 'RAW', body: withoutBraces(body) }),
      ...(basicAuth === undefined ? {} : { basicAuth }),
      ...(followRedirects ? {} : { followRedirects }),
      ...(skipSSL ? { skipSSL } : {}),
      ...(ipFamily === undefined ? {} : { ipFamily }),
      ...(assertions.length > 0 ? { assertions } : {}),
    },
  };
}
