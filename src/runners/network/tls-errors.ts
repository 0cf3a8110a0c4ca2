/** Explains the codes of OpenSSL in plain sentences: why a handshake failed, and why a chain is not trusted. */

const NO_TLS =
  'the server does not speak TLS on this port: check the port, and that the service needs no STARTTLS first';
const OLD_VERSION = 'the server supports no TLS version that is safe: enable TLS 1.2 or 1.3 on the server';
const NO_CIPHER =
  'the server supports none of the ciphers that sonde offers: enable a current cipher on the server, such as TLS 1.3 or ECDHE';
const WEAK_KEY =
  'the key of the server is too weak: create one of at least 2048 bits (RSA, DH) or 256 bits (EC)';
const NO_NAME = 'the server has no certificate for this name: check the host name or the server name';
const NO_HTTP_1 = 'the server does not offer HTTP/1.1: enable it beside HTTP/2';
const CERTIFICATE_REQUIRED = 'the server requires a client certificate';

/** Why a server refuses, by the name of its alert (RFC 8446, section 6). */
const ALERTS: Readonly<Record<string, string>> = {
  HANDSHAKE_FAILURE: NO_CIPHER,
  INSUFFICIENT_SECURITY: NO_CIPHER,
  PROTOCOL_VERSION: OLD_VERSION,
  UNRECOGNIZED_NAME: NO_NAME,
  INTERNAL_ERROR:
    'the server reports an internal error: see its log, and check that it has a certificate for this name',
  NO_APPLICATION_PROTOCOL: NO_HTTP_1,
  CERTIFICATE_REQUIRED,
};

/** Explanations of a server's answer, by the reason of OpenSSL. */
const REASONS: Readonly<Record<string, string>> = {
  WRONG_VERSION_NUMBER: NO_TLS,
  PACKET_LENGTH_TOO_LONG: NO_TLS,
  HTTP_REQUEST: NO_TLS,
  HTTPS_PROXY_REQUEST: NO_TLS,
  UNKNOWN_PROTOCOL: NO_TLS,
  BAD_RECORD_TYPE: NO_TLS,
  RECORD_LAYER_FAILURE: NO_TLS,
  UNSUPPORTED_PROTOCOL: OLD_VERSION,
  WRONG_SSL_VERSION: OLD_VERSION,
  VERSION_TOO_LOW: OLD_VERSION,
  NO_PROTOCOLS_AVAILABLE: OLD_VERSION,
  NO_SHARED_CIPHER: NO_CIPHER,
  NO_CIPHERS_AVAILABLE: NO_CIPHER,
  WRONG_CIPHER_RETURNED: NO_CIPHER,
  UNKNOWN_CIPHER_RETURNED: NO_CIPHER,
  WRONG_SIGNATURE_TYPE: NO_CIPHER,
  UNSUPPORTED_ELLIPTIC_CURVE: NO_CIPHER,
  DH_KEY_TOO_SMALL: WEAK_KEY,
  EE_KEY_TOO_SMALL: WEAK_KEY,
  CA_KEY_TOO_SMALL: WEAK_KEY,
  CA_MD_TOO_WEAK: 'a certificate of the server has a signature that is too weak: renew it with SHA-256',
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED:
    'the server does not support secure renegotiation: update its TLS library (RFC 5746)',
  NO_APPLICATION_PROTOCOL: NO_HTTP_1,
};

const BROKEN = 'the server breaks the TLS protocol: see its log';

/** The alerts with which a server ends a connection because the client presented no certificate. */
const MISSING_CERTIFICATE = new Set([
  'CERTIFICATE_REQUIRED',
  'HANDSHAKE_FAILURE',
  'BAD_CERTIFICATE',
  'NO_CERTIFICATE',
  'CERTIFICATE_UNKNOWN',
  'ACCESS_DENIED',
]);

const CODE = /^ERR_SSL_(?:(SSLV3|TLSV13?|SSL\/TLS)_(?:ALERT_)?)?(\w+)$/;
/** OpenSSL's own text, which Node uses as the message of an error without a code of OpenSSL. */
const RAW_TEXT = /error:[\dA-F]{8}:[^:]*:[^:]*:([^:]+)/i;

/** Returns OpenSSL's code of an error (`ERR_SSL_WRONG_VERSION_NUMBER`); undefined if TLS did not cause it. */
export function tlsCodeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && CODE.test(code)) return code;
  const reason = RAW_TEXT.exec(error.message)?.[1];
  return reason && `ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`;
}

/** Returns the name of the alert that the server sent, in upper case; undefined for another error. */
export function alertOf(code: string | null): string | undefined {
  const [, version, name] = CODE.exec(code ?? '') ?? [];
  return version === undefined ? undefined : name;
}

/** Returns whether a server that presented its certificate probably misses a client certificate. */
export const meansMissingCertificate = (code: string | null): boolean =>
  MISSING_CERTIFICATE.has(alertOf(code) ?? '');

/** Explains a code of OpenSSL: what happened, and what to do. */
export function explainTlsCode(code: string): string {
  const alert = alertOf(code);
  if (alert !== undefined)
    return (
      ALERTS[alert] ?? `the server refuses the connection with the alert "${formatAlert(alert)}": see its log`
    );
  return REASONS[CODE.exec(code)?.[2] ?? ''] ?? BROKEN;
}

/** Formats an alert: `unknown ca`. */
export const formatAlert = (alert: string): string => alert.toLowerCase().replaceAll('_', ' ');

/** Why a chain is not trusted, and what to do. */
export interface Refusal {
  readonly reason: string;
  readonly advice: string;
}

const SEND_CHAIN =
  'install the intermediate certificates on the server, or trust the issuer (NODE_EXTRA_CA_CERTS)';
const TRUST = 'use a certificate of a public authority, or trust this one (NODE_EXTRA_CA_CERTS)';
const REISSUE = 'issue the certificate again';
const unknownIssuer: Refusal = { reason: 'the issuer is not known', advice: SEND_CHAIN };
const weakKey: Refusal = {
  reason: 'a key is too weak',
  advice: 'use keys of at least 2048 bits (RSA) or 256 bits (EC)',
};
const noAuthority: Refusal = {
  reason: 'an issuer in the chain is not a certificate authority',
  advice: REISSUE,
};
const outsideConstraints: Refusal = {
  reason: 'an authority of the chain may not issue certificates for this name',
  advice: REISSUE,
};

/** By the code of the verification. Where Node has none, it is OpenSSL's text in capitals. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'it is self-signed', advice: TRUST },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'the root is not trusted', advice: TRUST },
  CERT_UNTRUSTED: { reason: 'the root is not trusted', advice: TRUST },
  CERT_REJECTED: { reason: 'the root is not trusted', advice: TRUST },
  CERT_HAS_EXPIRED: { reason: 'a certificate of the chain has expired', advice: 'renew it' },
  CERT_NOT_YET_VALID: {
    reason: 'a certificate of the chain is not valid yet',
    advice: 'check its dates and the clock of this machine',
  },
  CERT_REVOKED: { reason: 'a certificate of the chain is revoked', advice: 'replace it' },
  CERT_SIGNATURE_FAILURE: { reason: 'a signature in the chain is wrong', advice: SEND_CHAIN },
  CERT_CHAIN_TOO_LONG: { reason: 'the chain is too long', advice: SEND_CHAIN },
  INVALID_CA: noAuthority,
  INVALID_CA_CERTIFICATE: noAuthority,
  KEY_USAGE_DOES_NOT_INCLUDE_CERTIFICATE_SIGNING: noAuthority,
  PATH_LENGTH_EXCEEDED: { reason: 'the chain is longer than one of its authorities allows', advice: REISSUE },
  INVALID_PURPOSE: {
    reason: 'it is not for servers',
    advice: 'issue it with the extended key usage serverAuth',
  },
  PERMITTED_SUBTREE_VIOLATION: outsideConstraints,
  EXCLUDED_SUBTREE_VIOLATION: outsideConstraints,
  EE_CERTIFICATE_KEY_TOO_WEAK: weakKey,
  CA_CERTIFICATE_KEY_TOO_WEAK: weakKey,
  CA_SIGNATURE_DIGEST_ALGORITHM_TOO_WEAK: {
    reason: 'a signature in the chain is too weak',
    advice: 'issue it again with SHA-256',
  },
};

const UNKNOWN_REFUSAL: Refusal = { reason: 'the chain breaks a rule for certificates', advice: REISSUE };

/** Explains why a chain is not trusted. */
export const explainRefusal = (code: string): Refusal => REFUSALS[code] ?? UNKNOWN_REFUSAL;

/** Returns whether the chain is refused because of a date, which the dates of its certificates explain better. */
export const isDateRefusal = (code: string): boolean =>
  code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';

/** Returns the code of a failed verification; OpenSSL's text in capitals if Node has no code. */
export function refusalCodeOf({ code, message }: NodeJS.ErrnoException): string {
  return code && code !== 'UNSPECIFIED' ? code : message.toUpperCase().replace(/\W+/g, '_');
}
