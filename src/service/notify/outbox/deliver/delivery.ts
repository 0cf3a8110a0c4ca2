/** Defines the result of a delivery and formats its errors. */
import { createScrubber } from '../../../../runners/scrub.ts';

/** Context of a delivery. */
export interface DeliveryContext {
  readonly idempotencyKey: string;
  /** Aborts at the end of the grace period of a stop. */
  readonly signal: AbortSignal;
}

export type DeliveryResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Shown to people, without secrets. */
      readonly error: string;
      /** Whether a retry may succeed. */
      readonly mayRetry: boolean;
      /** Delay that the receiver requested, in ms. */
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

const MAX_ERROR_LENGTH = 500;

/** Formats an error and masks secrets, also in base64, because a server may echo what it received. */
export function formatDeliveryError(error: unknown, secrets: readonly (string | undefined)[] = []): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const hidden = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
  // The scrubber skips short secrets inside words; here they are masked, too.
  const encoded = hidden.flatMap((secret) => [Buffer.from(secret).toString('base64'), secret]);
  const masked = encoded.reduce(
    (masked, encodedSecret) => masked.replaceAll(encodedSecret, '***'),
    createScrubber(hidden)(text),
  );
  return masked.slice(0, MAX_ERROR_LENGTH);
}
