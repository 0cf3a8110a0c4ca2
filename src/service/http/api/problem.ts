/** What is refused and why, as an error; and the one shape in which every refusal travels. */
import { STATUS_CODES } from 'node:http';
import type { Violation } from '../../../contract/index.ts';
import { placeText } from '../../../contract/validate.ts';

/** The body of every answer that is no success (specification, Errors). */
export interface ProblemBody {
  readonly statusCode: number;
  readonly error: string;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ProblemOptions {
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Headers of the answer: `retry-after`, `allow`, `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that is answered with an error status. The message is for the caller: it holds nothing internal. */
export class Problem extends Error {
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.attributes = options.attributes ?? {};
    this.headers = options.headers ?? {};
  }
}

// The documented completion time-out spells it so; Node says "Request Timeout".
const STATUS_TEXTS: Readonly<Record<number, string>> = { 408: 'Request Time-out' };

/** The body for a status: `error` is its standard phrase. */
export function problemBody(
  status: number,
  message: string,
  attributes: ProblemBody['attributes'] = {},
): ProblemBody {
  return {
    statusCode: status,
    error: STATUS_TEXTS[status] ?? STATUS_CODES[status] ?? 'Error',
    message,
    attributes,
  };
}

export const capitalize = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** 404: no such thing in this account. `what` reads like `check 0f5c…`. */
export const notFound = (what: string): Problem => new Problem(404, `${capitalize(what)} not found`);

/** 404 for a file that a result still has. Each service stores the files of the runs that it made. */
export const fileNotFound = ({ dialect }: { readonly dialect: 'sqlite' | 'postgres' }): Problem =>
  new Problem(
    404,
    dialect === 'postgres'
      ? 'The file is not stored on this service. The service that ran the check stores it: request it there'
      : 'The file is missing from the data folder of the service',
  );

/** 409: what stands in the way, as a sentence. */
export const conflict = (message: string): Problem => new Problem(409, message);

/** 429, as @fastify/rate-limit has it built. */
export function tooManyRequests(
  _: unknown,
  { max, ttl }: { readonly max: number; readonly ttl: number },
): Problem {
  const seconds = Math.max(1, Math.ceil(ttl / 1000));
  return new Problem(429, `Too many requests: the limit is ${max}. Try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}

const MAX_IN_MESSAGE = 3;
/** How many violations an answer lists at most; beyond that nobody reads them. */
const MAX_LISTED = 100;

/** `query limit must be at most 100`: a body's fields are named without their part. */
function formatViolation({ in: part, path, message }: Violation): string {
  const field = placeText(path);
  if (part === 'body') return `${field || 'the body'} ${message}`;
  return `${part} ${field ? `parameter ${field} ` : ''}${message}`;
}

/** 400 with every violation at once; the message names the first ones. */
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
          ...(allowed ? { allowed } : {}),
          ...(nearest === undefined ? {} : { nearest }),
          keyword,
        })),
      ...(violations.length > MAX_LISTED ? { violationCount: violations.length } : {}),
    },
  });
}

/** A violation that only the service can know of: a reference that leads nowhere, a name that is taken. */
export function violation(
  part: Violation['in'],
  path: Violation['path'],
  keyword: string,
  message: string,
  more: Pick<Violation, 'allowed' | 'nearest'> = {},
): Violation {
  return { in: part, path, keyword, message, origin: 'gaps', ...more };
}
