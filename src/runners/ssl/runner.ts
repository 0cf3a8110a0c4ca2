/** Runs an SSL check: connects, completes a TLS handshake, and examines the certificate. */
import type { Socket } from 'node:net';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { SecurityBaseline } from '../../contract/security-baseline.ts';
import type { Assertion } from '../core/assertion.ts';
import { type Expectations, toExpectations } from '../core/conclude.ts';
import { InvalidCheck, type RunContext, type RunOutcome } from '../core/runner.ts';
import type { IpFamily } from '../network/addresses.ts';
import { parseHost } from '../network/addresses.ts';
import { type Connection, connectTo } from '../network/connect.ts';
import { type Deadline, roundMs, startDeadline } from '../network/deadline.ts';
import { formatEndpoint, TargetFault } from '../network/fault.ts';
import { expiryOf } from '../tls/certificate.ts';
import { HandshakeFault, type HandshakeOptions, type Presented, shakeHands } from '../tls/handshake.ts';
import { normalizeServerName } from '../tls/names.ts';
import { describeCertificate, type Examination, examine } from '../tls/problems.ts';
import { activeRulesOf, type BaselineFinding, judgeBaseline, needsStaple } from './baseline.ts';
import { sslEvaluation } from './evaluation.ts';
import { type SslResponse, toResponse, toStoredResponse } from './response.ts';

/** The settings of an SSL check that the runner needs. */
export interface SslCheck extends Expectations {
  readonly request: {
    readonly sslConfig: {
      readonly hostname: string;
      /** Default: 443. */
      readonly port?: number | null;
      /** Default: the host. */
      readonly serverName?: string | null;
      readonly ipFamily?: IpFamily | null;
      readonly skipChainValidation?: boolean;
      readonly handshakeTimeoutMs?: number;
      readonly alertDaysBeforeExpiry?: number;
      /** Default: no rules. */
      readonly securityBaseline?: SecurityBaseline;
    };
    readonly assertions?: readonly Assertion[] | null;
  };
}

const HTTPS = 443;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_ALERT_DAYS = 20;

/**
 * Runs one attempt. It passes if the certificate is valid now, for the server name, and trusted. The response time is
 * the duration of the handshake. Rejects with CannotRun if the check cannot run, and with the reason of an aborted signal.
 */
export async function run(
  check: SslCheck,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  const { sslConfig, assertions } = check.request;
  const { hostname, ipFamily, skipChainValidation = false } = sslConfig;
  const port = sslConfig.port ?? HTTPS;
  const host = parseHost(hostname);
  const serverName = normalizeServerName(parseHost(sslConfig.serverName ?? hostname));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidCheck(`the port ${port} must be from 1 to 65535`);
  const rules = activeRulesOf(sslConfig.securityBaseline);
  const deadline = startDeadline(context, signal, sslConfig.handshakeTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  let connection: Connection | undefined;
  let examination: Examination | undefined;
  let response: SslResponse | undefined;
  let baseline: readonly BaselineFinding[] = [];
  let fault: TargetFault | undefined;
  let now = context.clock.now();
  const notes: string[] = [];
  try {
    connection = await connectTo({ host, port, ipFamily: ipFamily ?? undefined }, context, deadline);
    notes.push(...connection.notes);
    const start = context.clock.monotonic();
    const options = needsStaple(rules) ? { requestOCSP: true } : {};
    const presented = await present(connection.socket, serverName, options, context, deadline, notes);
    const handshakeTimeMs = roundMs(context.clock.monotonic() - start);
    now = context.clock.now();
    examination = examine(presented, serverName, now);
    if (examination === undefined) throw new TargetFault('tls', `${serverName} presented no certificate`);
    response = toResponse(presented, examination, connection.address, handshakeTimeMs, now);
    baseline = judgeBaseline(rules, { presented, examination, now });
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  } finally {
    connection?.socket.destroy();
  }
  const evidence = {
    check: toExpectations(check),
    assertions: assertions ?? [],
    fault: fault?.data,
    response,
    ...(examination === undefined ? {} : judge(examination, skipChainValidation)),
    baseline,
    alertDaysBeforeExpiry: sslConfig.alertDaysBeforeExpiry ?? DEFAULT_ALERT_DAYS,
    now,
    notes,
    details: {
      request: { sslConfig: { ...sslConfig, port, serverName } },
      response: response === undefined ? null : toStoredResponse(response),
      ...(baseline.length === 0 ? {} : { securityBaseline: baseline }),
      address: connection === undefined ? null : formatEndpoint(connection.address, port),
      timing: {
        dns: connection?.lookupMs == null ? null : roundMs(connection.lookupMs),
        connect: connection === undefined ? null : roundMs(connection.connectMs),
        tls: response?.handshakeTimeMs ?? null,
        total:
          connection === undefined || response === undefined
            ? null
            : roundMs((connection.lookupMs ?? 0) + connection.connectMs + response.handshakeTimeMs),
      },
      requestError: fault?.message ?? null,
      errorCode: fault?.code ?? null,
    },
  };
  return context.evaluate(sslEvaluation, evidence, signal);
}

/** Returns what the server presented. A server that ends the handshake only for want of a client certificate counts. */
async function present(
  socket: Socket,
  serverName: string,
  options: HandshakeOptions,
  context: RunContext,
  deadline: Deadline,
  notes: string[],
): Promise<Presented> {
  try {
    const { socket: tlsSocket, presented } = await shakeHands(socket, serverName, options, context, deadline);
    tlsSocket.destroy();
    return presented;
  } catch (error) {
    if (!(error instanceof HandshakeFault) || error.presented === undefined) throw error;
    notes.push('the server requires a client certificate, and SSL checks present none');
    return error.presented;
  }
}

/** Returns what is wrong, and which certificate expires first. Without validation of the chain only the leaf counts. */
function judge(examination: Examination, skipChainValidation: boolean) {
  const { leaf, path, expiresFirst, ownProblems, chainProblems } = examination;
  const counted = skipChainValidation ? leaf : expiresFirst;
  return {
    problems: skipChainValidation ? ownProblems : [...ownProblems, ...chainProblems],
    expiry: { certificate: describeCertificate(path, counted), at: expiryOf(counted) },
  };
}
