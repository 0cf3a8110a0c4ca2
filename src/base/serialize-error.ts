/** An error as a log has it. */
import { SondeError } from './errors.ts';

/** What helps who reads a log, of errors that carry more. */
const EXTRA_FIELDS = ['code', 'status', 'endpoint', 'requestId'];

/**
 * What kind of error it was, what it says and where it came from, with its cause. Classes have no names in what is built, and hints are
 * for who types commands.
 */
export function serializeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const extra = Object.entries(error).filter(
    ([name, value]) => EXTRA_FIELDS.includes(name) && value !== undefined,
  );
  return {
    type: error instanceof SondeError ? error.kind : error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(extra),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
