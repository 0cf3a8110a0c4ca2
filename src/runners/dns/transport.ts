/** Sends one DNS query over its own UDP or TCP socket and reads the reply. */

import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { formatLongDuration } from '../../base/format-duration.ts';
import type { Settle } from '../network/deadline.ts';
import { formatEndpoint } from '../network/fault.ts';
import { findMismatch, isTruncated, parseReply, type Query, type Reply } from './message.ts';
import { NoAnswer, type NoAnswerReason, type Server } from './types.ts';

/** Times after the first datagram at which the query is retransmitted, in ms, because packets get lost. */
const RETRANSMIT_AT_MS = [500, 1500] as const;

/** The limits of an exchange. */
export interface Bounds {
  readonly clock: Clock;
  /** Timeout for the reply, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignalLike;
}

/** A reply over UDP. */
export interface UdpReply {
  /** Undefined if the server truncated its answer, so that it must be queried over TCP. */
  readonly reply: Reply | undefined;
  /** When the query was first sent (monotonic ms). Opening the socket is not included. */
  readonly sentAt: number;
}

/**
 * Queries over UDP. The socket is connected, so the system drops packets from other addresses. Packets that do not
 * answer this query (another ID, another question, malformed) are ignored until the timeout. Rejects with NoAnswer,
 * the reason of the signal, or a local error.
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
    // A callback of `connect` is called without a connection too, if there is no route, and then no error is emitted.
    socket.connect(server.port, server.address);
    socket.once('connect', () => {
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
 * Queries over TCP. A malformed or unrelated reply fails immediately, because only the server can have sent it.
 * Rejects like queryUdp.
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

interface OpenSocket {
  close(): void;
  /** Retransmits the query. */
  retransmit?(): void;
  /** A suffix for the timeout message. */
  hint(): string;
}

/** Opens a socket and settles once: with its reply, its fault, a timeout or an abort. Then closes it. */
function exchange<Result>(
  bounds: Bounds,
  server: Server,
  protocol: string,
  open: (settle: Settle<Result>) => OpenSocket,
): Promise<Result> {
  const { signal } = bounds;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<Result>((resolve, reject) => {
    const state: { opened?: OpenSocket; cancelTimer?: CancelTimer; isSettled: boolean } = {
      isSettled: false,
    };
    const finish = (conclude: () => void) => {
      if (state.isSettled) return;
      state.isSettled = true;
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
    if (state.isSettled) {
      opened.close();
      return;
    }
    const { clock, timeoutMs: waitMs } = bounds;
    const times = opened.retransmit === undefined ? [] : RETRANSMIT_AT_MS.filter((at) => at < waitMs);
    /** Waits for the next retransmission; after the last one, for the timeout. */
    const scheduleRetransmit = (waited: number, [at, ...later]: readonly number[]) => {
      state.cancelTimer = clock.timer((at ?? waitMs) - waited, () => {
        if (at === undefined) {
          const how = `within ${formatLongDuration(waitMs)} (${protocol})${opened.hint()}`;
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

/** Errors of this machine that say nothing about the target. */
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
