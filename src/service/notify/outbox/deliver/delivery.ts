/** What came of one delivery of a message. */
import { scrubber } from '../../../../runners/scrub.ts';

/** What every kind of message is delivered with. */
export interface DeliveryContext {
  readonly idempotencyKey: string;
  /** Aborts when the service stops and the grace is over. */
  readonly signal: AbortSignal;
}

export type DeliveryResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Without anything secret: people read it. */
      readonly error: string;
      /** Whether another try may do better. */
      readonly mayRetry: boolean;
      /** What the receiver asked for, in ms. */
      readonly retryAfterMs?: number;
    };

export const DELIVERED: DeliveryResult = { ok: true };

export const retryLater = (error: string, retryAfterMs?: number): DeliveryResult => ({
  ok: false,
  error,
  mayRetry: true,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

export const failForGood = (error: string): DeliveryResult => ({ ok: false, error, mayRetry: false });

const LONGEST_SENTENCE = 500;

/** The sentence of an error, with what is secret taken out, also as it is encoded on its way (a server may repeat what it was sent). */
export function formatDeliveryError(error: unknown, secrets: readonly (string | undefined)[] = []): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const hidden = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
  // The scrubber leaves short ones within a text alone; here no word is worth more than a secret.
  const encoded = hidden.flatMap((secret) => [Buffer.from(secret).toString('base64'), secret]);
  const masked = encoded.reduce((told, form) => told.replaceAll(form, '***'), scrubber(hidden)(text));
  return masked.slice(0, LONGEST_SENTENCE);
}
