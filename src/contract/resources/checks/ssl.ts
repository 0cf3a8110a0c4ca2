/** Schemas of SSL checks: connect, complete a TLS handshake, and examine the certificate. */
import type { AssertionSource } from '../../endpoint.ts';
import { allOptional, boolean, closed, integer, nullable, oneOf, string, type Type } from '../../schema.ts';
import {
  BASELINE_KEY_BITS,
  BASELINE_RULES,
  BASELINE_SEVERITIES,
  BASELINE_TLS_VERSIONS,
  type BaselineRule,
} from '../../security-baseline.ts';
import { assertions } from '../shared.ts';
import {
  commonFields,
  hostname,
  ipFamily,
  OF_GAPS,
  responseTimes,
  schemasOf,
  uptimeSchedule,
} from './common.ts';

const sources = {
  CERTIFICATE: {
    meaning: 'field of the certificate, such as daysUntilExpiry or issuerCN',
    help: 'Field of the certificate in parentheses: daysUntilExpiry, subjectCN, issuerCN, sans, serialNumber, fingerprintSha256, issuerFingerprintSha256, validFrom, validTo, keyAlgorithm, keySizeBits, selfSigned or isCA',
    property: 'daysUntilExpiry',
  },
  CONNECTION: {
    meaning: 'field of the connection, such as tlsVersion or chainTrusted',
    help: 'Field of the connection in parentheses: tlsVersion, cipherSuite, chainTrusted, hostnameVerified or resolvedIp',
    property: 'tlsVersion',
  },
  RESPONSE_TIME: {
    meaning: 'response time in milliseconds',
    help: 'Duration of the TLS handshake in milliseconds',
  },
  JSON_RESPONSE: {
    meaning: 'value in the response, selected by JSONPath',
    help: 'Certificate, chain and connection as JSON; select a part with a JSONPath in parentheses',
    property: '$.chain[0].subjectCN',
  },
} satisfies Record<string, AssertionSource>;

/** A rule of the security baseline; `values`: what it compares with. */
function baselineRule<P extends Type.TProperties>(rule: BaselineRule, description: string, values: P) {
  const defaults = BASELINE_RULES[rule];
  const severity = oneOf(
    BASELINE_SEVERITIES,
    'Whether a violation fails the check, degrades it, or is ignored',
    {
      default: defaults.severity,
    },
  );
  return closed(allOptional({ ...values, severity }), { description, default: { ...defaults } });
}

const tlsVersionRule = (rule: 'minTLSVersion' | 'recommendedTLSVersion', description: string) =>
  baselineRule(rule, description, {
    value: oneOf(BASELINE_TLS_VERSIONS, 'Oldest TLS version', { default: BASELINE_RULES[rule].value }),
  });

const keySizeRule = (rule: 'minKeySizeBits' | 'recommendedKeySizeBits', description: string) =>
  baselineRule(rule, description, {
    value: integer('Smallest RSA key; other keys count by their strength', {
      default: BASELINE_RULES[rule].value,
      ...BASELINE_KEY_BITS,
      'x-unit': 'bits',
    }),
  });

const securityBaseline = closed(
  allOptional({
    enabled: boolean('Whether the rules apply', { default: true }),
    minTLSVersion: tlsVersionRule('minTLSVersion', 'TLS version of the connection'),
    minKeySizeBits: keySizeRule('minKeySizeBits', 'Keys of the certificates'),
    weakSignatureAlgorithm: baselineRule(
      'weakSignatureAlgorithm',
      'Signatures with MD5 or SHA-1, except of the root',
      {},
    ),
    weakCipherSuite: baselineRule(
      'weakCipherSuite',
      'Cipher suite without forward secrecy, or with RC4, 3DES, NULL or EXPORT',
      {},
    ),
    knownBadCA: baselineRule('knownBadCA', 'Certificate authority that browsers distrust', {}),
    recommendedTLSVersion: tlsVersionRule('recommendedTLSVersion', 'TLS version that should be used'),
    recommendedKeySizeBits: keySizeRule('recommendedKeySizeBits', 'Size that keys should have'),
    ocspMustStapleRespected: baselineRule(
      'ocspMustStapleRespected',
      'Missing OCSP response although the certificate demands one (must-staple)',
      {},
    ),
    sctPresent: baselineRule('sctPresent', 'Certificate without a Signed Certificate Timestamp', {}),
  }),
  { description: 'Rules for the TLS connection and its certificates; default: none', 'x-gaps': ['*'] },
);

const sslConfig = closed(
  {
    hostname,
    ...allOptional({
      port: integer('Port of the server', { default: 443, minimum: 1, maximum: 65535, ...OF_GAPS }),
      serverName: nullable(
        string('Server name to send and to verify, if it differs from the host', {
          minLength: 1,
          maxLength: 255,
          'x-gaps': ['minLength', 'maxLength'],
        }),
      ),
      ipFamily,
      skipChainValidation: boolean('Whether an untrusted certificate chain is accepted', {
        default: false,
        'x-gaps': ['default'],
      }),
      handshakeTimeoutMs: integer('Timeout of the connection and the TLS handshake', {
        default: 10_000,
        minimum: 1000,
        maximum: 30_000,
        'x-unit': 'ms',
        ...OF_GAPS,
      }),
      alertDaysBeforeExpiry: integer('Days before the expiry from which the check is degraded', {
        default: 20,
        minimum: 1,
        maximum: 365,
        'x-unit': 'days',
        ...OF_GAPS,
      }),
      securityBaseline,
    }),
  },
  { title: 'SslConfig', description: 'TLS connection' },
);

const sslRequest = closed(
  { sslConfig, ...allOptional({ assertions: assertions(sources, 'Assertions on the certificate') }) },
  { title: 'SslRequest', description: 'TLS connection and assertions' },
);

export const sslCheck = {
  sources,
  ...schemasOf(
    { type: 'SSL', title: 'SslCheck' },
    { request: sslRequest },
    {
      ...commonFields,
      ...uptimeSchedule,
      ...responseTimes({ degraded: 3000, most: 10_000, maximum: 30_000 }, OF_GAPS),
    },
  ),
};
