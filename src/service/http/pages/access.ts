/** Who may read a private page: whoever knows its key, shown once to a form and then by a cookie. */
import type { FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../engine/capability.ts';
import type { PageAccess, StatusPageRecord } from '../../store/index.ts';
import { hashOf } from '../../store/secrets.ts';

const COOKIE_SECONDS = 30 * 24 * 60 * 60;

const cookieName = (page: StatusPageRecord): string => `sonde_page_${page.id}`;
/** Bound to the key: a new key closes what the old one opened. */
const bound = (page: StatusPageRecord, keyHash: string, until: string) => `${page.id} ${keyHash} ${until}`;

function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Whether this is the page's key. Hashes are compared: their time tells nothing of the key. */
export const isKeyOf = ({ keyHash }: PageAccess, key: string): boolean =>
  keyHash !== null && hashOf(key) === keyHash;

/** The header that lets a browser in, for as long as the key is good and a month at most. */
export function accessCookie(
  secret: string,
  page: StatusPageRecord,
  { keyHash }: PageAccess,
  { now, isSecure }: { readonly now: number; readonly isSecure: boolean },
): string {
  const until = String(now + COOKIE_SECONDS * 1000);
  const value = `${until}.${createCapability(secret, 'access', bound(page, keyHash ?? '', until))}`;
  const flags = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return `${cookieName(page)}=${value}; ${flags}`;
}

/** Whether a request may read the page: it is open, or the request carries its key (Bearer) or the cookie. */
export function mayRead(
  request: FastifyRequest,
  secret: string,
  page: StatusPageRecord,
  access: PageAccess,
  now: number,
): boolean {
  if (!access.isPrivate) return true;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && isKeyOf(access, bearer)) return true;
  const [until = '', key = ''] = (cookieOf(request, cookieName(page)) ?? '').split('.');
  return (
    access.keyHash !== null &&
    Number(until) > now &&
    isCapability(secret, 'access', bound(page, access.keyHash, until), key)
  );
}
