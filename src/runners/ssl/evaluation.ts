/** Evaluates the certificate of an SSL check: validity, name, trust, and assertions. */
import { plural } from '../../base/plural.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import type { Assertion, JsonValue, Subject } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import { conclude, type Expectations, withNote } from '../conclude.ts';
import type { FaultData } from '../network/fault.ts';
import type { Evaluation, RunOutcome } from '../types.ts';

export interface CertificateFacts {
  readonly subjectCN: string | null;
  readonly issuerCN: string | null;
  readonly sans: readonly string[];
  readonly serialNumber: string;
  readonly fingerprintSha256: string;
  readonly issuerFingerprintSha256: string | null;
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  /** Whole days; negative after the expiry. */
  readonly daysUntilExpiry: number;
  readonly keyAlgorithm: string | null;
  readonly keySizeBits: number | null;
  readonly selfSigned: boolean;
}

/** The outcome of a handshake, as stored with the result. */
export interface SslResponse {
  readonly resolvedIp: string;
  /** `TLS1.3` */
  readonly tlsVersion: string | null;
  readonly cipherSuite: string | null;
  readonly handshakeTimeMs: number;
  readonly hostnameVerified: boolean;
  readonly chainTrusted: boolean;
  /** Code of the reason why the chain is not trusted. */
  readonly chainTrustReason: string | null;
  readonly daysUntilExpiry: number;
  readonly certificate: CertificateFacts & { readonly isCA: boolean | null };
  /** The issuers, beginning with that of the certificate. */
  readonly chain: readonly CertificateFacts[];
}

interface SslEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  readonly fault: FaultData | undefined;
  readonly response: SslResponse | undefined;
  readonly serverName: string;
  readonly skipChainValidation: boolean;
  readonly alertDaysBeforeExpiry: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** About the addresses that were tried. */
  readonly notes: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

export const sslEvaluation: Evaluation<SslEvidence, RunOutcome> = {
  name: 'ssl',
  run(evidence) {
    const { check, assertions, fault, response, alertDaysBeforeExpiry, notes, details } = evidence;
    const results =
      response === undefined
        ? []
        : evaluateAssertions(assertions, (assertion) => selectSubject(assertion, response));
    const outcome = conclude(
      {
        networkErrors: fault?.isNetwork ? [fault.message] : [],
        timedOut: fault?.reason === 'timeout',
        faults: [
          ...(fault === undefined || fault.isNetwork ? [] : [fault.message]),
          ...(response === undefined ? [] : findFaults(response, evidence)),
        ],
        assertions: results,
        responseTime: response?.handshakeTimeMs ?? null,
        details: { ...details, notes, assertions: results },
      },
      check,
    );
    if (response === undefined || outcome.errors.length > 0) return outcome;
    const { daysUntilExpiry } = response;
    // Expiry is a failure, not a degradation. With shouldFail that failure makes the check pass.
    if (daysUntilExpiry < 0 || daysUntilExpiry > alertDaysBeforeExpiry) return outcome;
    const note = `the certificate expires in ${plural(daysUntilExpiry, 'day')} (degraded from ${plural(alertDaysBeforeExpiry, 'day')})`;
    return { ...outcome, isDegraded: true, details: withNote(outcome.details, note) };
  },
};

const formatDay = (instant: string): string => instant.slice(0, 10);

function findFaults(
  response: SslResponse,
  { serverName, skipChainValidation, now }: SslEvidence,
): readonly string[] {
  const { certificate, chainTrustReason, hostnameVerified } = response;
  const { validFrom, validTo, subjectCN, sans } = certificate;
  const found: string[] = [];
  if (Date.parse(validTo) <= now) found.push(`the certificate expired on ${formatDay(validTo)}`);
  if (Date.parse(validFrom) > now) found.push(`the certificate is not valid before ${formatDay(validFrom)}`);
  if (!hostnameVerified) {
    const names = sans.length > 0 ? sans.slice(0, 5).join(', ') : (subjectCN ?? 'no name');
    found.push(`the certificate is for ${names}, not for ${serverName}`);
  }
  // The dates are reported above.
  const isDate = chainTrustReason === 'CERT_HAS_EXPIRED' || chainTrustReason === 'CERT_NOT_YET_VALID';
  if (chainTrustReason !== null && !skipChainValidation && !(isDate && found.length > 0))
    found.push(`the certificate chain cannot be trusted: ${describeRefusal(chainTrustReason)}`);
  return found;
}

function describeRefusal(code: string): string {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `it is self-signed, or its issuer is not trusted (${code})`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `it is incomplete, or its issuer is not trusted (${code})`;
    default:
      return code;
  }
}

const CONNECTION_FIELDS = [
  'tlsVersion',
  'cipherSuite',
  'hostnameVerified',
  'chainTrusted',
  'resolvedIp',
] as const;

function selectSubject({ source, property }: Assertion, response: SslResponse): Subject {
  const name = property?.trim() ?? '';
  switch (source) {
    case 'CERTIFICATE':
      return selectField(source, name, { ...response.certificate });
    case 'CONNECTION':
      return selectField(
        source,
        name,
        Object.fromEntries(CONNECTION_FIELDS.map((field) => [field, response[field]])),
      );
    case 'RESPONSE_TIME':
      return { values: [response.handshakeTimeMs] };
    case 'JSON_RESPONSE':
      return selectJsonPath(response as unknown as JsonValue, property ?? '');
    default:
      return { values: [], unusable: `unknown assertion source for SSL checks: ${source}` };
  }
}

function selectField(source: string, property: string, fields: Readonly<Record<string, JsonValue>>): Subject {
  const name = Object.keys(fields).find((field) => field.toLowerCase() === property.toLowerCase());
  if (name === undefined) {
    const known = Object.keys(fields).join(', ');
    return { values: [], unusable: `${source} has no property ${property || '(none)'}: use ${known}` };
  }
  const value = fields[name] ?? null;
  return value === null ? { values: [], absence: `the certificate has no ${name}` } : { values: [value] };
}
