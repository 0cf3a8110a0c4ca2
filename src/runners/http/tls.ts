/**
 * Starts TLS on a connection: rejects an invalid certificate unless the check accepts it, and reports its properties.
 */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate, RunContext } from '../core/runner.ts';
import type { Deadline } from '../network/deadline.ts';
import { TargetFault } from '../network/fault.ts';
import { type CertificateSummary, daysLeftOf, summarizeCertificate } from '../tls/certificate.ts';
import { EndWatch } from '../tls/end-watch.ts';
import { type Presented, shakeHands } from '../tls/handshake.ts';
import { type Examination, examine, formatProblems } from '../tls/problems.ts';
import { tlsOptionsOf } from './client-certificates.ts';

export interface TlsFacts extends Omit<CertificateSummary, 'fingerprint'> {
  /** `TLSv1.3` */
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly alternativeNames: string | null;
  readonly fingerprint: string | null;
  /** Whole days until the certificate, or an issuer on its verified path, expires; negative after that. */
  readonly daysLeft: number | null;
  /** The certificate that expires first: this one, or an issuer on its verified path. */
  readonly expiresFirst: CertificateSummary | null;
  readonly trusted: boolean;
  /** The problems of the certificate; null if there are none. */
  readonly problem: string | null;
}

export interface TlsConnection {
  readonly socket: TLSSocket;
  readonly facts: TlsFacts;
  /** Returns whether the connection ended with a close_notify alert, so that nobody has cut it. */
  readonly hasEndAlert: () => boolean;
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
  const end = new EndWatch(socket);
  const { socket: tlsSocket, presented } = await shakeHands(end, host, options, context, deadline);
  end.watch(tlsSocket);
  const now = context.clock.now();
  const examination = examine(presented, host, now);
  const facts = toTlsFacts(presented, examination, now);
  if (facts.problem !== null && !skipSsl) {
    tlsSocket.destroy();
    throw new BadCertificate(host, facts, problemCodeOf(examination));
  }
  return { socket: tlsSocket, facts, hasEndAlert: () => end.isAnnounced };
}

const problemCodeOf = (examination: Examination | undefined): string =>
  examination?.refusal ??
  (examination?.isNameRight === false ? 'ERR_TLS_CERT_ALTNAME_INVALID' : 'CERT_HAS_EXPIRED');

function toTlsFacts(
  { protocol, cipher }: Presented,
  examination: Examination | undefined,
  now: number,
): TlsFacts {
  const problem = formatProblems(examination);
  const { subject, issuer, validFrom, validTo, fingerprint } = {
    ...NO_CERTIFICATE,
    ...(examination && summarizeCertificate(examination.leaf)),
  };
  return {
    protocol,
    cipher: cipher?.name ?? null,
    subject,
    alternativeNames: examination?.leaf.subjectAltName?.slice(0, MAX_NAMES_LENGTH) ?? null,
    issuer,
    validFrom,
    validTo,
    daysLeft: examination ? daysLeftOf(examination.expiresFirst, now) : null,
    fingerprint,
    expiresFirst: examination ? summarizeCertificate(examination.expiresFirst) : null,
    trusted: problem === null,
    problem,
  };
}

const NO_CERTIFICATE = { subject: null, issuer: null, validFrom: null, validTo: null, fingerprint: null };
