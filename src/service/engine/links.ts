/** The links that people are given. Who holds one may open what it leads to: it carries a capability, never an API key. */
import { UsageError } from '../../base/errors.ts';
import { capability, type Purpose } from './capability.ts';

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

/** Where people reach the service, as it was configured; undefined: where it listens. Throws UsageError for no address. */
export function publicUrlOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `SONDE_PUBLIC_URL must be a URL such as https://monitoring.example.com, not "${text}"`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
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
