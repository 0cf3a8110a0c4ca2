/** Reads the model for agentic checks from the environment, so that the key never appears in a process list. */
import { UsageError } from '../../base/errors.ts';

/** A model behind an OpenAI-compatible chat completions endpoint. */
export interface ModelSettings {
  /** Base URL without a trailing slash: `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Model name at the endpoint. */
  readonly model: string;
  /** Sent as `Authorization: Bearer`; undefined: no header is sent. */
  readonly key: string | undefined;
}

/** Explains why agentic checks do not run, as a sentence without a full stop. */
export const NO_MODEL =
  'agentic checks need a model, but none is configured: set SONDE_MODEL_URL and SONDE_MODEL, and restart sonde';

/**
 * Returns the model that SONDE_MODEL_URL, SONDE_MODEL and SONDE_MODEL_KEY configure; undefined if none is configured.
 * Throws UsageError, which names the variable and never contains the key.
 */
export function readModelSettings(
  env: Readonly<Record<string, string | undefined>>,
): ModelSettings | undefined {
  const url = env.SONDE_MODEL_URL?.trim() || undefined;
  const model = env.SONDE_MODEL?.trim() || undefined;
  const key = env.SONDE_MODEL_KEY?.trim() || undefined;
  if (url === undefined && model === undefined) return undefined;
  if (url === undefined) throw new UsageError('SONDE_MODEL is set, but SONDE_MODEL_URL is not: set both');
  if (model === undefined) throw new UsageError('SONDE_MODEL_URL is set, but SONDE_MODEL is not: set both');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('SONDE_MODEL_URL must be a URL that starts with http:// or https://');
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash)
    throw new UsageError(
      'SONDE_MODEL_URL must not contain a user, a password, a query or a fragment: set the key in SONDE_MODEL_KEY',
    );
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('SONDE_MODEL_KEY must be a single line of ASCII characters without spaces');
  return { url: url.replace(/\/+$/, ''), model, key };
}
