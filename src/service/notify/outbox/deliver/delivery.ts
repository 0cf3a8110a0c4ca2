/** Defines the result of a delivery, formats its errors, and times it out. */
import { createScrubber } from '../../../../runners/masking/scrub.ts';

export interface DeliveryContext {
  readonly idempotencyKey: string;
  /** Aborts at the end of the grace period of a stop. */
  readonly signal: AbortSignal;
  /** Receipt of the message to which this one replies. */
  readonly thread?: string | undefined;
}

export type DeliveryResult =
  | {
      readonly ok: true;
      /** ID that the receiver gave the message, to which later messages reply. */
      readonly receipt?: string | undefined;
    }
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

/** The timeout is counted in this many parts. */
const PARTS = 10;
/** Number of parts with a suspension that do not count. Limited, so that the timeout always ends. */
const MAX_SUSPENSIONS = 2 * PARTS;

export interface IdleTimer {
  reset(): void;
  stop(): void;
}

/**
 * Calls `onTimeout` after `ms`. Data that has arrived is read first, and after a suspension the receiver gets at least
 * one more part: a message that was accepted must not be sent again.
 */
export function startIdleTimer(ms: number, onTimeout: () => void): IdleTimer {
  const partMs = ms / PARTS;
  let partsLeft = PARTS;
  let suspensionsLeft = MAX_SUSPENSIONS;
  let startedAt = 0;
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;

  function startPart(): void {
    startedAt = performance.now();
    // Node runs timers before it reads data that has arrived, and immediates after it.
    timer = setTimeout(() => setImmediate(endPart), partMs);
  }
  function endPart(): void {
    if (isDone) return;
    const wasSuspended = performance.now() - startedAt > 2 * partMs;
    if (wasSuspended && suspensionsLeft > 0) suspensionsLeft -= 1;
    else partsLeft -= 1;
    isDone = partsLeft === 0;
    if (isDone) onTimeout();
    else startPart();
  }
  startPart();
  return {
    reset() {
      partsLeft = PARTS;
    },
    stop() {
      isDone = true;
      clearTimeout(timer);
    },
  };
}
