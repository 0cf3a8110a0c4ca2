/** Creates and verifies capabilities: unforgeable tokens in links, forms and cookies, in place of an API key. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The purpose of a capability. A capability for a session does not open a result. */
export type Purpose =
  | 'check-session'
  | 'check-result'
  | 'test-session'
  | 'unsubscribe'
  | 'form'
  | 'access'
  | 'request';

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
