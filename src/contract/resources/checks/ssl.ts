/** Schemas of SSL checks: connect, complete a TLS handshake, and examine the certificate. */
import type { AssertionSource } from '../../endpoint.ts';
import { allOptional, boolean, closed, integer, nullable, string } from '../../schema.ts';
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
