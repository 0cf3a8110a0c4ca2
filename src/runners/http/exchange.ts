/** Sends one HTTP request over an open connection, reads the answer, and closes the connection. */

import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { type Deadline, type Settle, withTimeout } from '../network/deadline.ts';
import { errorCode, TargetFault, toTargetFault } from '../network/fault.ts';
import { CannotRun } from '../types.ts';
import type { Answer, Header } from './types.ts';

/** Maximum number of body bytes that are read. */
export const MAX_BODY = 5 * 1024 * 1024;
const MAX_HEADERS = 64 * 1024;
/** Maximum number of body chunks, because even a small one costs time. */
export const MAX_CHUNKS = 50_000;
/** Maximum number of connection bytes outside the body: headers, chunk sizes and extensions. */
export const MAX_OVERHEAD = 2 * 1024 * 1024;
/** Maximum number of informational responses (1xx). */
export const MAX_INFORMATIONAL = 20;

export interface OutgoingRequest {
  readonly method: string;
  /** The request target: a path, or a URL for a proxy. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** The name of the server in messages. */
  readonly name: string;
}

export interface ExchangeResult {
  readonly answer: Answer;
  readonly firstByteMs: number;
  readonly downloadMs: number;
}

/** Sends a request. Throws TargetFault without a complete answer, CannotRun if the request cannot be written. */
export function exchange(socket: Socket, line: OutgoingRequest, deadline: Deadline): Promise<ExchangeResult> {
  const { clock, timeoutMs } = deadline;
  const progress = { sentAt: clock.monotonic(), status: 0, bytes: 0 };
  const timeoutError = () => {
    const what =
      progress.status === 0
        ? 'did not answer'
        : `answered ${progress.status} and did not finish (${progress.bytes} bytes received)`;
    return new TargetFault(
      'timeout',
      `${line.name} ${what} within ${formatLongDuration(timeoutMs)}`,
      'ETIMEDOUT',
    );
  };
  return withTimeout<ExchangeResult>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const sent = writeRequest(socket, line);
    const failed = (error: Error) => {
      // After the status arrived, the server may stop reading the request.
      if (progress.status === 0) settle.fail(toExchangeFault(error, line.name));
    };
    sent.on('error', failed);
    sent.once('finish', () => {
      progress.sentAt = clock.monotonic();
    });
    let informational = 0;
    sent.on('information', () => {
      informational++;
      if (informational > MAX_INFORMATIONAL)
        settle.fail(
          new TargetFault(
            'malformed',
            `${line.name} sent more than ${MAX_INFORMATIONAL} informational responses (1xx)`,
          ),
        );
    });
    sent.once('upgrade', (message: IncomingMessage) =>
      readAnswer(message, settle, progress, line, clock.monotonic),
    );
    sent.once('response', (message) => readAnswer(message, settle, progress, line, clock.monotonic));
    sent.end(line.body);
    return () => {
      sent.destroy();
      socket.destroy();
    };
  }).finally(() => socket.destroy());
}

function writeRequest(socket: Socket, { method, path, headers, body }: OutgoingRequest) {
  const length: Header[] =
    body === undefined && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
      ? []
      : [['Content-Length', String(body?.length ?? 0)]];
  const all: Header[] = [...headers, ...length, ['Connection', 'close']];
  try {
    return request({
      method,
      path,
      setHost: false,
      maxHeaderSize: MAX_HEADERS,
      headers: all.flat(),
      createConnection: () => socket,
    });
  } catch (error) {
    socket.destroy();
    throw new CannotRun(`the request cannot be sent: ${error instanceof Error ? error.message : error}`);
  }
}

function readAnswer(
  message: IncomingMessage,
  settle: Settle<ExchangeResult>,
  progress: { sentAt: number; status: number; bytes: number },
  { name, method }: OutgoingRequest,
  now: () => number,
): void {
  const firstAt = now();
  progress.status = message.statusCode ?? 0;
  const { socket } = message;
  const received = createGrowingBuffer(MAX_BODY);
  let chunks = 0;
  const done = (isCut: boolean) => {
    const body = received.bytes();
    settle.succeed({
      answer: {
        status: progress.status,
        statusText: message.statusMessage ?? '',
        httpVersion: message.httpVersion,
        headers: toHeaders(message.rawHeaders),
        body,
        bytes: body.length,
        isCut,
      },
      firstByteMs: Math.max(0, firstAt - progress.sentAt),
      downloadMs: now() - firstAt,
    });
  };
  // The connection now uses another protocol.
  if (progress.status === 101) {
    done(false);
    return;
  }
  /** One read may contain thousands of chunks; stop before the next one. */
  const stop = () => {
    message.off('data', onChunk);
    socket.destroy();
  };
  const failTooLarge = (what: string) => {
    stop();
    settle.fail(new TargetFault('malformed', `${name} answered ${progress.status} ${what}`));
  };
  const onChunk = (chunk: Buffer) => {
    chunks++;
    received.add(chunk);
    progress.bytes += chunk.length;
    if (progress.bytes > MAX_BODY) {
      done(true);
      stop();
    } else if (chunks > MAX_CHUNKS) failTooLarge(`with a body in more than ${MAX_CHUNKS} chunks`);
    else if (socket.bytesRead - progress.bytes > MAX_OVERHEAD)
      failTooLarge(`with more than ${MAX_OVERHEAD / 1024 / 1024} MB that are not part of the body`);
  };
  message.on('data', onChunk);
  message.once('end', () => done(false));
  message.once('error', (error) => {
    const announced = message.headers['content-length'];
    const of = announced === undefined || method === 'HEAD' ? '' : ` of ${announced}`;
    const cut = `${name} answered ${progress.status} and closed the connection after ${progress.bytes}${of} bytes`;
    const isClosed = errorCode(error) === 'ECONNRESET' || errorCode(error) === '';
    settle.fail(isClosed ? new TargetFault('closed', cut, 'ECONNRESET') : toExchangeFault(error, name));
  });
}

function toExchangeFault(error: Error, name: string): Error {
  const code = errorCode(error);
  if (code.startsWith('HPE_'))
    return new TargetFault(
      'malformed',
      `${name} sent an invalid HTTP response: ${error.message} (${code})`,
      code,
    );
  if (error.message === 'socket hang up')
    return new TargetFault('closed', `${name} closed the connection without a response`, 'ECONNRESET');
  return toTargetFault(error, name);
}

function toHeaders(raw: readonly string[]): Header[] {
  return raw.flatMap((name, index): Header[] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}

/** Collects chunks in one buffer: an object for each of many small chunks costs far more than its bytes. */
interface GrowingBuffer {
  /** Ignores bytes beyond the limit. */
  add(chunk: Buffer): void;
  /** Returns a copy of exactly the added bytes. */
  bytes(): Buffer;
}

function createGrowingBuffer(maxBytes: number): GrowingBuffer {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(chunk) {
      const needed = Math.min(maxBytes, length + chunk.length);
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, buffer.length * 2)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      length += chunk.copy(buffer, length, 0, needed - length);
    },
    // A view would transfer the whole buffer to another process or thread.
    bytes: () => Buffer.from(buffer.subarray(0, length)),
  };
}
