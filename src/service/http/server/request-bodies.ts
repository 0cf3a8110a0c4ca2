/**
 * Limits request bodies of all clients: the memory of all together, the number of their chunks, and what is still
 * read after a response that did not wait for them.
 */
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { formatBareResponse } from '../api/error-handler.ts';
import { endWithLinger, stopReading } from './close-socket.ts';

export const BODY_LIMITS = {
  /** Maximum bytes of all bodies that are being received or processed, except uploads, which go to the disk. */
  heldBytes: 128 * 1024 * 1024,
  /** Maximum number of chunks of a body, plus one for every 256 bytes: each takes microseconds to parse. */
  chunks: 2000,
  /** What is read and discarded after a response that did not wait for the body: clients may read only after they sent all. */
  ignoredBytes: 1024 * 1024,
  ignoredChunks: 100,
};
export type BodyLimits = Readonly<typeof BODY_LIMITS>;

const BYTES_PER_CHUNK = 256;
/** Small chunks are joined, because each costs about 300 bytes of memory: until there are this many, or this many bytes. */
const JOINED_CHUNKS = 256;
const JOINED_BYTES = 16 * 1024;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isUpload = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] === 'application/octet-stream';

/**
 * Joins small chunks before a request buffers them, at the latest in the next turn of the event loop. `admit` may
 * discard a chunk; `onEnd` is called when the whole body has arrived, read or not. Node calls `push` for each chunk, and
 * with null at the end.
 */
function joinChunks(request: IncomingMessage, admit: (chunk: Buffer) => boolean, onEnd: () => void): void {
  const push = request.push.bind(request);
  let waiting: Buffer[] = [];
  let bytes = 0;
  const flush = (): boolean => {
    const [first, ...others] = waiting;
    if (first === undefined || request.destroyed) return true;
    const joined = others.length === 0 ? first : Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
    return push(joined);
  };
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      onEnd();
      flush();
      return push(null);
    }
    if (!admit(chunk)) return true;
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(chunk);
    bytes += chunk.length;
    return waiting.length < JOINED_CHUNKS && bytes < JOINED_BYTES ? true : flush();
  };
}

interface Body {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  bytes: number;
  chunks: number;
  /** Of these, what arrived after the response. */
  ignoredBytes: number;
  ignoredChunks: number;
  linger?: NodeJS.Timeout;
  isRefused?: boolean;
}

/** Refuses a request whose body is still arriving. If its turn has come, the client gets a reason. */
function refuse(body: Body, status: number, message: string): void {
  const { request, response } = body;
  const { socket } = request;
  body.isRefused = true;
  stopReading(socket);
  if (response.socket !== socket || response.headersSent) socket.destroy();
  else endWithLinger(socket, formatBareResponse(status, message, status === 503 ? ['retry-after: 10'] : []));
}

/** Lets the client of a response that did not wait for the body read it: Node would close the connection at once. */
function lingerIfUnread(body: Body): void {
  const { request, response } = body;
  const { socket } = request;
  const closeNow = () => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (request.complete) return closeNow();
    body.linger = endWithLinger(socket);
    request.once('end', closeNow);
  };
  // Before the listener of Node, which would read the rest without limits.
  response.prependOnceListener('finish', () => request.resume());
}

/** Asks a client that waits for permission (`Expect: 100-continue`) for its body when somebody starts to read it. */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request._read = (size) => {
    request._read = IncomingMessage.prototype._read;
    if (!response.headersSent) response.writeContinue();
    request._read(size);
  };
}

/** Returns a function that limits the body of a request that begins. */
export function createBodyLimiter(limits: BodyLimits, warn: () => void) {
  const held = new Set<Body>();
  let heldBytes = 0;
  const forget = (body: Body) => {
    if (held.delete(body)) heldBytes -= body.bytes;
  };
  const hold = (body: Body, bytes: number) => {
    if (!held.has(body)) return;
    heldBytes += bytes;
    if (heldBytes <= limits.heldBytes) return;
    const largest = [...held].reduce((one, other) => (other.bytes > one.bytes ? other : one));
    warn();
    forget(largest);
    refuse(largest, 503, 'The service is receiving too much at once');
  };
  const ignore = (body: Body, bytes: number) => {
    body.ignoredBytes += bytes;
    body.ignoredChunks += 1;
    const { ignoredBytes, ignoredChunks, linger, request } = body;
    if (
      ignoredBytes > limits.ignoredBytes ||
      ignoredChunks > limits.ignoredChunks + ignoredBytes / BYTES_PER_CHUNK
    )
      stopReading(request.socket);
    else linger?.refresh();
  };
  /** Counts a chunk. Returns whether it is read. */
  const admit = (body: Body, bytes: number): boolean => {
    if (body.isRefused) return false;
    if (body.response.writableEnded) {
      ignore(body, bytes);
      return false;
    }
    body.bytes += bytes;
    body.chunks += 1;
    hold(body, bytes);
    if (body.chunks <= limits.chunks + body.bytes / BYTES_PER_CHUNK) return true;
    warn();
    refuse(body, 413, 'The body arrives in too many small chunks: send it with a content-length');
    return false;
  };

  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!hasBody(request)) return;
    const body: Body = { request, response, bytes: 0, chunks: 0, ignoredBytes: 0, ignoredChunks: 0 };
    if (!isUpload(request)) held.add(body);
    response.once('close', () => forget(body));
    // A response whose turn never came, because the connection closed, emits no close.
    request.once('close', () => response.socket ?? forget(body));
    // A response that does not wait for the body ends the connection: nobody reads the rest. Short bodies have arrived.
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    const onEnd = () => {
      response.shouldKeepAlive = shouldKeepAlive;
    };
    joinChunks(request, ({ length }) => admit(body, length), onEnd);
    lingerIfUnread(body);
  };
}
