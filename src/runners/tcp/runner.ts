/** Runs a TCP check: connects, exchanges data, and evaluates the response. */

import type { AbortSignalLike } from '../../base/abort.ts';
import { formatLongDuration } from '../../base/format-duration.ts';
import { complete, incomplete } from '../assertions/observed.ts';
import type { Assertion } from '../core/assertion.ts';
import type { Expectations } from '../core/conclude.ts';
import { toExpectations } from '../core/conclude.ts';
import { InvalidCheck, type RunContext, type RunOutcome } from '../core/runner.ts';
import type { IpFamily } from '../network/addresses.ts';
import { parseHost } from '../network/addresses.ts';
import { type Connection, connectTo } from '../network/connect.ts';
import { roundMs, startDeadline } from '../network/deadline.ts';
import { formatEndpoint, TargetFault } from '../network/fault.ts';
import { tcpDataEvaluation, tcpEvaluation } from './evaluation.ts';
import { type EndOfWait, exchangeData, MAX_RESPONSE, type ReceivedData } from './exchange-data.ts';

/** The settings of a TCP check that the runner needs. */
export interface TcpCheck extends Expectations {
  readonly request: {
    readonly hostname: string;
    readonly port: number;
    /** Sent unchanged after connecting. */
    readonly data?: string | null;
    /** Default: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

/** Maximum number of response bytes that a result stores. */
const MAX_STORED = 64 * 1024;

/** Minimum timeout for connection and response, in ms, so that a late response is reported with its time. */
const MIN_TIMEOUT_MS = 10_000;

/**
 * Runs one attempt. Without assertions a connection passes. The response time ends with the last received byte, or
 * with the connection if nothing was received. Rejects with CannotRun if the check cannot run, and with the reason of
 * an aborted signal.
 */
export async function run(
  check: TcpCheck,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  const { hostname, port, data, ipFamily } = check.request;
  const assertions = check.request.assertions ?? [];
  const dataAssertions = assertions.filter(({ source }) => source === 'RESPONSE_DATA');
  const host = parseHost(hostname);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidCheck(`the port ${port} must be from 1 to 65535`);
  const deadline = startDeadline(context, signal, Math.max(MIN_TIMEOUT_MS, check.maxResponseTime ?? 0));
  const { clock } = context;
  const start = clock.monotonic();
  const request = { hostname, port, data: data ?? null, ipFamily: ipFamily ?? null };
  let connection: Connection | undefined;
  let received: ReceivedData | undefined;
  let fault: TargetFault | undefined;
  try {
    connection = await connectTo({ host, port, ipFamily: ipFamily ?? undefined }, context, deadline);
    const hasData = data !== undefined && data !== null && data !== '';
    if (hasData || dataAssertions.length > 0) {
      received = await exchangeData(
        connection.socket,
        {
          data: hasData ? Buffer.from(data) : undefined,
          endOfWait: planWait(dataAssertions, (part) =>
            context.evaluate(
              tcpDataEvaluation,
              { assertions: dataAssertions, response: part.toString('base64') },
              signal,
            ),
          ),
          name: formatEndpoint(connection.address, port),
        },
        deadline,
      );
    }
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  } finally {
    connection?.socket.destroy();
  }
  const lastByteMs = received !== undefined && received.response.length > 0 ? received.lastAt : undefined;
  const connectedAt = (connection?.lookupMs ?? 0) + (connection?.connectMs ?? 0);
  const total = roundMs(lastByteMs === undefined ? connectedAt : lastByteMs - start);
  const stored = received?.response.subarray(0, MAX_STORED);
  const isSilent = received !== undefined && received.response.length === 0;
  const evidence = {
    check: toExpectations(check),
    assertions,
    response: received && observeData(received, dataAssertions),
    total,
    fault: fault?.data,
    silence: isSilent ? describeSilence(received, connection, port, deadline.timeoutMs) : undefined,
    details: {
      request,
      response:
        received === undefined
          ? null
          : {
              data: stored?.toString('utf8'),
              bytes: stored?.length,
              isCut: received.response.length > MAX_STORED,
              isEnded: received.isEnded,
            },
      address: connection === undefined ? null : formatEndpoint(connection.address, port),
      timing: {
        dns: connection?.lookupMs == null ? null : roundMs(connection.lookupMs),
        connect: connection === undefined ? null : roundMs(connection.connectMs),
        data: lastByteMs === undefined ? null : roundMs(lastByteMs - start - connectedAt),
        total: fault === undefined ? total : null,
      },
      notes: connection?.notes ?? [],
      requestError: fault?.message ?? null,
      errorCode: fault?.code ?? null,
    },
  };
  return context.evaluate(tcpEvaluation, evidence, signal);
}

/** Returns the received bytes in base64. More data than was read could refute a negative assertion. */
function observeData({ response, isCut, isReset }: ReceivedData, assertions: readonly Assertion[]) {
  const bytes = response.toString('base64');
  if (isCut) return incomplete(bytes, `the target sent more than ${MAX_RESPONSE} bytes`);
  return isReset && assertions.some(isNegative)
    ? incomplete(bytes, 'the target reset the connection, so data may be missing')
    : complete(bytes);
}

/** Comparisons that more data can refute, so that they need the whole wait. */
const NEGATIVE = /^(?:NOT_(?!EMPTY|NULL)|IS_(?:EMPTY|NULL))/;
const isNegative = ({ comparison }: Assertion): boolean => NEGATIVE.test(comparison);

/**
 * Decides how long assertions need data. More data cannot refute that a text or a match occurs. It can refute other
 * positive assertions, which are evaluated at each pause.
 */
function planWait(
  assertions: readonly Assertion[],
  holds: (received: Buffer) => Promise<boolean>,
): EndOfWait {
  if (assertions.length === 0) return { at: 'pause' };
  const negatives = assertions.filter(isNegative);
  if (negatives.length > 0) return { at: 'end', isNegative: negatives.length === assertions.length };
  const isLasting = ({ comparison, regex }: Assertion) =>
    (comparison === 'CONTAINS' && (regex ?? '') === '') ||
    ((comparison === 'NOT_EMPTY' || comparison === 'NOT_NULL') && (regex ?? '') !== '');
  return { at: assertions.every(isLasting) ? 'proof' : 'holding pause', holds };
}

function describeSilence(
  received: ReceivedData | undefined,
  connected: Connection | undefined,
  port: number,
  waitMs: number,
): string {
  const name = formatEndpoint(connected?.address ?? '', port);
  return received?.isEnded
    ? `${name} closed the connection and sent nothing`
    : `${name} sent nothing within ${formatLongDuration(waitMs)}`;
}
