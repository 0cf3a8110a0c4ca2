/**
 * Starts TLS on a connection: rejects an invalid certificate unless the check accepts it, and reports its properties.
 */

import { isIP, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  type PeerCertificate,
  rootCertificates,
  type TLSSocket,
} from 'node:tls';
import { formatLongDuration } from '../../base/format-duration.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { errorCode, TargetFault } from '../network/fault.ts';
import type { ClientCertificate, RunContext } from '../types.ts';
import { tlsOptionsOf } from './client-certificates.ts';

const DAY_MS = 86_400_000;

export interface TlsFacts {
  /** `TLSv1.3` */
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly subject: string | null;
  readonly alternativeNames: string | null;
  readonly issuer: string | null;
  /** ISO 8601. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Whole days until it expires; negative after that. */
  readonly daysLeft: number | null;
  readonly fingerprint: string | null;
  readonly trusted: boolean;
  /** The problem of the certificate; null if there is none. */
  readonly problem: string | null;
}

export interface TlsConnection {
  readonly socket: TLSSocket;
  readonly facts: TlsFacts;
}

/** The certificate is invalid, and the check does not accept it. */
export class BadCertificate extends TargetFault {
  readonly facts: TlsFacts;

  constructor(host: string, facts: TlsFacts, code: string) {
    super('tls', `the certificate of ${host} cannot be trusted: ${facts.problem}`, code);
    this.facts = facts;
  }
}

interface TlsRequest {
  /** Accepts any certificate of the host. */
  readonly skipSsl?: boolean | undefined;
  /** Presented if the host asks for one. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** Maximum length of the list of names. */
const MAX_NAMES_LENGTH = 1000;

/** Starts TLS. Throws BadCertificate before the request is sent, or another TargetFault if the handshake fails. */
export async function startTls(
  socket: Socket,
  host: string,
  { skipSsl = false, clientCertificate }: TlsRequest,
  context: RunContext,
  deadline: Deadline,
): Promise<TlsConnection> {
  const options = { ALPNProtocols: ['http/1.1'], ...tlsOptionsOf(clientCertificate) };
  const tlsSocket = await shakeHands(socket, host, options, context, deadline);
  const facts = readTlsFacts(tlsSocket, context.clock.now());
  if (!tlsSocket.authorized && !skipSsl) {
    tlsSocket.destroy();
    throw new BadCertificate(host, facts, String(tlsSocket.authorizationError));
  }
  return { socket: tlsSocket, facts };
}

/** Completes a handshake that accepts any certificate; `host` is sent as the server name. Throws TargetFault if it fails. */
export function shakeHands(
  socket: Socket,
  host: string,
  options: ConnectionOptions,
  { ca = [] }: Pick<RunContext, 'ca'>,
  deadline: Deadline,
): Promise<TLSSocket> {
  const trusted = [ca, options.ca ?? []].flat();
  const timeoutError = () =>
    new TargetFault(
      'timeout',
      `${host} did not answer the TLS handshake within ${formatLongDuration(deadline.timeoutMs)}`,
      'ETIMEDOUT',
    );
  return withTimeout<TLSSocket>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const connecting = connect({
      socket,
      rejectUnauthorized: false,
      ...options,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(trusted.length === 0 ? {} : { ca: [...rootCertificates, ...trusted] }),
    });
    const onError = (error: Error) => settle.fail(toHandshakeFault(error, host));
    connecting.once('error', onError);
    connecting.once('secureConnect', () => {
      connecting.off('error', onError);
      connecting.on('error', () => {});
      settle.succeed(connecting);
    });
    return () => {
      connecting.on('error', () => {});
      connecting.destroy();
    };
  });
}

function toHandshakeFault(error: Error, host: string): TargetFault {
  const code = errorCode(error);
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return new TargetFault('closed', `${host} closed the connection during the TLS handshake`, code);
  // The message of OpenSSL contains its source location.
  const reason = (error as { reason?: string }).reason ?? error.message;
  const hint = code === 'ERR_SSL_WRONG_VERSION_NUMBER' ? ' (does the server speak TLS at this port?)' : '';
  return new TargetFault('tls', `the TLS handshake with ${host} failed: ${reason}${hint}`, code || null);
}

export function readTlsFacts(socket: TLSSocket, now: number): TlsFacts {
  const certificate = socket.getPeerCertificate() as Partial<PeerCertificate>;
  const validTo = parseDate(certificate.valid_to);
  const refusal = socket.authorized ? null : String(socket.authorizationError);
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.name ?? null,
    subject: formatName(certificate.subject),
    alternativeNames: certificate.subjectaltname?.slice(0, MAX_NAMES_LENGTH) ?? null,
    issuer: formatName(certificate.issuer),
    validFrom: parseDate(certificate.valid_from)?.toISOString() ?? null,
    validTo: validTo?.toISOString() ?? null,
    daysLeft: validTo ? Math.floor((validTo.getTime() - now) / DAY_MS) : null,
    fingerprint: certificate.fingerprint256 ?? null,
    trusted: socket.authorized,
    problem: refusal === null ? null : describeProblem(refusal, validTo),
  };
}

function describeProblem(code: string, validTo: Date | undefined): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `it expired on ${validTo?.toISOString().slice(0, 10)} (${code})`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `it is for a different name (${code})`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `it is self-signed, or its issuer is not trusted (${code})`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate chain is incomplete (${code})`;
    default:
      return code;
  }
}

/** Parses a date of a certificate. Returns undefined for a date that does not exist. */
export function parseDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** An organisation may have several names. */
function formatName(owner: Partial<PeerCertificate['issuer']> | undefined): string | null {
  const name = owner?.CN ?? owner?.O;
  return (Array.isArray(name) ? name[0] : name) ?? null;
}
