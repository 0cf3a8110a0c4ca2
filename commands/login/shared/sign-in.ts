/** Tests a key with a read-only request that every deployment supports. */
import { ApiError, NetworkError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import type { Client } from '../../../src/client/index.ts';
import { listMaintenanceWindows } from '../../../src/contract/index.ts';

export interface KeyTestOptions {
  readonly signal: AbortSignal;
  /** Retry budget in ms. */
  readonly budgetMs?: number | undefined;
  /** The message for a rejected key, without a full stop. */
  readonly refusal: string;
  readonly hint: string;
  /** An additional hint if the test is inconclusive. */
  readonly unknown?: string;
}

/** Resolves if the service accepts the key. Throws ApiError (exit 4) if it does not, and what `call` throws. */
export async function testKey(client: Client, trial: KeyTestOptions): Promise<void> {
  const { signal, budgetMs, refusal, hint, unknown } = trial;
  try {
    await client.call(listMaintenanceWindows, { query: { limit: 1 } }, { signal, budgetMs });
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof NetworkError)) throw error;
    if (error instanceof ApiError && error.exitCode === EXIT.credentials)
      throw new ApiError(`${refusal}: ${error.message}`, error, {
        hint,
        details: error.details,
        cause: error,
      });
    const { message, details } = error;
    const more = {
      hint: [error.hint, unknown].filter(Boolean).join('\n') || undefined,
      details,
      cause: error,
    };
    if (error instanceof ApiError) throw new ApiError(message, error, more);
    throw new NetworkError(message, error, more);
  }
}
