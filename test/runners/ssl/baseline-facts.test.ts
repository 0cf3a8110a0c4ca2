/** The facts of the security baseline, by their names and bytes: cipher suites, key strengths, certificates and responses. */
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findCipherWeakness } from '../../../src/runners/ssl/cipher-suites.ts';
import { strengthOf } from '../../../src/runners/ssl/key-strength.ts';
import { findStapleProblem } from '../../../src/runners/ssl/stapled-response.ts';
import { readCertificateParts } from '../../../src/runners/tls/certificate-parts.ts';
import { formatObjectIdentifier, readElement, readTime } from '../../../src/runners/tls/der.ts';
import { isWeak, readSignatureAlgorithm } from '../../../src/runners/tls/signature-algorithms.ts';
import { needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { type Credentials, type Issuer, makeIssuer } from '../../support/issuer.ts';
import { findProgram } from '../../support/needs.ts';

let issuer: Issuer;
let root: Credentials;
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') === undefined) return;
  issuer = await makeIssuer();
  root = await issuer.makeRoot('root');
});
afterAll(() => issuer?.remove());

it.each([
  ['TLS_AES_256_GCM_SHA384', undefined],
  ['TLS_CHACHA20_POLY1305_SHA256', undefined],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', undefined],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', undefined],
  ['TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256', undefined],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'has no forward secrecy'],
  ['TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256', 'has no forward secrecy'],
  ['TLS_PSK_WITH_AES_128_GCM_SHA256', 'has no forward secrecy'],
  ['TLS_DH_anon_WITH_AES_128_GCM_SHA256', 'does not authenticate the server'],
  ['TLS_ECDHE_RSA_WITH_RC4_128_SHA', 'encrypts with RC4'],
  ['TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA', 'encrypts in blocks of 64 bits'],
  ['TLS_DHE_RSA_WITH_DES_CBC_SHA', 'encrypts in blocks of 64 bits'],
  ['TLS_RSA_EXPORT_WITH_RC4_40_MD5', 'has export-grade keys'],
  ['TLS_ECDHE_RSA_WITH_NULL_SHA', 'does not encrypt'],
  ['TLS_SHA256_SHA256', 'does not encrypt'],
  ['TLS_NEW', 'has no forward secrecy'],
])('the cipher suite %s: %s', (suite, weakness) => {
  expect(findCipherWeakness(suite)).toBe(weakness);
});

it('compares keys of every type with RSA', async () => {
  const strengths = [];
  for (const key of ['ec', 'ec384', 'ed25519', 'rsa2048'] as const) {
    const { cert } = await issuer.makeServer(root, key, { key });
    strengths.push(strengthOf(new X509Certificate(cert)));
  }
  expect(strengths).toEqual([
    { key: 'an EC key of 256 bits', strength: 3072 },
    { key: 'an EC key of 384 bits', strength: 7680 },
    { key: 'an Ed25519 key', strength: 3072 },
    { key: 'an RSA key of 2048 bits', strength: 2048 },
  ]);
});

const algorithm = (hex: string) => readSignatureAlgorithm(readElement(Buffer.from(hex, 'hex')));

it.each([
  ['300d06092a864886f70d01010b0500', 'SHA-256 with RSA', false],
  ['300d06092a864886f70d0101050500', 'SHA-1 with RSA', true],
  ['300d06092a864886f70d0101020500', 'MD2 with RSA', true],
  ['300906072a8648ce380403', 'SHA-1 with DSA', true],
  ['300a06082a8648ce3d040303', 'SHA-384 with ECDSA', false],
  ['300506032b6570', 'Ed25519', false],
  // PSS without parameters uses SHA-1.
  ['300d06092a864886f70d01010a3000', 'SHA-1 with RSA-PSS', true],
  ['301c06092a864886f70d01010a300fa00d300b0609608648016503040201', 'SHA-256 with RSA-PSS', false],
])('the signature algorithm %s is %s', (hex, name, weak) => {
  const known = algorithm(hex);
  expect([known?.name, known && isWeak(known)]).toEqual([name, weak]);
});

it('knows no other algorithm', () => {
  expect(algorithm('300506032b6572')).toBeUndefined();
  expect(algorithm('301c06092a864886f70d01010a300fa00d300b0609608648016503040299')).toBeUndefined();
});

it('reads the parts of a certificate as OpenSSL does', async () => {
  const { cert } = await issuer.makeServer(root, 'parts', { extensions: ['tlsfeature=status_request'] });
  const certificate = new X509Certificate(cert);
  const parts = readCertificateParts(certificate.raw);
  expect(parts?.publicKeyInfo).toEqual(certificate.publicKey.export({ type: 'spki', format: 'der' }));
  expect(parts?.serialNumber.toString('hex').toUpperCase().replace(/^00/, '')).toBe(certificate.serialNumber);
  expect(parts?.signatureAlgorithm?.name).toBe('SHA-256 with ECDSA');
  expect(parts?.extensions.get('1.3.6.1.5.5.7.1.24')).toEqual(Buffer.from('3003020105', 'hex'));
});

it('reads nothing from damaged bytes, and never throws', async () => {
  const subject = { serialNumber: Buffer.of(1), issuer: undefined };
  const { cert } = await issuer.makeServer(root, 'damaged');
  const { raw } = new X509Certificate(cert);
  for (let length = 0; length < raw.length; length += 1)
    expect(readCertificateParts(raw.subarray(0, length))).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (bytes, at) => {
      const damaged = Buffer.from(raw);
      damaged.set(bytes.subarray(0, 3), at % (raw.length - 3));
      readCertificateParts(damaged);
      readCertificateParts(Buffer.from(bytes));
      expect(findStapleProblem(Buffer.from(bytes), subject, 0)).toBeDefined();
    }),
  );
});

it('reads object identifiers and times', () => {
  const element = (hex: string) => readElement(Buffer.from(hex, 'hex'));
  expect(formatObjectIdentifier(element('060a2b06010401d679020402'))).toBe('1.3.6.1.4.1.11129.2.4.2');
  expect(formatObjectIdentifier(element('0500'))).toBeUndefined();
  const time = (text: string) => readTime(element(`180f${Buffer.from(text).toString('hex')}`));
  expect(time('20261129171500Z')).toBe(Date.UTC(2026, 10, 29, 17, 15));
  expect(time('2026112917150.Z')).toBeNaN();
  expect(element('0580')).toBeUndefined();
});
