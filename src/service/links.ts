/** The links that people are given. Who holds one may open what it leads to: it carries a capability, never an API key. */
import { createHmac } from 'node:crypto';

/** What a capability is for: one for a session opens no result of another. */
export type Purpose = 'check-session' | 'check-result' | 'test-session' | 'unsubscribe' | 'form' | 'access';

/** 128 bits, as the secret parts of other URLs are. */
const CAPABILITY_BYTES = 16;

/** The part of a link that only who knows the secret can make. */
export function capability(secret: string, purpose: Purpose, id: string): string {
  const mac = createHmac('sha256', secret).update(`${purpose}:${id}`).digest();
  return mac.subarray(0, CAPABILITY_BYTES).toString('base64url');
}
