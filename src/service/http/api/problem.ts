/** Defines `Problem`, the error of a refused request, and the body of every error response. */
import { STATUS_CODES } from 'node:http';
import type { Violation } from '../../../contract/index.ts';
import { placeText } from '../../../contract/validate.ts';

interface ProblemOptions {
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** A code that published clients look for in `errorCode`. */
  readonly code?: string;
  /** Headers of the response: `retry-after`, `allow`, `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that is sent with its status. Its message is for the caller and contains nothing internal. */
export class Problem extends Error {
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string | undefined;

  constructor(status: number, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.attributes = options.attributes ?? {};
    this.headers = options.headers ?? {};
    this.code = options.code;
  }
}

// The documented text of the completion timeout. Node says "Request Timeout".
const STATUS_TEXTS: Readonly<Record<number, string>> = { 408: 'Request Time-out' };

/** Returns the body of an error response (specification, Errors). `error` is the standard phrase of the status. */
export const problemBody = (status: number, message: string, attributes: Problem['attributes'] = {}) => ({
  statusCode: status,
  error: STATUS_TEXTS[status] ?? STATUS_CODES[status] ?? 'Error',
  message,
  attributes,
});

export const capitalize = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** Returns a 404 for a resource that does not exist in this account. `what` has the form `check 0f5c…`. */
export const notFound = (what: string): Problem => new Problem(404, `${capitalize(what)} not found`);

/** Returns the resource that was found. Throws `Problem` 404 for undefined, and for false, the result of a deletion. */
export function requireFound<T>(found: T | undefined | false, what: string): T {
  if (found === undefined || found === false) throw notFound(what);
  return found;
}

/**
 * Returns a 404 for the missing file of a result. Each service stores only the files of the runs that it recorded. `place` and
 * `own` are the host and folder of the file and of this service. Visitors without a key do not learn them.
 */
export function fileNotFound(place: string | null, own: string | undefined, isOwner: boolean): Problem {
  if (place === own) return new Problem(404, 'The file is missing from the data folder of the service');
  const where = place === null || !isOwner ? '' : ` in ${place}`;
  return new Problem(
    404,
    `The file is not stored on this service. The service that recorded the run stores it${where}: request it there`,
  );
}

export const conflict = (message: string): Problem => new Problem(409, message);

/** Returns a 429, in the signature that @fastify/rate-limit requires. `what`: the limited requests. */
export function tooManyRequests(
  _: unknown,
  { max, ttl }: { readonly max: number; readonly ttl: number },
  what = 'requests',
): Problem {
  const seconds = Math.max(1, Math.ceil(ttl / 1000));
  return new Problem(429, `Too many ${what}: the limit is ${max}. Try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}

const MAX_IN_MESSAGE = 3;
/** Maximum number of violations in a response; people read no more. */
const MAX_LISTED = 100;

/** Formats a violation: `query limit must be at most 100`, `check "home": type is required`. Fields of the body are named without their part. */
function formatViolation({ in: part, path, message, owner }: Violation): string {
  if (owner !== undefined) return `${owner}: ${placeText(path.slice(2)) || 'the resource'} ${message}`;
  const field = placeText(path);
  if (part === 'body') return `${field || 'the body'} ${message}`;
  return `${part} ${field ? `parameter ${field} ` : ''}${message}`;
}

/** Returns a 400 with all violations. The message names the first ones. */
export function invalid(violations: readonly Violation[]): Problem {
  const more = violations.length - MAX_IN_MESSAGE;
  const listed = violations.slice(0, MAX_IN_MESSAGE).map(formatViolation).join('; ');
  return new Problem(400, `${listed}${more > 0 ? `; and ${more} more` : ''}`, {
    attributes: {
      violations: violations
        .slice(0, MAX_LISTED)
        .map(({ in: part, path, message, keyword, allowed, nearest }) => ({
          in: part,
          path: placeText(path),
          message,
          allowed,
          nearest,
          keyword,
        })),
      ...(violations.length > MAX_LISTED ? { violationCount: violations.length } : {}),
    },
  });
}

export function assertValid(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalid(violations);
}

/** Creates a violation that only the service can detect, such as a missing reference or a duplicate name. */
export function violation(
  part: Violation['in'],
  path: Violation['path'],
  keyword: string,
  message: string,
  more: Pick<Violation, 'allowed' | 'nearest'> = {},
): Violation {
  return { in: part, path, keyword, message, origin: 'gaps', ...more };
}
