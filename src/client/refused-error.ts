/** Converts an answer that refused a request to an error with the server's message and a hint. */
import { type Absence, ApiError, type ErrorContext, type Refusal } from '../base/errors.ts';
import { formatLongDuration } from '../base/format-duration.ts';
import { type ErrorBody, parseErrorBody } from './error-body.ts';
import { findAbsence } from './missing-endpoint.ts';
import { redactKeyInBody } from './redact.ts';
import { describePage, getPageHint } from './web-page.ts';

export interface RefusalDetails extends Refusal {
  /** The wait that the server requested (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** The body as it was received, without the key. */
  readonly text: string;
  readonly afterLostAnswer: boolean;
  readonly mayHaveActed: boolean;
}

/** An `ApiError` with more details of the answer. */
export class RefusedError extends ApiError {
  /** The wait that the server requested (Retry-After), in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The body as it was received, without the key. */
  readonly text: string;
  /**
   * True for an API 404 to a repeated DELETE whose first answer was lost: the first one most likely succeeded, so the
   * resource counts as deleted.
   */
  readonly afterLostAnswer: boolean;
  /** True if this attempt or an earlier one may have taken effect although it was refused. */
  readonly mayHaveActed: boolean;

  constructor(message: string, about: RefusalDetails, context: ErrorContext = {}) {
    super(message, about, context);
    this.retryAfterMs = about.retryAfterMs;
    this.text = about.text;
    this.afterLostAnswer = about.afterLostAnswer;
    this.mayHaveActed = about.mayHaveActed;
  }
}

/** The values from which a refusal error is built. */
export interface RefusalInput {
  readonly status: number;
  /** A bounded line, without the key. */
  readonly statusText: string;
  readonly text: string;
  readonly endpoint: string;
  /** Whether the specification requires the endpoint. Undefined: the user wrote the request. */
  readonly isSpecified: boolean | undefined;
  readonly method: string;
  readonly origin: string;
  /** The origin and the proxy, if any, for messages. */
  readonly destinationLabel: string;
  readonly hasAccount: boolean;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** When to retry, as a sentence; undefined if unknown. */
  readonly retryHint: string | undefined;
  /** The previous attempts, as a sentence; undefined for the first attempt. */
  readonly history: string | undefined;
  /** Whether an earlier attempt was sent and its answer was lost. */
  readonly lostBefore: boolean;
}

function findHint(
  { status, hasAccount, origin, endpoint }: RefusalInput,
  { fromApi, page }: ErrorBody,
  absence: Absence | undefined,
): string | undefined {
  if (page) return getPageHint(status, origin);
  const account = hasAccount
    ? 'check that the key has access to the account'
    : 'if the key has access to several accounts, pass --account or set SONDE_ACCOUNT_ID';
  if (status === 401)
    return `the service rejected the key: run "sonde login", or set SONDE_API_KEY\n${account}`;
  if (status === 402) return 'the plan of the account does not include this feature';
  if (status === 403) return `the key has no permission for this\n${account}`;
  if (status === 404) {
    if (!fromApi) return `check the base URL: the server at ${origin} may not be the API`;
    // A path without placeholders was written by the user or has none.
    const what = endpoint.includes('{') ? 'the ID, and that it' : 'the path, and that the resource';
    const belongs = `check ${what} belongs to this account`;
    return absence === 'either' ? `${belongs}\n${notOffered(endpoint)}, if the ID is correct` : belongs;
  }
  if (status === 407)
    return 'the proxy requires a user name and a password in its URL (HTTPS_PROXY, HTTP_PROXY)';
  if (status === 413) return 'send a smaller body: the service limits its size';
  if (status === 429) return 'this or another client of the account sent too many requests';
  return undefined;
}

/** Returns the server's message, or a message that it sent none. */
function findMessage(
  { status, statusText, destinationLabel }: RefusalInput,
  { message, details, page }: ErrorBody,
): string {
  if (message) return message;
  const statusLine = `${status} ${statusText}`.trim();
  if (page) return `${destinationLabel} responded with ${describePage(statusLine, page)}`;
  return `the service responded with ${statusLine}${details.length > 0 ? '' : ' without a reason'}`;
}

const notOffered = (endpoint: string): string => `this deployment does not offer ${endpoint}`;

/** Creates the error of a refusal. `redactKey` removes the key from the server's text. */
export function createRefusedError(input: RefusalInput, redactKey: (text: string) => string): RefusedError {
  const text = redactKeyInBody(input.text, redactKey);
  const body = parseErrorBody(text);
  const { status, statusText, endpoint, requestId, retryAfterMs } = input;
  const { fromApi, details } = body;
  const { isSpecified } = input;
  const absence =
    isSpecified === undefined ? undefined : findAbsence({ status, endpoint, isSpecified }, body);
  const isOffered = absence !== 'endpoint';
  const hint = isOffered || body.page ? findHint(input, body, absence) : undefined;
  const hints = [input.retryHint, hint, input.history].filter(Boolean);
  const afterLostAnswer =
    input.method === 'DELETE' && status === 404 && fromApi && isOffered && input.lostBefore;
  const mayHaveActed = input.lostBefore || status === 408 || (status >= 500 && isOffered);
  return new RefusedError(
    isOffered ? findMessage(input, body) : notOffered(endpoint),
    {
      status,
      statusText,
      endpoint,
      requestId,
      retryAfterMs,
      text,
      fromApi,
      absence,
      afterLostAnswer,
      mayHaveActed,
    },
    { hint: hints.length > 0 ? hints.join('\n') : undefined, details },
  );
}

/** Returns `retry in 5 min, at 2026-11-21T10:00:00Z`. */
export function formatRetryTime(waitMs: number, now: number): string {
  const at = new Date(Math.min(now + waitMs, 8.64e15)).toISOString().replace(/\.\d+Z$/, 'Z');
  return `retry in ${formatLongDuration(waitMs)}, at ${at}`;
}
