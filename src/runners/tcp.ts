/** Runs a TCP check: connects, says what there is to say, and judges what comes back. */
import type { AbortSignalLike } from '../base/fast-abort-controller.ts';
import type { Assertion } from './assertions/types.ts';
import type { IpFamily } from './network/addresses.ts';
import { type Connection, connectTo } from './network/connect.ts';
import { startDeadline, roundMs } from './network/deadline.ts';
import { formatEndpoint, TargetFault } from './network/fault.ts';
import { parseHost } from './network/parse-host.ts';
import { type Said, talk } from './tcp/exchange-data.ts';
import { tcpEvaluation } from './tcp/evaluation.ts';
import { CannotRun, type RunContext, type RunOutcome } from './types.ts';
import type { Expectations } from './conclude.ts';
import { expectationsOf } from './conclude.ts';

/** What the runner needs of a TCP check. */
export interface TcpCheck extends Expectations {
  readonly request: {
    readonly hostname: string;
    readonly port: number;
    /** Sent as it is once the connection stands. */
    readonly data?: string | null;
    /** Left out: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

/** The least that is waited for a connection and an answer, in ms: a late answer is told from none. */
const WAIT_MS = 10_000;

/**
 * Runs one attempt. Without assertions a connection passes. The response time ends with the connection where nothing comes
 * back, else with the last byte that did. Rejects with CannotRun where the check cannot be run, and with the signal's
 * reason once aborted.
 */
export async function run(check: TcpCheck, context: RunContext, signal: AbortSignalLike): Promise<RunOutcome> {
  const { hostname, port, data, ipFamily } = check.request;
  const assertions = check.request.assertions ?? [];
  const ofData = assertions.filter(({ source }) => source === 'RESPONSE_DATA');
  const host = parseHost(hostname);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CannotRun(`invalid port ${port}: ports are numbers from 1 to 65535`);
  const deadline = startDeadline(context, signal, Math.max(WAIT_MS, check.maxResponseTime ?? 0));
  const { clock } = context;
  const start = clock.monotonic();
  const request = { hostname, port, data: data ?? null, ipFamily: ipFamily ?? null };
  let connected: Connection | undefined;
  let said: Said | undefined;
  let fault: TargetFault | undefined;
  try {
    connected = await connectTo({ host, port, ipFamily: ipFamily ?? undefined }, context, deadline);
    const hasData = data !== undefined && data !== null && data !== '';
    if (hasData || ofData.length > 0) {
      said = await talk(
        connected.socket,
        {
          data: hasData ? Buffer.from(data) : undefined,
          expectsAnswer: ofData.length > 0,
          enough: targetsOf(ofData),
          name: formatEndpoint(connected.address, port),
        },
        deadline,
      );
    }
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  } finally {
    connected?.socket.destroy();
  }
  const ended = said !== undefined && said.response.length > 0 ? said.lastAt : undefined;
  const connectedAt = (connected?.lookupMs ?? 0) + (connected?.connectMs ?? 0);
  const total = roundMs(ended === undefined ? connectedAt : ended - start);
  const response = said?.response.toString('utf8');
  const isSilent = said !== undefined && said.response.length === 0;
  const evidence = {
    ...{ check: expectationsOf(check), assertions, response, total, fault: fault?.data },
    silence: isSilent ? silence(said, connected, port, deadline.timeoutMs) : undefined,
    details: {
      request,
      response:
        said === undefined
          ? null
          : { data: response, bytes: said.response.length, isCut: said.isCut, isEnded: said.isEnded },
      address: connected === undefined ? null : formatEndpoint(connected.address, port),
      timing: {
        dns: connected?.lookupMs == null ? null : roundMs(connected.lookupMs),
        connect: connected === undefined ? null : roundMs(connected.connectMs),
        data: ended === undefined ? null : roundMs(ended - start - connectedAt),
        total: fault === undefined ? total : null,
      },
      notes: connected?.notes ?? [],
      requestError: fault?.message ?? null,
      errorCode: fault?.code ?? null,
    },
  };
  return context.evaluate(tcpEvaluation, evidence, signal);
}

/** The targets that the answer must contain, where nothing that follows them can change the verdict; undefined: it must be read whole. */
function targetsOf(ofData: readonly Assertion[]): readonly Buffer[] | undefined {
  const isPlain = ({ comparison, regex }: Assertion) => comparison === 'CONTAINS' && (regex ?? '') === '';
  return ofData.length > 0 && ofData.every(isPlain)
    ? ofData.map(({ target }) => Buffer.from(target ?? ''))
    : undefined;
}

function silence(
  said: Said | undefined,
  connected: Connection | undefined,
  port: number,
  waitMs: number,
): string {
  const name = formatEndpoint(connected?.address ?? '', port);
  return said?.isEnded
    ? `${name} closed the connection and sent nothing`
    : `${name} sent nothing within ${waitMs} ms`;
}
