/** Converts errors and texts to fields of a log record. */
import { SondeError } from './errors.ts';
import { withoutOwnFrames } from './own-frames.ts';

/** Extra properties of errors that a log includes. */
const EXTRA_FIELDS = ['code', 'status', 'endpoint', 'requestId'];

/** Longest text in a log record, in characters: texts of targets, databases and clients may have megabytes. */
const LONGEST_TEXT = 2000;
/** Deeper parts of a log record are left out. */
const MAX_DEPTH = 5;

export const cutLogText = (text: string): string =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)` : text;

/** Returns the fields of a log record with every text cut. Errors are left to their serializer. */
export function cutLogFields<T>(fields: T, depth = 0): T {
  if (typeof fields === 'string') return cutLogText(fields) as T;
  if (typeof fields !== 'object' || fields === null || fields instanceof Error) return fields;
  if (depth > MAX_DEPTH) return undefined as T;
  if (Array.isArray(fields)) return fields.map((item: unknown) => cutLogFields(item, depth + 1)) as T;
  if (Object.getPrototypeOf(fields) !== Object.prototype) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, cutLogFields(value, depth + 1)]),
  ) as T;
}

/** Returns the stack with a message that is cut, without frames of our minified bundles. */
function cutStack({ stack, message }: Error): string | undefined {
  return stack === undefined
    ? undefined
    : cutLogText(withoutOwnFrames(stack.replace(message, () => cutLogText(message))));
}

/**
 * Returns the type, message and stack of an error and of its cause. Minified classes have no names, and hints are for
 * command-line users.
 */
export function serializeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: cutLogText(String(error)) };
  const extra = Object.entries(error).filter(
    ([name, value]) => EXTRA_FIELDS.includes(name) && value !== undefined,
  );
  return {
    type: error instanceof SondeError ? error.kind : error.name,
    message: cutLogText(error.message),
    stack: cutStack(error),
    ...cutLogFields(Object.fromEntries(extra)),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
