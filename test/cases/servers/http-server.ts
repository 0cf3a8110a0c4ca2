/** An HTTP/1.1 server on a bare socket, so that it can send answers that no library would. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Endpoint, listenTcp } from './listen.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** By lower-case name; lines of one name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ports of this server and of a second one, which is another origin. */
  readonly port: number;
  readonly otherPort: number;
}

/** The parts that the server writes, with a pause after each, and how it then treats the connection. */
export interface HttpAnswer {
  readonly parts: readonly (Buffer | string)[];
  readonly pauseMs?: number;
  readonly ends?: 'close' | 'reset';
}

/** By the last segment of the path. `notFound` answers all others. */
export type HttpAnswers = Readonly<Record<string, (request: HttpRequest) => HttpAnswer>>;

/** Starts a server with these answers. `otherPort`: see `HttpRequest`. */
export const startHttpServer = (answers: HttpAnswers, otherPort: () => number): Promise<Endpoint> =>
  listenTcp((socket, port) => {
    let received = Buffer.alloc(0) as Buffer;
    let last = Promise.resolve();
    socket.on('end', () => socket.end());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let next = readRequest(received); next !== undefined; next = readRequest(received)) {
        const request = { ...next.request, port, otherPort: otherPort() };
        received = received.subarray(next.length);
        last = last.then(() => respond(request));
      }
    });

    async function respond(request: HttpRequest): Promise<void> {
      const { parts, pauseMs = 0, ends } = answerTo(answers, request);
      for (const part of parts) {
        if (socket.destroyed) return;
        socket.write(part);
        if (pauseMs > 0) await wait(pauseMs);
      }
      if (ends === 'close') socket.end();
      // The client reads what was written before the reset discards it.
      if (ends === 'reset') setTimeout(() => socket.resetAndDestroy(), 30);
    }
  });

function answerTo(answers: HttpAnswers, request: HttpRequest): HttpAnswer {
  const path = request.url.split('?')[0] ?? '';
  const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const answer = (answers[name] ?? answers.notFound)?.(request) ?? { parts: [] };
  return request.method === 'HEAD' ? { ...answer, parts: answer.parts.map(headOf) } : answer;
}

function headOf(part: Buffer | string): Buffer {
  const bytes = Buffer.from(part);
  const end = bytes.indexOf('\r\n\r\n');
  return end === -1 ? bytes : bytes.subarray(0, end + 4);
}

/** Returns the first request in the bytes and its length; undefined if it is not complete. */
function readRequest(bytes: Buffer) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', url = ''] = line.split(' ');
  const headers: Record<string, string> = {};
  for (const header of lines) {
    const colon = header.indexOf(':');
    const name = header.slice(0, colon).toLowerCase();
    const value = header.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const body = readBody(bytes, end + 4, headers);
  return body && { length: body.end, request: { method, url, headers, body: body.text } };
}

function readBody(bytes: Buffer, start: number, headers: Readonly<Record<string, string>>) {
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) {
    const last = bytes.indexOf('0\r\n\r\n', start);
    return last === -1 ? undefined : { text: bytes.toString('utf8', start, last), end: last + 5 };
  }
  const end = start + Number(headers['content-length'] ?? 0);
  return bytes.length < end ? undefined : { text: bytes.toString('utf8', start, end), end };
}
