/** Reads and creates the cookies of pages. */
import type { FastifyRequest } from 'fastify';

/** Returns whether the browser uses TLS, to us or to a trusted proxy. */
export const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

/** Browsers accept a cookie with this prefix only over TLS, from this host itself and not from a sibling domain. */
const HOST_PREFIX = '__Host-';
const prefixed = (name: string, isSecure: boolean): string => (isSecure ? HOST_PREFIX : '') + name;

/** Returns a cookie of a request. A cookie without the prefix counts only if the browser uses plain HTTP. */
export function readCookie(
  { headers }: FastifyRequest,
  { name, isSecure }: Pick<CookieOptions, 'name' | 'isSecure'>,
): string | undefined {
  const searched = prefixed(name, isSecure);
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === searched) return value;
  }
  return undefined;
}

export interface CookieOptions {
  readonly name: string;
  /** Must not contain a semicolon, a comma or a space. */
  readonly value: string;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** Whether the browser sends the cookie only over TLS. */
  readonly isSecure: boolean;
}

/** Returns the header of a cookie that scripts cannot read and that forms of other sites do not send. */
export const createCookie = ({ name, value, maxAgeSeconds, isSecure }: CookieOptions): string =>
  `${prefixed(name, isSecure)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
