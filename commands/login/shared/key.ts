/** Reads a key from stdin. */
import { createLinkedController } from '../../../src/base/abort.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { ApiError, NetworkError, UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import type { Client } from '../../../src/client/index.ts';
import { listMaintenanceWindows } from '../../../src/contract/index.ts';
import { type Secret, toSecret } from '../../../src/profiles/secret.ts';
import type { InputStream } from '../../../src/terminal/index.ts';

/** Timeout of stdin in ms: a password manager at the other end may wait for its user. */
const INPUT_TIMEOUT_MS = 60_000;
const MAX_KEY_BYTES = 64 * 1024;

const HINT = 'pipe the key: printf %s "$KEY" | sonde login --base-url https://…, or pass --api-key-command';

export function missingKeyError(why: string): UsageError {
  return new UsageError(`missing key: ${why}`, {
    details: [{ place: 'stdin', message: 'must contain the key' }],
    hint: HINT,
  });
}

/**
 * Returns the key on stdin, without surrounding white space.
 *
 * @throws UsageError without a key within a minute, CredentialsError for an invalid key, the signal's reason after an abort
 */
export async function readKey(stdin: InputStream, clock: Clock, signal: AbortSignal): Promise<Secret> {
  signal.throwIfAborted();
  const enough = createLinkedController(signal);
  const late = clock.sleep(INPUT_TIMEOUT_MS, enough.signal).then(() => {
    throw missingKeyError(`no input on stdin within ${INPUT_TIMEOUT_MS / 1000} s`);
  });
  try {
    const text = (await Promise.race([readAll(stdin), late])).trim();
    if (text === '') throw missingKeyError('stdin is empty');
    return toSecret(text, 'stdin');
  } finally {
    enough.unlink();
    enough.abort();
    late.catch(() => {});
  }
}

async function readAll(stdin: InputStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_KEY_BYTES) throw missingKeyError('stdin contains more than a key');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

interface KeyTestOptions {
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
