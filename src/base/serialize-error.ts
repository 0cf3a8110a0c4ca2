/** Converts errors to fields of a log record. */
import { SondeError } from './errors.ts';

/** Extra properties of errors that a log includes. */
const EXTRA_FIELDS = ['code', 'status', 'endpoint', 'requestId'];

/**
 * Returns the type, message and stack of an error and of its cause. Minified classes have no names, and hints are for
 * command-line users.
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
