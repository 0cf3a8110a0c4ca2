/** Sends one HTTP request and reads its complete answer. Knows nothing of the API. */
import type { Dispatcher } from 'undici';
import { onAbort } from '../base/abort.ts';
import { MAX_TIMER_MS } from '../base/clock.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; values of repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** The answer exceeded the size limit. */
export class AnswerTooLarge extends Error {}

type FaultReason = 'connect-timeout' | 'answer-timeout' | 'too-large' | 'failed';

/** There was no complete answer. */
export interface Fault {
  readonly kind: 'fault';
  readonly reason: FaultReason;
  /** The error of the socket. */
  readonly error: Error;
  /** Whether the request may have been sent: it was passed to an open connection. */
  readonly sent: boolean;
}

export interface ExchangeLimits {
  readonly connectTimeoutMs: number;
  /** From sending to the last byte of the answer. */
  readonly answerTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Maximum size of the answer, in bytes. */
  readonly maxBytes: number;
}

const joinHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** Sends a request. Rejects immediately with the reason of the signal, and never otherwise. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  { connectTimeoutMs, answerTimeoutMs, signal, maxBytes }: ExchangeLimits,
): Promise<WireAnswer | Fault> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Omit<WireAnswer, 'kind' | 'bytes'> | undefined;
    let isSettled = false;
    let removeCancel = () => {};
    let size = 0;
    const chunks: Buffer[] = [];

    const end = (settle: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      removeCancel();
      settle();
    };
    const fail = (reason: FaultReason, error: Error): void => {
      end(() => resolve({ kind: 'fault', reason, error, sent: controller !== undefined }));
      controller?.abort(error);
    };
    const cancel = (): void => {
      end(() => reject(signal?.reason));
      controller?.abort(new Error('cancelled'));
    };
    let timer = setTimeout(() => fail('connect-timeout', new Error('no connection')), connectTimeoutMs);
    removeCancel = onAbort(signal, cancel);
    if (isSettled) return;

    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method as Dispatcher.HttpMethod,
        headers: { ...request.headers },
        body: request.body ?? null,
      },
      {
        onRequestStart(requestController) {
          if (isSettled) return requestController.abort(new Error('request aborted'));
          controller = requestController;
          clearTimeout(timer);
          timer = setTimeout(
            () => fail('answer-timeout', new Error('incomplete response')),
            Math.min(answerTimeoutMs, MAX_TIMER_MS),
          );
        },
        onResponseStart(_controller, status, headers, statusText) {
          if (status >= 200) head = { status, statusText: statusText ?? '', headers: joinHeaders(headers) };
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size > maxBytes) fail('too-large', new AnswerTooLarge('response too large'));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          const answer = head;
          if (answer) end(() => resolve({ kind: 'answer', ...answer, bytes: Buffer.concat(chunks) }));
        },
        onResponseError(_controller, error) {
          fail('failed', error);
        },
      },
    );
  });
}
