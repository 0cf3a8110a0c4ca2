/** Reads the text of a ping: its beginning, and a bounded part of the rest. */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { LONGEST_TEXT } from '../../engine/heartbeats/signal.ts';

export interface PingBody {
  readonly bytes: Uint8Array;
  /** Whether the text is longer. */
  readonly isCut: boolean;
}

/** Parses a body as Fastify requests it. A longer one is answered without its rest, which clients often still send. The server discards it. */
export function readPingBody(
  _request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: PingBody) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (error: Error | null) => {
    if (isDone) return;
    isDone = true;
    if (error) done(error);
    else done(null, { bytes: Buffer.concat(chunks).subarray(0, LONGEST_TEXT), isCut: size > LONGEST_TEXT });
  };
  payload.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (!isDone) chunks.push(chunk);
    if (size > LONGEST_TEXT) finish(null);
  });
  payload.on('end', () => finish(null));
  payload.on('error', (error) => finish(error));
  payload.on('close', () => finish(new Error('the client closed the connection within its request')));
}
