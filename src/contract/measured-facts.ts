/** Reads what a result measured from its details, which an agent may have written: the phases, and the certificate that expires first. */

import { isObject, type JsonObject } from '../base/object.ts';
import { isUrl } from '../base/parse-url.ts';

export interface CheckCertificate {
  /** `example.com`, with the port unless it is 443. */
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string;
  /** Name of the certificate if it is that of an issuer, which expires before the host's own. */
  readonly authority?: string;
}

/** A certificate with the names that it contains. */
export interface NamedCertificate extends CheckCertificate {
  readonly subject: string | null;
  readonly issuer: string | null;
}

/** Milliseconds by phase, in the order of the phases. */
export type CheckPhases = Readonly<Record<string, number>>;

/** The phases of all check types. A DNS check measures `query`, an ICMP check `roundTrip`, a TCP check `data`. */
const PHASES = ['dns', 'connect', 'tls', 'firstByte', 'download', 'data', 'query', 'roundTrip'] as const;

const MAX_HOST_LENGTH = 260;
const HTTPS_PORT = /:443$/;
const FINGERPRINT = /^[\dA-F]{2}(?::[\dA-F]{2}){31}$/;

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns the milliseconds of each phase that the result measured; null if there are none. */
export function phasesOf(details: JsonObject): CheckPhases | null {
  const { lookup, total } = asObject(asObject(details.dns).timing);
  const measured: JsonObject = {
    ...asObject(details.timing),
    ...(details.dns === undefined ? {} : { dns: lookup, query: total }),
    roundTrip: asObject(asObject(details.response).latency).avg,
  };
  const phases = PHASES.flatMap((name) => {
    const ms = measured[name];
    return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? [[name, ms] as const] : [];
  });
  return phases.length === 0 ? null : Object.fromEntries(phases);
}

/** Returns the certificate that expires first, without its names; null if the target presented none. */
export function certificateOf(details: JsonObject): CheckCertificate | null {
  const certificate = namedCertificateOf(details);
  if (certificate === null) return null;
  const { subject: _, issuer: __, ...unnamed } = certificate;
  return unnamed;
}

/** Returns the certificate that expires first; null if the target presented none. */
export function namedCertificateOf(details: JsonObject): NamedCertificate | null {
  const { tls, redirects, response, request, sslCheck } = details;
  const hops = Array.isArray(redirects) ? redirects.map(asObject) : [];
  const { serverName, port } = asObject(asObject(request).sslConfig);
  const { certificate, expiresFirst } = asObject(response);
  const { domain, ...inspected } = asObject(sslCheck);
  const candidates = [
    ofPath(asObject(tls)),
    ...hops.map((hop) => ({ ...ofPath(asObject(hop.tls)), host: hostOf(hop.url) })),
    {
      ...ofPath({ ...fromSslCheck(certificate), expiresFirst: fromSslCheck(expiresFirst) }),
      host: `${serverName}:${port}`,
    },
    { ...ofPath(inspected), host: domain },
  ];
  return candidates
    .flatMap(toCertificate)
    .reduce<NamedCertificate | null>(
      (first, one) => (first === null || one.expiresAt < first.expiresAt ? one : first),
      null,
    );
}

/** Returns the certificate of the verified path that expires first. Older agents report only that of the server. */
const ofPath = (facts: JsonObject): JsonObject => ({
  ...facts,
  ...asObject(facts.expiresFirst),
  ownFingerprint: facts.fingerprint,
});

/** Returns the facts of an SSL check under the names of other checks. */
function fromSslCheck(facts: unknown): JsonObject {
  const { validTo, fingerprintSha256, subjectCN, issuerCN } = asObject(facts);
  if (validTo === undefined) return {};
  return { validTo, fingerprint: fingerprintSha256, subject: subjectCN, issuer: issuerCN };
}

const hostOf = (url: unknown): string | undefined =>
  typeof url === 'string' && isUrl(url) ? new URL(url).host : undefined;

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function toCertificate({
  host,
  validTo,
  fingerprint,
  subject,
  issuer,
  ownFingerprint,
}: JsonObject): readonly NamedCertificate[] {
  const expiresAt = typeof validTo === 'string' ? Date.parse(validTo) : Number.NaN;
  if (typeof host !== 'string' || host === '' || host.length > MAX_HOST_LENGTH) return [];
  if (typeof fingerprint !== 'string' || !FINGERPRINT.test(fingerprint) || Number.isNaN(expiresAt)) return [];
  const names = { subject: textOf(subject), issuer: textOf(issuer) };
  const authority =
    ownFingerprint === fingerprint ? {} : { authority: names.subject ?? names.issuer ?? fingerprint };
  return [{ host: host.replace(HTTPS_PORT, ''), expiresAt, fingerprint, ...authority, ...names }];
}
