/** One query and its reply over a socket of its own, UDP or TCP, always closed in the end. */

import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { CancelTimer, Clock } from '../../base/clock.ts';
import type { AbortSignalLike } from '../../base/fast-abort-controller.ts';
import { formatEndpoint } from '../network/fault.ts';
import { findMismatch, isTruncated, parseReply, type Query, type Reply } from './message.ts';
import { NoAnswer, type NoAnswerReason, type Server } from './types.ts';

/** Milliseconds after the first datagram at which the same query is sent again: packets get lost. */
const RETRANSMIT_AT_MS = [500, 1500] as const;

/** What bounds an exchange. */
export interface Bounds {
  readonly clock: Clock;
  /** Milliseconds to wait for the reply. */
  readonly timeoutMs: number;
  readonly signal: AbortSignalLike;
}

/** A reply over UDP. */
export interface UdpReply {
  /** Undefined where the server cut its answer short, so that it must be asked over TCP. */
  readonly reply: Reply | undefined;
  /** When the query was first sent (monotonic ms): opening the socket is no time of the server's. */
  readonly sentAt: number;
}

/**
 * Asks over UDP. The socket is connected, so that the system drops what comes from elsewhere; what comes from the
 * server and is no reply to this query (another id, another question, garbage) is ignored until the time is up.
 * Rejects with NoAnswer, with the signal's reason, or with what this machine lacks to open a socket.
 */
export function queryUdp(query: Query, server: Server, bounds: Bounds): Promise<UdpReply> {
  return exchange(bounds, server, 'UDP', (settle) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    let sentAt = 0;
    let connected = false;
    let ignored = '';
    const send = () => {
      if (!connected) return;
      socket.send(query.message, (error) => {
        if (error) settle.fail(toNoAnswer(error, server, 'UDP'));
      });
    };
    socket.on('error', (error) => settle.fail(toNoAnswer(error, server, 'UDP')));
    socket.on('message', (message) => {
      const mismatchReason = findMismatch(query, message);
      if (mismatchReason !== undefined) {
        ignored = mismatchReason;
      } else if (isTruncated(message)) {
        settle.succeed({ reply: undefined, sentAt });
      } else {
        const reply = parseReply(message);
        if (reply === undefined) ignored = 'a malformed message';
        else settle.succeed({ reply, sentAt });
      }
    });
    socket.connect(server.port, server.address, () => {
      connected = true;
      sentAt = bounds.clock.monotonic();
      send();
    });
    return {
      close: () => socket.close(),
      retransmit: send,
      hint: () => (ignored === '' ? '' : `; ignored other responses: ${ignored}`),
    };
  });
}

/**
 * Asks over TCP, in one connection. A reply that is malformed or answers something else fails at once: on a
 * connection nobody else can have sent it. Rejects as askUdp does.
 */
export function queryTcp(query: Query, server: Server, bounds: Bounds): Promise<Reply> {
  return exchange(bounds, server, 'TCP', (settle) => {
    const framed = Buffer.allocUnsafe(query.message.length + 2);
    framed.writeUInt16BE(query.message.length, 0);
    query.message.copy(framed, 2);
    const chunks: Buffer[] = [];
    let received = 0;
    let expectedLength = 2;
    const socket = connect({ host: server.address, port: server.port, noDelay: true }, () => {
      socket.write(framed);
    });
    socket.on('error', (error) => settle.fail(toNoAnswer(error, server, 'TCP')));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      received += chunk.length;
      if (expectedLength === 2 && received >= 2) expectedLength += Buffer.concat(chunks).readUInt16BE(0);
      if (received < expectedLength) return;
      const message = Buffer.concat(chunks).subarray(2, expectedLength);
      const wrong = findMismatch(query, message);
      const reply = wrong === undefined ? parseReply(message) : undefined;
      if (reply !== undefined) settle.succeed(reply);
      else
        settle.fail(new NoAnswer('malformed', formatInvalidResponse(server, wrong ?? 'a malformed message')));
    });
    socket.on('close', () => {
      const when = received > 0 ? 'in the middle of its response' : 'without a response';
      settle.fail(
        new NoAnswer(
          'closed',
          `${formatEndpoint(server.address, server.port)} closed the connection ${when} (TCP)`,
        ),
      );
    });
    return {
      close: () => socket.destroy(),
      hint: () => (received > 0 ? `; ${received} bytes of a response arrived` : ''),
    };
  });
}

interface Settle<Result> {
  succeed(result: Result): void;
  fail(error: unknown): void;
}

interface OpenSocket {
  close(): void;
  /** Sends the query once more. */
  retransmit?(): void;
  /** What to add to the message about a time-out. */
  hint(): string;
}

/** Opens a socket and settles once: with its reply, its fault, the end of the wait or an abort. Then closes it. */
function exchange<Result>(
  bounds: Bounds,
  server: Server,
  protocol: string,
  open: (settle: Settle<Result>) => OpenSocket,
): Promise<Result> {
  const { signal } = bounds;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<Result>((resolve, reject) => {
    const state: { opened?: OpenSocket; cancelTimer?: CancelTimer; over: boolean } = { over: false };
    const finish = (conclude: () => void) => {
      if (state.over) return;
      state.over = true;
      signal.removeEventListener('abort', onAbort);
      state.cancelTimer?.();
      state.opened?.close();
      conclude();
    };
    const settle: Settle<Result> = {
      succeed: (result) => finish(() => resolve(result)),
      fail: (error) => finish(() => reject(error)),
    };
    const onAbort = () => settle.fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    const opened = open(settle);
    state.opened = opened;
    if (state.over) {
      opened.close();
      return;
    }
    const { clock, timeoutMs: waitMs } = bounds;
    const times = opened.retransmit === undefined ? [] : RETRANSMIT_AT_MS.filter((at) => at < waitMs);
    /** Waits for the next time at which the query is sent again; after the last, for the end. */
    const scheduleRetransmit = (waited: number, [at, ...later]: readonly number[]) => {
      state.cancelTimer = clock.timer((at ?? waitMs) - waited, () => {
        if (at === undefined) {
          const how = `within ${waitMs} ms (${protocol})${opened.hint()}`;
          settle.fail(
            new NoAnswer('timeout', `no answer from ${formatEndpoint(server.address, server.port)} ${how}`),
          );
        } else {
          opened.retransmit?.();
          scheduleRetransmit(at, later);
        }
      });
    };
    scheduleRetransmit(0, times);
  });
}

function formatInvalidResponse(server: Server, what: string): string {
  return `${formatEndpoint(server.address, server.port)} sent an invalid response: ${what} (TCP)`;
}

/** What this machine ran out of: no word about the target. */
const LOCAL_ERROR_CODES: readonly string[] = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'];

function toNoAnswer(error: NodeJS.ErrnoException, server: Server, protocol: string): Error {
  const code = error.code ?? error.message;
  if (LOCAL_ERROR_CODES.includes(code)) return error;
  const name = formatEndpoint(server.address, server.port);
  if (code === 'ECONNREFUSED') {
    return new NoAnswer('refused', `connection to ${name} refused (${protocol}): ECONNREFUSED`);
  }
  const reason: NoAnswerReason = code === 'ECONNRESET' || code === 'EPIPE' ? 'closed' : 'unreachable';
  const verb = reason === 'closed' ? 'closed the connection' : 'cannot be reached';
  return new NoAnswer(reason, `${name} ${verb} (${protocol}): ${code}`);
}
