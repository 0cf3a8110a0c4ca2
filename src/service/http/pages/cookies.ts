/** Reads and creates the cookies of pages. */
import type { FastifyRequest } from 'fastify';

/** Returns whether the browser uses TLS, to us or to a trusted proxy. */
export const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

/** Returns a cookie of a request. */
export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
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
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
