/** What came of one delivery of a message. */

/** What every kind of message is delivered with. */
export interface DeliveryContext {
  readonly idempotencyKey: string;
  /** Aborts when the service stops and the grace is over. */
  readonly signal: AbortSignal;
}

export type Delivery =
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

export const DELIVERED: Delivery = { ok: true };

export const tryAgain = (error: string, retryAfterMs?: number): Delivery => ({
  ...{ ok: false, error, mayRetry: true },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

export const giveUp = (error: string): Delivery => ({ ok: false, error, mayRetry: false });

/** The sentence of an error, with what is secret taken out. */
export function sentenceOf(error: unknown, secrets: readonly (string | undefined)[] = []): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const hidden = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
  return hidden.reduce((told, secret) => told.replaceAll(secret, '***'), text).slice(0, 500);
}
