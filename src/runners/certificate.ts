/** Inspects the TLS certificate of a domain: its validity and trust. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { RunContext } from './types.ts';
import { CannotRun } from './types.ts';

const DAY_MS = 86_400_000;
const HTTPS = 443;
/** Timeout, in ms. */
const TIMEOUT_MS = 10_000;

export interface CertificateReport {
  readonly domain: string;
  /** ISO 8601; null without a certificate. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Whole days until it expires; negative after that. */
  readonly daysLeft: number | null;
  readonly issuer: string | null;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string | null;
  readonly trusted: boolean;
  /** The problem of the certificate; null if there is none. */
  readonly problem: string | null;
}

export interface CertificateInspection {
  readonly report: CertificateReport;
  /** True if the network failed, so that the certificate is unknown. */
  readonly isNetworkError: boolean;
}

export interface CertificateOptions {
  /** Additional trusted certificates (PEM). */
  readonly ca?: readonly string[] | undefined;
}

/**
 * Inspects the certificate of `domain` (`example.com`, optionally with a port). Resolves also for an invalid or
 * missing certificate; throws CannotRun if the domain is invalid or denied.
 */
export async function inspectCertificate(
  domain: string,
  { clock, denyAddress }: Pick<RunContext, 'clock' | 'denyAddress'>,
  signal: AbortSignal,
  { ca }: CertificateOptions = {},
): Promise<CertificateInspection> {
  const { host, port } = parseDomain(domain);
  const none = {
    domain,
    validFrom: null,
    validTo: null,
    daysLeft: null,
    issuer: null,
    fingerprint: null,
    trusted: false,
  };
  let address: string;
  try {
    address = isIP(host) ? host : (await lookup(host)).address;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { report: { ...none, problem: `${host} has no address (${code})` }, isNetworkError: true };
  }
  const denial = denyAddress?.(address);
  if (denial !== undefined) throw new CannotRun(`the certificate of ${domain} cannot be checked: ${denial}`);
  try {
    const { certificate, refusal } = await fetchCertificate({ host, address, port, ca, signal });
    const validTo = Date.parse(certificate.valid_to);
    const daysLeft = Math.floor((validTo - clock.now()) / DAY_MS);
    const problem =
      validTo <= clock.now()
        ? `expired on ${formatDay(validTo)}`
        : refusal === undefined
          ? null
          : `cannot be trusted: ${refusal}`;
    return {
      report: {
        domain,
        validFrom: new Date(certificate.valid_from).toISOString(),
        validTo: new Date(validTo).toISOString(),
        daysLeft,
        issuer: formatName(certificate.issuer),
        fingerprint: certificate.fingerprint256,
        trusted: refusal === undefined,
        problem,
      },
      isNetworkError: false,
    };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { report: { ...none, problem: `could not be fetched: ${reason}` }, isNetworkError: true };
  }
}

/** An organisation may have several names. */
function formatName(issuer: PeerCertificate['issuer'] | undefined): string | null {
  const name = issuer?.O ?? issuer?.CN;
  return (Array.isArray(name) ? name[0] : name) ?? null;
}

const formatDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

function parseDomain(domain: string): { host: string; port: number } {
  const [, host = '', digits] = /^([\w.-]+?|\[[\da-f:]+\])\.?(?::(\d{1,5}))?$/i.exec(domain.trim()) ?? [];
  const port = digits === undefined ? HTTPS : Number(digits);
  if (host === '' || port < 1 || port > 65_535)
    throw new CannotRun(`sslCheckDomain must be a domain such as example.com, not "${domain}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

interface FetchOptions {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly ca: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Returns the certificate, and why it is not trusted. */
function fetchCertificate({ host, address, port, ca, signal }: FetchOptions) {
  return new Promise<{ certificate: PeerCertificate; refusal: string | undefined }>((resolve, reject) => {
    const socket: TLSSocket = connect({
      host: address,
      port,
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
      // The name is sent and verified; addresses have none.
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca: [...ca] }),
    });
    const end = (act: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      act();
    };
    const onAbort = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', (error) => end(() => reject(error)));
    socket.once('timeout', () => end(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`))));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      const refusal = socket.authorized ? undefined : String(socket.authorizationError);
      end(() =>
        certificate.valid_to === undefined
          ? reject(new Error('the server presented no certificate'))
          : resolve({ certificate, refusal }),
      );
    });
  });
}
