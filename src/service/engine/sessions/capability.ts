/** Creates and verifies capabilities (unforgeable tokens in place of an API key), and the links that contain them. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../../../base/errors.ts';
import { parseUrl } from '../../../base/parse-url.ts';
import { trimSlashes } from '../../../base/trim-slashes.ts';

/** The purpose of a capability. A capability for a session does not open a result. */
export type Purpose =
  | 'check-session'
  | 'check-result'
  | 'test-session'
  | 'check-badge'
  | 'group-badge'
  | 'unsubscribe'
  | 'form'
  | 'access'
  | 'request'
  | 'domain';

/** 128 bits, as in the other secret URLs. */
const CAPABILITY_BYTES = 16;

/** Returns the capability for an ID, which cannot be computed without the secret. */
export function createCapability(secret: string, purpose: Purpose, id: string): string {
  const mac = createHmac('sha256', secret).update(`${purpose}:${id}`).digest();
  return mac.subarray(0, CAPABILITY_BYTES).toString('base64url');
}

/** Returns whether the presented text is the capability. Takes constant time. */
export function isCapability(secret: string, purpose: Purpose, id: string, presented: string): boolean {
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest();
  return timingSafeEqual(digest(createCapability(secret, purpose, id)), digest(presented));
}

/** What a badge shows. */
export type BadgeSubject = 'check' | 'group';

/** Returns a function that returns the link of a badge: a file for each kind, such as `status`. */
export function badgeLinks(secret: string, base: () => string | undefined) {
  return (subject: BadgeSubject, id: string, kind: string): string | undefined => {
    const at = base();
    const key = createCapability(secret, `${subject}-badge`, id);
    return at === undefined ? undefined : `${at}/badges/${subject}s/${id}/${key}/${kind}.svg`;
  };
}

/** Returns links to pages, or undefined if the service has no public pages. */
export interface Links {
  checkSession(id: string): string | undefined;
  checkResult(sessionId: string, id: string): string | undefined;
  testSession(id: string): string | undefined;
  testResult(sessionId: string, id: string): string | undefined;
}

export const NO_LINKS: Links = {
  checkSession: () => undefined,
  checkResult: () => undefined,
  testSession: () => undefined,
  testResult: () => undefined,
};

/** Parses the public URL of the service; undefined: the address it listens on. Throws UsageError if it is no URL. */
export function parsePublicUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `SONDE_PUBLIC_URL must be a URL such as https://monitoring.example.com, not "${text}"`,
    );
  }
  return url.origin + trimSlashes(url.pathname);
}

/** Returns the links of a service at `base()` (`https://sonde.example.com`), which is known once it listens. */
export function capabilityLinks(secret: string, base: () => string | undefined): Links {
  const link = (purpose: Purpose, id: string, path: string) => {
    const at = base();
    return at === undefined ? undefined : `${at}${path}/${createCapability(secret, purpose, id)}`;
  };
  return {
    checkSession: (id) => link('check-session', id, `/check-sessions/${id}`),
    checkResult: (sessionId, id) => link('check-result', id, `/check-sessions/${sessionId}/results/${id}`),
    testSession: (id) => link('test-session', id, `/test-sessions/${id}`),
    testResult: (sessionId, id) => link('check-result', id, `/test-sessions/${sessionId}/results/${id}`),
  };
}
