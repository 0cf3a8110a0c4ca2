/** The links that people are given. Who holds one may open what it leads to: it carries a capability, never an API key. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../base/errors.ts';

/** What a capability is for: one for a session opens no result of another. */
export type Purpose = 'check-session' | 'check-result' | 'test-session' | 'unsubscribe' | 'form' | 'access';

/** Leads to what the service shows of runs; undefined where nobody can open pages. */
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

/** 128 bits, as the secret parts of other URLs are. */
const CAPABILITY_BYTES = 16;

/** Where people reach the service, as it was configured; undefined: where it listens. Throws UsageError for no address. */
export function publicUrlOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `SONDE_PUBLIC_URL must be an address such as https://monitoring.example.com, not "${text}"`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The part of a link that only who knows the secret can make. */
export function capability(secret: string, purpose: Purpose, id: string): string {
  const mac = createHmac('sha256', secret).update(`${purpose}:${id}`).digest();
  return mac.subarray(0, CAPABILITY_BYTES).toString('base64url');
}

/** Whether this is the capability, in a time that tells nothing of where it differs. */
export function isCapability(secret: string, purpose: Purpose, id: string, given: string): boolean {
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest();
  return timingSafeEqual(digest(capability(secret, purpose, id)), digest(given));
}

/** Links of a service whose people reach it at `base()` (`https://sonde.example.com`, known once it listens). */
export function capabilityLinks(secret: string, base: () => string | undefined): Links {
  const link = (purpose: Purpose, id: string, path: string) => {
    const at = base();
    return at === undefined ? undefined : `${at}${path}/${capability(secret, purpose, id)}`;
  };
  return {
    checkSession: (id) => link('check-session', id, `/check-sessions/${id}`),
    checkResult: (sessionId, id) => link('check-result', id, `/check-sessions/${sessionId}/results/${id}`),
    testSession: (id) => link('test-session', id, `/test-sessions/${id}`),
    testResult: (sessionId, id) => link('check-result', id, `/test-sessions/${sessionId}/results/${id}`),
  };
}
