/** Follows redirects as browsers do, and keeps secrets from other servers. */
import { isUrl } from '../../base/parse-url.ts';
import { createScrubber } from '../masking/scrub.ts';
import { TargetFault } from '../network/fault.ts';
import { toRequestTarget } from './request-target.ts';
import type { Answer, HttpRequest } from './types.ts';

/** More redirects count as a loop. */
export const MAX_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers that only the server of the first request may get. */
const SERVER_HEADERS = new Set(['authorization', 'cookie', 'host', 'proxy-authorization']);
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-length']);

export const isRedirect = ({ status }: Pick<Answer, 'status'>): boolean => REDIRECTS.includes(status);

/** Returns the Location of an answer, ignoring empty ones as browsers do. */
export const findLocation = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  headers.find(([name, value]) => name.toLowerCase() === 'location' && value.trim() !== '')?.[1];

/**
 * Returns the request that follows a redirect, or a fault if it cannot be followed. `count`: the number of redirects.
 * The location is complete, because it is truncated only after masking secrets.
 */
export function followRedirect(
  request: HttpRequest,
  status: number,
  location: string,
  count: number,
  secrets: readonly string[],
): HttpRequest | TargetFault {
  const from = formatUrl(request);
  if (!isUrl(location, request.url.href))
    return new TargetFault('redirect', `${from} redirects to an invalid address: ${location}`);
  const url = new URL(location, request.url);
  if (!/^https?:$/.test(url.protocol))
    return new TargetFault('redirect', `${from} redirects to neither http nor https: ${location}`);
  if (count > MAX_REDIRECTS)
    return new TargetFault(
      'redirect',
      `redirected more than ${MAX_REDIRECTS} times, the last time from ${from} to ${formatUrl({ url, target: toRequestTarget(url, location) })}`,
    );
  const holdsSecret = createSecretFinder(secrets);
  const next = toNextRequest(request, status, url, location, holdsSecret);
  if (!isSameServer(request.url, url) && next.body !== undefined && holdsSecret(next.body.toString('utf8')))
    return new TargetFault(
      'redirect',
      `${from} redirects to another server, ${url.origin}, with status ${status}, which repeats the body. The body contains a secret, so it was not sent there: use the URL of that server in the check`,
    );
  return next;
}

/** 303 becomes GET, 301 and 302 turn POST into GET, 307 and 308 repeat the request. */
function toNextRequest(
  { method, headers, body, ...rest }: HttpRequest,
  status: number,
  url: URL,
  location: string,
  holdsSecret: (text: string) => boolean,
): HttpRequest {
  const isGet =
    (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
  const isSame = isSameServer(rest.url, url);
  if (url.hash === '') url.hash = rest.url.hash;
  if (isSame && url.username === '' && url.password === '') {
    url.username = rest.url.username;
    url.password = rest.url.password;
  }
  const isSecret = (name: string, value: string) =>
    SERVER_HEADERS.has(name) || rest.lockedHeaders?.includes(name) === true || holdsSecret(value);
  return {
    ...rest,
    url,
    target: toRequestTarget(url, location),
    method: isGet ? 'GET' : method,
    headers: headers.filter(([name, value]) => {
      const lower = name.toLowerCase();
      return !(isGet && BODY_HEADERS.has(lower)) && (isSame || !isSecret(lower, value));
    }),
    ...(isGet ? {} : { body }),
  };
}

/**
 * Returns whether a redirect stays with the same server, which may get the secrets: the same origin, or the HTTPS
 * version of an HTTP address on the default ports.
 */
function isSameServer(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return (
    from.origin === to.origin ||
    (isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '')
  );
}

/** Returns a function that finds secrets in a text, plain or encoded. */
function createSecretFinder(secrets: readonly string[]): (text: string) => boolean {
  const scrub = createScrubber(secrets);
  return (text) => scrub(text) !== text;
}

/** Formats the URL of a request as it was typed, without user and password. */
export const formatUrl = ({ url, target }: Pick<HttpRequest, 'url' | 'target'>): string =>
  `${url.origin}${target}${url.hash}`;
