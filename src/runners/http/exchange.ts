/** Sends one HTTP request over an open connection, reads the answer, and closes the connection. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { CannotRun } from '../core/runner.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { errorCode, TargetFault, toTargetFault } from '../network/fault.ts';
import { findStreamType } from './body-framing.ts';
import { isToken } from './response-head.ts';
import { MAX_BODY, type ResponseHead, ResponseReader } from './response-reader.ts';
import type { Answer, Header } from './types.ts';
import { UnusableResponse } from './unusable-response.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** The request target: a path, or a URL for a proxy. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** The name of the server in messages. */
  readonly name: string;
  /** False if the exchange may end with the headers of a stream. */
  readonly needsBody: boolean;
  /** Returns whether the server announced the end of the connection; absent without TLS. */
  readonly hasEndAlert?: (() => boolean) | undefined;
}

export interface ExchangeResult {
  readonly answer: Answer;
  readonly firstByteMs: number;
  readonly downloadMs: number;
  /** The flaws of the response: sentences without a full stop. */
  readonly notes: readonly string[];
}

const MAY_BE_CUT =
  'the body may be cut: it has no length, and its TLS connection ended without a close_notify alert';

/** Sends a request. Throws TargetFault without a complete answer, CannotRun if the request cannot be written. */
export function exchange(
  socket: Socket,
  request: OutgoingRequest,
  deadline: Deadline,
): Promise<ExchangeResult> {
  const { clock, timeoutMs } = deadline;
  const { name, method, needsBody, hasEndAlert } = request;
  const head = formatRequestHead(request, () => socket.destroy());
  const reader = new ResponseReader(method);
  const timeoutError = () => {
    const what =
      reader.head === undefined
        ? 'did not answer'
        : `answered ${reader.head.status} and did not finish (${reader.bodyBytes} bytes received)`;
    return new TargetFault('timeout', `${name} ${what} within ${formatLongDuration(timeoutMs)}`, 'ETIMEDOUT');
  };
  return withTimeout<ExchangeResult>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    let sentAt = clock.monotonic();
    let firstAt: number | undefined;
    const finish = (head: ResponseHead, unread?: string) => {
      socket.destroy();
      const endedAt = clock.monotonic();
      const answer = toAnswer(
        head,
        reader,
        unread ?? (hasEndAlert?.() === false && reader.framing.kind === 'close' ? MAY_BE_CUT : undefined),
      );
      settle.succeed({
        answer,
        firstByteMs: Math.max(0, (firstAt ?? endedAt) - sentAt),
        downloadMs: endedAt - (firstAt ?? endedAt),
        notes: [...reader.flaws, answer.incomplete ?? []].flat(),
      });
    };
    const onProgress = () => {
      if (reader.head === undefined) return;
      firstAt ??= clock.monotonic();
      if (reader.isComplete) return finish(reader.head);
      const stream =
        needsBody || reader.framing.kind === 'length' ? undefined : findStreamType(reader.head.headers);
      if (stream !== undefined)
        finish(
          reader.head,
          `the body is a stream (${stream}) that the check does not need: the response time ends with the headers`,
        );
    };
    socket.on('data', (bytes) => {
      try {
        reader.push(bytes);
      } catch (error) {
        settle.fail(
          error instanceof UnusableResponse
            ? new TargetFault('malformed', `${name} ${error.message}`)
            : error,
        );
        return;
      }
      onProgress();
    });
    socket.once('end', () => {
      reader.end();
      onProgress();
      settle.fail(createCutFault(name, reader));
    });
    socket.on('error', (error) => settle.fail(toExchangeFault(error, name, reader)));
    socket.once('close', () => settle.fail(createCutFault(name, reader)));
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(request.body ?? '', () => {
      sentAt = clock.monotonic();
    });
    socket.uncork();
    return () => socket.destroy();
  }).finally(() => socket.destroy());
}

/** Throws CannotRun, after `close`, for a request that HTTP cannot express. */
function formatRequestHead({ method, path, headers, body }: OutgoingRequest, close: () => void): string {
  const length: Header[] =
    body === undefined && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
      ? []
      : [['Content-Length', String(body?.length ?? 0)]];
  const all: Header[] = [...headers, ...length, ['Connection', 'close']];
  try {
    if (!isToken(method)) throw new Error(`${JSON.stringify(method)} is not a method`);
    for (const [name, value] of all) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    close();
    throw new CannotRun(`the request cannot be sent: ${error instanceof Error ? error.message : error}`);
  }
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method.toUpperCase()} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function toAnswer(head: ResponseHead, reader: ResponseReader, unread: string | undefined): Answer {
  const body = reader.body();
  const tooLong = reader.isCut ? `the body is longer than ${MAX_BODY} bytes, which is the limit` : undefined;
  return { ...head, body, bytes: body.length, incomplete: unread ?? tooLong };
}

function createCutFault(name: string, { head, hasStarted, framing, bodyBytes }: ResponseReader): TargetFault {
  const closed = `${name} closed the connection`;
  if (head === undefined) {
    const when = hasStarted ? 'before the end of its response headers' : 'without a response';
    return new TargetFault('closed', `${closed} ${when}`, 'ECONNRESET');
  }
  const of = framing.kind === 'length' ? ` of ${framing.bytes}` : '';
  const cut = `${name} answered ${head.status} and closed the connection after ${bodyBytes}${of} bytes`;
  return new TargetFault('closed', cut, 'ECONNRESET');
}

function toExchangeFault(error: Error, name: string, reader: ResponseReader): Error {
  const isClosed = ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
  return isClosed && reader.hasStarted ? createCutFault(name, reader) : toTargetFault(error, name);
}
