/** Creates the links to sessions and results. They contain a capability, never an API key. */
import { UsageError } from '../../base/errors.ts';
import { createCapability, type Purpose } from './capability.ts';

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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `SONDE_PUBLIC_URL must be a URL such as https://monitoring.example.com, not "${text}"`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
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
