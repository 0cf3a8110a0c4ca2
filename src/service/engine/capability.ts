/** Capabilities: what only who knows the service's secret can make, and who holds one may do. Links, forms and cookies carry them, never an API key. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a capability is for: one for a session opens no result of another. */
export type Purpose =
  | 'check-session'
  | 'check-result'
  | 'test-session'
  | 'unsubscribe'
  | 'form'
  | 'access'
  | 'request';

/** 128 bits, as the secret parts of other URLs are. */
const CAPABILITY_BYTES = 16;

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
