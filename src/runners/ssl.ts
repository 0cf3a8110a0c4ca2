/** Runs an SSL check: connects, completes a TLS handshake, and examines the certificate. */
import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import type { AbortSignalLike } from '../base/abort.ts';
import type { Assertion } from './assertions/types.ts';
import { type Expectations, toExpectations } from './conclude.ts';
import { parseDate, shakeHands } from './http/tls.ts';
import type { IpFamily } from './network/addresses.ts';
import { parseHost } from './network/addresses.ts';
import { type Connection, connectTo } from './network/connect.ts';
import { roundMs, startDeadline } from './network/deadline.ts';
import { formatEndpoint, TargetFault } from './network/fault.ts';
import { type CertificateFacts, type SslResponse, sslEvaluation } from './ssl/evaluation.ts';
import { CannotRun, type RunContext, type RunOutcome } from './types.ts';

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
    };
    readonly assertions?: readonly Assertion[] | null;
  };
}

const HTTPS = 443;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_ALERT_DAYS = 20;
const DAY_MS = 86_400_000;
/** Maximum number of certificates in a result, because servers choose what they send. */
const MAX_CHAIN = 10;
/** Maximum number of names of a certificate in a result. */
const MAX_NAMES = 100;

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
  const serverName = toAscii(parseHost(sslConfig.serverName ?? hostname));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CannotRun(`invalid port ${port}: ports are numbers from 1 to 65535`);
  const deadline = startDeadline(context, signal, sslConfig.handshakeTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  let connection: Connection | undefined;
  let socket: Socket | undefined;
  let response: SslResponse | undefined;
  let fault: TargetFault | undefined;
  try {
    connection = await connectTo({ host, port, ipFamily: ipFamily ?? undefined }, context, deadline);
    socket = connection.socket;
    const start = context.clock.monotonic();
    // The name is verified separately, so that the chain and the name have results of their own.
    const tls = await shakeHands(
      connection.socket,
      serverName,
      { checkServerIdentity: () => undefined },
      context,
      deadline,
    );
    socket = tls;
    const handshakeTimeMs = roundMs(context.clock.monotonic() - start);
    response = readResponse(tls, serverName, connection.address, handshakeTimeMs, context.clock.now());
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  } finally {
    socket?.destroy();
  }
  const evidence = {
    check: toExpectations(check),
    assertions: assertions ?? [],
    fault: fault?.data,
    response,
    serverName,
    skipChainValidation,
    alertDaysBeforeExpiry: sslConfig.alertDaysBeforeExpiry ?? DEFAULT_ALERT_DAYS,
    now: context.clock.now(),
    notes: connection?.notes ?? [],
    details: {
      request: { sslConfig: { ...sslConfig, port, serverName } },
      response: response ?? null,
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

/** Returns the form of an international name that certificates contain. */
const toAscii = (name: string): string => (isIP(name) ? name : domainToASCII(name) || name);

const hasDates = ({ valid_from, valid_to }: DetailedPeerCertificate): boolean =>
  parseDate(valid_from) !== undefined && parseDate(valid_to) !== undefined;

function readResponse(
  socket: TLSSocket,
  serverName: string,
  resolvedIp: string,
  handshakeTimeMs: number,
  now: number,
): SslResponse {
  const leaf = socket.getPeerCertificate(true);
  if (leaf.valid_to === undefined) throw new TargetFault('tls', `${serverName} presented no certificate`);
  if (!hasDates(leaf)) throw new TargetFault('tls', `the certificate of ${serverName} has an invalid date`);
  const chain: CertificateFacts[] = [];
  const seen = new Set<string>();
  let next: DetailedPeerCertificate | undefined = leaf;
  while (
    next?.valid_to !== undefined &&
    hasDates(next) &&
    !seen.has(next.fingerprint256) &&
    chain.length < MAX_CHAIN
  ) {
    seen.add(next.fingerprint256);
    chain.push(describeCertificate(next, now));
    next = next.issuerCertificate;
  }
  const certificate = describeCertificate(leaf, now);
  const x509 = socket.getPeerX509Certificate();
  const refusal = socket.authorized ? null : String(socket.authorizationError);
  const nameProblem = checkServerIdentity(serverName, leaf);
  return {
    resolvedIp,
    tlsVersion: socket.getProtocol()?.replace('TLSv', 'TLS') ?? null,
    cipherSuite: socket.getCipher()?.standardName ?? null,
    handshakeTimeMs,
    hostnameVerified: nameProblem === undefined,
    chainTrusted: refusal === null,
    chainTrustReason: refusal,
    daysUntilExpiry: certificate.daysUntilExpiry,
    certificate: { ...certificate, isCA: x509?.ca ?? null },
    chain: chain.slice(1),
  };
}

function describeCertificate(certificate: DetailedPeerCertificate, now: number): CertificateFacts {
  const { subject, issuer, subjectaltname = '', serialNumber, fingerprint256, bits } = certificate;
  const validTo = Date.parse(certificate.valid_to);
  return {
    subjectCN: formatName(subject),
    issuerCN: formatName(issuer),
    sans: subjectaltname
      .split(', ')
      .slice(0, MAX_NAMES)
      .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
      .filter((name) => name !== ''),
    serialNumber,
    fingerprintSha256: fingerprint256,
    issuerFingerprintSha256: certificate.issuerCertificate?.fingerprint256 ?? null,
    validFrom: new Date(certificate.valid_from).toISOString(),
    validTo: new Date(validTo).toISOString(),
    daysUntilExpiry: Math.floor((validTo - now) / DAY_MS),
    keyAlgorithm: certificate.modulus !== undefined ? 'RSA' : certificate.asn1Curve ? 'ECDSA' : null,
    keySizeBits: bits ?? null,
    selfSigned: certificate.issuerCertificate?.fingerprint256 === fingerprint256,
  };
}

/** Returns the common name, or else the organisation. An organisation may have several names. */
function formatName(owner: Partial<DetailedPeerCertificate['issuer']> | undefined): string | null {
  const name = owner?.CN ?? owner?.O;
  return (Array.isArray(name) ? name[0] : name) ?? null;
}
