/** Delivers over HTTP: one request, no redirects, bounded in time and size, to addresses that policy allows. */
import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { Denied, type DenyAddress, judgedLookup, refuseDenied } from '../../../../runners/reach.ts';
import {
  DELIVERED,
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
} from './delivery.ts';
import { startIdleTimer } from './idle-timer.ts';

export interface HttpPolicy {
  /** How long it may take to hand a request over, and then how long to answer it, in ms. */
  readonly timeoutMs: number;
  /** Says why an address must not be contacted, or undefined where it may be. */
  readonly denyAddress?: DenyAddress | undefined;
}

export interface HttpDelivery {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Never shown in what is told of an error. */
  readonly secrets?: readonly string[];
}

/** The largest body that leaves, in bytes. */
export const LARGEST_BODY = 256 * 1024;
/** So much of an answer is read; nobody needs it. */
const LARGEST_ANSWER = 64 * 1024;
const LONGEST_PAUSE_MS = 10 * 60_000;

export async function deliverHttp(
  delivery: HttpDelivery,
  { idempotencyKey, signal }: DeliveryContext,
  policy: HttpPolicy,
): Promise<DeliveryResult> {
  const { url, body = '', secrets = [] } = delivery;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failForGood(`unsupported protocol ${url.protocol} (supported: http and https)`);
  }
  const size = Buffer.byteLength(body);
  if (size > LARGEST_BODY) return failForGood(`the body has ${size} bytes: the limit is ${LARGEST_BODY}`);
  const late = new AbortController();
  const timeout = late.signal;
  const patience = startIdleTimer(policy.timeoutMs, () => late.abort());
  try {
    const over = AbortSignal.any([signal, timeout]);
    // Only from then on there is anything to answer.
    return verdictOf(await exchange(delivery, idempotencyKey, over, policy, patience.reset));
  } catch (error) {
    if (error instanceof Denied || isOurs(error)) return failForGood(formatDeliveryError(error, secrets));
    const isLate = timeout.aborted && !signal.aborted;
    return retryLater(
      isLate ? `no response within ${policy.timeoutMs / 1000} s` : formatDeliveryError(error, secrets),
    );
  } finally {
    patience.stop();
  }
}

/** What Node refuses before it sends anything, such as a header with a line break in it. */
function isOurs(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS'].includes(code);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
}

function verdictOf({ status, retryAfter, location }: Answer): DeliveryResult {
  if (status >= 400) return retryLater(`answered ${status}`, pauseOf(retryAfter));
  if (status < 300) return DELIVERED;
  const host = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).host}` : '';
  return failForGood(`answered ${status}, a redirect${host}. Redirects are not followed: use the final URL`);
}

/** Seconds that a receiver asks to be left alone for, as ms; a date is not understood. */
function pauseOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined || !/^\d{1,6}$/.test(retryAfter.trim())) return undefined;
  return Math.min(Number(retryAfter) * 1000, LONGEST_PAUSE_MS);
}

function exchange(
  { url, method, headers, body }: HttpDelivery,
  idempotencyKey: string,
  signal: AbortSignal,
  { denyAddress }: HttpPolicy,
  onSent: () => void,
): Promise<Answer> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  refuseDenied(host, denyAddress);
  return new Promise((settle, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? secure : plain)(url, {
      method,
      signal,
      agent: false,
      lookup: judgedLookup(denyAddress),
      headers: {
        'user-agent': 'sonde',
        ...headers,
        'idempotency-key': idempotencyKey,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    // Once the status has said it, how the rest of the answer ends changes nothing.
    let done: (() => void) | undefined;
    request.on('error', (error) => (done === undefined ? reject(error) : done()));
    request.once('finish', onSent);
    request.once('response', (response: IncomingMessage) => {
      const { statusCode = 0, headers: answered } = response;
      let read = 0;
      const answer = () => {
        settle({ status: statusCode, retryAfter: answered['retry-after'], location: answered.location });
        request.destroy();
      };
      done = answer;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > LARGEST_ANSWER) answer();
      });
      response.once('end', answer);
      response.once('error', answer);
    });
    request.end(body);
  });
}
