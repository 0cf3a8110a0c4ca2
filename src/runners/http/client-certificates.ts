/** Selects the client certificate for a host (mutual TLS), and explains why a host rejects it or misses one. */
import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { CannotRun, type ClientCertificate, type RunContext } from '../core/runner.ts';
import { TargetFault } from '../network/fault.ts';
import { alertOf, formatAlert, meansMissingCertificate } from '../network/tls-errors.ts';
import { HandshakeFault } from '../tls/handshake.ts';

/** Reads the certificates that a run may present. Throws CannotRun if that fails. */
export async function readClientCertificates({
  clientCertificates,
}: Pick<RunContext, 'clientCertificates'>): Promise<readonly ClientCertificate[]> {
  try {
    return (await clientCertificates?.()) ?? [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CannotRun(`the client certificates of the account cannot be read: ${reason}`);
  }
}

/**
 * Returns the certificate for a host. An exact name takes precedence over a wildcard, a longer wildcard over a shorter
 * one, and the first in the list over others with the same name.
 */
export function findClientCertificate(
  certificates: readonly ClientCertificate[],
  host: string,
): ClientCertificate | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  let best: ClientCertificate | undefined;
  for (const certificate of certificates) {
    if (!matchesHost(certificate.host, name)) continue;
    if (best === undefined || precedence(certificate) > precedence(best)) best = certificate;
  }
  return best;
}

/** `*.example.com` matches `api.example.com` and `eu.api.example.com`, but not `example.com`. */
const matchesHost = (pattern: string, name: string): boolean =>
  pattern.startsWith('*.')
    ? name.endsWith(pattern.slice(1)) && name.length >= pattern.length
    : name === pattern;

const precedence = ({ host }: ClientCertificate): number =>
  host.startsWith('*.') ? host.length : Number.POSITIVE_INFINITY;

/** Returns the options that present a certificate. */
export const tlsOptionsOf = (certificate: ClientCertificate | undefined): ConnectionOptions =>
  certificate === undefined
    ? {}
    : {
        cert: certificate.cert,
        key: certificate.key,
        ...(certificate.ca ? { ca: certificate.ca } : {}),
      };

const CLOSED = ['ECONNRESET', 'EPIPE'];

/**
 * Returns the fault of a TLS connection with an explanation, if the host requires a client certificate or may have rejected
 * the presented one. `now`: ms since the epoch.
 */
export function explainRejection(
  fault: TargetFault,
  host: string,
  presented: ClientCertificate | undefined,
  now: number,
): TargetFault {
  const code = fault.code ?? '';
  const explained = (reason: TargetFault['reason'], message: string): TargetFault => {
    const explanation = new TargetFault(reason, message, fault.code);
    explanation.lastEndpoint = fault.lastEndpoint;
    return explanation;
  };
  if (presented === undefined) {
    // A handshake may also fail with these alerts before the server asks for a certificate.
    const isMissing =
      fault instanceof HandshakeFault ? fault.presented !== undefined : meansMissingCertificate(code);
    return isMissing
      ? explained(
          'tls',
          `${host} requires a client certificate, and no client certificate of the account is for this host`,
        )
      : fault;
  }
  const name = `the client certificate for ${presented.host}${describeValidity(presented, now)}`;
  const alert = alertOf(code);
  if (alert !== undefined) return explained('tls', `${host} rejected ${name}: ${formatAlert(alert)}`);
  if (CLOSED.includes(code)) return explained(fault.reason, `${fault.message}; it may have rejected ${name}`);
  return fault;
}

/** Returns `, which expired on 2026-01-01`, or an empty text for a certificate that is valid now. */
function describeValidity({ cert }: ClientCertificate, now: number): string {
  const { validFrom, validTo } = new X509Certificate(cert);
  const day = (text: string) => new Date(text).toISOString().slice(0, 10);
  if (Date.parse(validTo) < now) return `, which expired on ${day(validTo)}`;
  return Date.parse(validFrom) > now ? `, which is not valid before ${day(validFrom)}` : '';
}
