/** Inspects the TLS certificate of a domain: its validity and trust. */

import type { AbortSignalLike } from '../../base/abort.ts';
import type { RunContext } from '../core/runner.ts';
import { CannotRun } from '../core/runner.ts';
import { connectTo } from '../network/connect.ts';
import { startDeadline } from '../network/deadline.ts';
import { TargetFault } from '../network/fault.ts';
import { type CertificateSummary, daysLeftOf, summarizeCertificate } from './certificate.ts';
import { shakeHands } from './handshake.ts';
import { examine, formatProblems } from './problems.ts';

const HTTPS = 443;
/** Timeout, in ms. */
const TIMEOUT_MS = 10_000;

export interface CertificateReport {
  readonly domain: string;
  readonly subject: string | null;
  /** ISO 8601; null without a certificate. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Whole days until the certificate, or an issuer on its verified path, expires; negative after that. */
  readonly daysLeft: number | null;
  readonly issuer: string | null;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string | null;
  /** The certificate that expires first: this one, or an issuer on its verified path. */
  readonly expiresFirst: CertificateSummary | null;
  readonly trusted: boolean;
  /** The problems of the certificate; null if there are none. */
  readonly problem: string | null;
}

export interface CertificateInspection {
  readonly report: CertificateReport;
  /** True if the network failed, so that the certificate is unknown. */
  readonly isNetworkError: boolean;
}

/**
 * Inspects the certificate of `domain` (`example.com`, optionally with a port). Resolves also for an invalid or
 * missing certificate; throws CannotRun if the domain is invalid or denied.
 */
export async function inspectCertificate(
  domain: string,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<CertificateInspection> {
  const { host, port } = parseDomain(domain);
  const deadline = startDeadline(context, signal, TIMEOUT_MS);
  try {
    const { socket } = await connectTo({ host, port }, context, deadline);
    try {
      const { presented, socket: tlsSocket } = await shakeHands(socket, host, {}, context, deadline);
      tlsSocket.destroy();
      const now = context.clock.now();
      const examination = examine(presented, host, now);
      const problem = formatProblems(examination);
      if (examination === undefined) return toInspection({ domain, problem });
      const { leaf, expiresFirst } = examination;
      return toInspection({
        domain,
        ...summarizeCertificate(leaf),
        daysLeft: daysLeftOf(expiresFirst, now),
        expiresFirst: summarizeCertificate(expiresFirst),
        trusted: problem === null,
        problem,
      });
    } finally {
      socket.destroy();
    }
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    return toInspection({ domain, problem: error.message }, error.isNetwork);
  }
}

type Known = Pick<CertificateReport, 'domain' | 'problem'> & Partial<CertificateReport>;

const toInspection = (known: Known, isNetworkError = false): CertificateInspection => ({
  report: {
    ...{ subject: null, validFrom: null, validTo: null, daysLeft: null, issuer: null, fingerprint: null },
    ...{ expiresFirst: null, trusted: false },
    ...known,
  },
  isNetworkError,
});

function parseDomain(domain: string): { host: string; port: number } {
  const [, host = '', digits] = /^([\w.-]+?|\[[\da-f:]+\])\.?(?::(\d{1,5}))?$/i.exec(domain.trim()) ?? [];
  const port = digits === undefined ? HTTPS : Number(digits);
  if (host === '' || port < 1 || port > 65_535)
    throw new CannotRun(`sslCheckDomain must be a domain such as example.com, not "${domain}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port };
}
