/** One request and its answer over a connection that stands, which is closed in the end. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type Deadline, type Settle, withTimeout } from '../network/deadline.ts';
import { errorCode, toTargetFault, TargetFault } from '../network/fault.ts';
import { CannotRun } from '../types.ts';
import { growingBuffer } from './growing-buffer.ts';
import type { Answer, Header } from './types.ts';

/** Bytes of a body that are read; what comes after them is not. */
export const MOST_BODY = 5 * 1024 * 1024;
const MOST_HEADERS = 64 * 1024;
/** Chunks of a body: each costs time, however small it is. */
export const MOST_CHUNKS = 50_000;
/** Bytes on the connection that are not part of the body: headers, sizes and extensions of chunks. */
export const MOST_OVERHEAD = 2 * 1024 * 1024;
/** Informational responses (1xx) before the answer. */
export const MOST_INFORMATIONAL = 20;

export interface Line {
  readonly method: string;
  /** As it stands in the request's first line: a path, or a whole address where a proxy is asked. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** What the other side is called in messages. */
  readonly name: string;
}

export interface Answered {
  readonly answer: Answer;
  readonly firstByteMs: number;
  readonly downloadMs: number;
}

/** Throws TargetFault where no whole answer came, CannotRun where the request cannot be written. */
export function exchange(socket: Socket, line: Line, deadline: Deadline): Promise<Answered> {
  const { clock, timeoutMs } = deadline;
  const seen = { sentAt: clock.monotonic(), status: 0, bytes: 0 };
  const timeoutError = () => {
    const what =
      seen.status === 0
        ? 'did not answer'
        : `answered ${seen.status} and did not finish (${seen.bytes} bytes received)`;
    return new TargetFault('timeout', `${line.name} ${what} within ${timeoutMs} ms`, 'ETIMEDOUT');
  };
  return withTimeout<Answered>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const sent = written(socket, line);
    const failed = (error: Error) => {
      // Once it answers nobody minds that it did not want to read all.
      if (seen.status === 0) settle.fail(exchangeFault(error, line.name));
    };
    sent.on('error', failed);
    sent.once('finish', () => {
      seen.sentAt = clock.monotonic();
    });
    let informational = 0;
    sent.on('information', () => {
      informational++;
      if (informational > MOST_INFORMATIONAL)
        settle.fail(
          new TargetFault(
            'malformed',
            `${line.name} sent more than ${MOST_INFORMATIONAL} informational responses (1xx)`,
          ),
        );
    });
    sent.once('upgrade', (message: IncomingMessage) => read(message, settle, seen, line, clock.monotonic));
    sent.once('response', (message) => read(message, settle, seen, line, clock.monotonic));
    sent.end(line.body);
    return () => {
      sent.destroy();
      socket.destroy();
    };
  }).finally(() => socket.destroy());
}

function written(socket: Socket, { method, path, headers, body }: Line) {
  const length: Header[] =
    body === undefined && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
      ? []
      : [['Content-Length', String(body?.length ?? 0)]];
  const all: Header[] = [...headers, ...length, ['Connection', 'close']];
  try {
    return request({
      ...{ method, path, setHost: false, maxHeaderSize: MOST_HEADERS },
      headers: all.flat(),
      createConnection: () => socket,
    });
  } catch (error) {
    socket.destroy();
    throw new CannotRun(`the request cannot be sent: ${error instanceof Error ? error.message : error}`);
  }
}

function read(
  message: IncomingMessage,
  settle: Settle<Answered>,
  seen: { sentAt: number; status: number; bytes: number },
  { name, method }: Line,
  now: () => number,
): void {
  const firstAt = now();
  seen.status = message.statusCode ?? 0;
  const { socket } = message;
  const received = growingBuffer(MOST_BODY);
  let chunks = 0;
  const done = (isCut: boolean) => {
    const body = received.bytes();
    settle.succeed({
      answer: {
        status: seen.status,
        statusText: message.statusMessage ?? '',
        httpVersion: message.httpVersion,
        headers: pairs(message.rawHeaders),
        ...{ body, bytes: body.length, isCut },
      },
      firstByteMs: Math.max(0, firstAt - seen.sentAt),
      downloadMs: now() - firstAt,
    });
  };
  // There is another protocol from here on, and none of it is for us.
  if (seen.status === 101) {
    done(false);
    return;
  }
  /** One read of the connection may hold thousands of chunks: after the limit none of them is looked at. */
  const stop = () => {
    message.off('data', onChunk);
    socket.destroy();
  };
  const tooMuch = (what: string) => {
    stop();
    settle.fail(new TargetFault('malformed', `${name} answered ${seen.status} ${what}`));
  };
  const onChunk = (chunk: Buffer) => {
    chunks++;
    received.add(chunk);
    seen.bytes += chunk.length;
    if (seen.bytes > MOST_BODY) {
      done(true);
      stop();
    } else if (chunks > MOST_CHUNKS) tooMuch(`with a body in more than ${MOST_CHUNKS} chunks`);
    else if (socket.bytesRead - seen.bytes > MOST_OVERHEAD)
      tooMuch(`with more than ${MOST_OVERHEAD / 1024 / 1024} MB that are not part of the body`);
  };
  message.on('data', onChunk);
  message.once('end', () => done(false));
  message.once('error', (error) => {
    const announced = message.headers['content-length'];
    const of = announced === undefined || method === 'HEAD' ? '' : ` of ${announced}`;
    const cut = `${name} answered ${seen.status} and closed the connection after ${seen.bytes}${of} bytes`;
    const isClosed = errorCode(error) === 'ECONNRESET' || errorCode(error) === '';
    settle.fail(isClosed ? new TargetFault('closed', cut, 'ECONNRESET') : exchangeFault(error, name));
  });
}

function exchangeFault(error: Error, name: string): Error {
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

function pairs(raw: readonly string[]): Header[] {
  return raw.flatMap((name, index): Header[] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}
