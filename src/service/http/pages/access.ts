/** Controls access to private pages by their key, which a form exchanges for a cookie. */
import type { FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../engine/capability.ts';
import type { PageAccess, StatusPageRecord } from '../../store/index.ts';
import { hashOf } from '../../store/secrets.ts';

const COOKIE_SECONDS = 30 * 24 * 60 * 60;

const cookieName = (page: StatusPageRecord): string => `sonde_page_${page.id}`;
/** Contains the key's hash, so that a new key invalidates cookies of the old one. */
const signedText = (page: StatusPageRecord, keyHash: string, until: string) =>
  `${page.id} ${keyHash} ${until}`;

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Returns whether this is the page's key. Compares hashes, whose timing reveals nothing about the key. */
export const isAccessKey = ({ keyHash }: PageAccess, key: string): boolean =>
  keyHash !== null && hashOf(key) === keyHash;

/** Returns the cookie header that grants access for a month, or until the key changes. */
export function createAccessCookie(
  secret: string,
  page: StatusPageRecord,
  { keyHash }: PageAccess,
  { now, isSecure }: { readonly now: number; readonly isSecure: boolean },
): string {
  const until = String(now + COOKIE_SECONDS * 1000);
  const value = `${until}.${createCapability(secret, 'access', signedText(page, keyHash ?? '', until))}`;
  const flags = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return `${cookieName(page)}=${value}; ${flags}`;
}

/** Returns whether a request may read the page: it is public, or the request has its key (Bearer) or cookie. */
export function canRead(
  request: FastifyRequest,
  secret: string,
  page: StatusPageRecord,
  access: PageAccess,
  now: number,
): boolean {
  if (!access.isPrivate) return true;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && isAccessKey(access, bearer)) return true;
  const [until = '', key = ''] = (readCookie(request, cookieName(page)) ?? '').split('.');
  return (
    access.keyHash !== null &&
    Number(until) > now &&
    isCapability(secret, 'access', signedText(page, access.keyHash, until), key)
  );
}
