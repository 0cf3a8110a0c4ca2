/** The security baseline of SSL checks against real TLS servers: every rule, met and violated, with both severities. */
import { createHash, X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, DEFAULT_CIPHERS, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BASELINE_RULE_NAMES, type SecurityBaseline } from '../../../src/contract/security-baseline.ts';
import { DISTRUSTED_ISSUERS, DISTRUSTED_KEYS } from '../../../src/runners/ssl/distrusted-authorities.ts';
import { run, type SslCheck } from '../../../src/runners/ssl/runner.ts';
import { readCertificateParts } from '../../../src/runners/tls/certificate-parts.ts';
import { patientClock } from '../../support/clock.ts';
import { needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { type CertificateOptions, type Credentials, type Issuer, makeIssuer } from '../../support/issuer.ts';
import { findProgram } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

const DAY_MS = 86_400_000;
const MUST_STAPLE = 'tlsfeature=status_request';
/** A list with one timestamp of version 1: its log, its time, no extensions, and a signature of two bytes. */
const TIMESTAMP = Buffer.concat([Buffer.alloc(1), Buffer.alloc(32, 7), Buffer.alloc(8, 1), Buffer.alloc(2)]);
const withLength = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of(0, bytes.length), bytes]);
const listOf = (...items: readonly Buffer[]): Buffer => withLength(Buffer.concat(items.map(withLength)));
const timestamps = (list: Buffer): string =>
  `1.3.6.1.4.1.11129.2.4.2=DER:04${list.length.toString(16).padStart(2, '0')}${list.toString('hex')}`;
const SIGNED_TIMESTAMP = Buffer.concat([TIMESTAMP, Buffer.of(4, 3, 0, 2, 1, 1)]);

let issuer: Issuer;
let root: Credentials;
const made = new Map<string, Promise<Credentials>>();
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') === undefined) return;
  issuer = await makeIssuer();
  root = await issuer.makeRoot('root');
});
afterAll(() => issuer?.remove());

/** Makes a certificate once. */
function server(name: string, options: CertificateOptions = {}, by = root): Promise<Credentials> {
  const credentials = made.get(name) ?? issuer.makeServer(by, name, options);
  made.set(name, credentials);
  return credentials;
}

interface Served {
  readonly port: number;
  /** How many clients asked for a stapled response. */
  readonly stapleRequests: () => number;
}

async function serve(
  { key, cert }: Credentials,
  options: TlsOptions = {},
  { chain = [], staple = null }: { chain?: readonly Credentials[]; staple?: Buffer | null } = {},
): Promise<Served> {
  let requests = 0;
  const certificates = [cert, ...chain.map((one) => one.cert)].join('');
  const listening = createServer({
    ...{ key, cert: certificates, ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0` },
    ...options,
  });
  listening.on('tlsClientError', () => {});
  listening.on('secureConnection', (socket) => socket.on('error', () => {}));
  listening.on('OCSPRequest', (_, __, respond: (error: null, response: Buffer | null) => void) => {
    requests += 1;
    respond(null, staple);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listening.close());
  return { port: (listening.address() as AddressInfo).port, stapleRequests: () => requests };
}

/** Rules that do not apply unless a test names them. */
const IGNORED = Object.fromEntries(BASELINE_RULE_NAMES.map((rule) => [rule, { severity: 'ignore' }]));

const check = (
  port: number,
  securityBaseline: SecurityBaseline | undefined,
  sslConfig: object = {},
): SslCheck => ({
  request: {
    sslConfig: {
      ...{ hostname: '127.0.0.1', port, alertDaysBeforeExpiry: 1 },
      ...(securityBaseline && { securityBaseline: { ...IGNORED, ...securityBaseline } }),
      ...sslConfig,
    },
  },
});

/** Runs a check without validation of the chain, which would refuse some weak certificates before the baseline. */
const judge = async (port: number, securityBaseline: SecurityBaseline | undefined, changes = {}) =>
  attempt(run, check(port, securityBaseline, { skipChainValidation: true }), { ca: [root.cert], ...changes });

/** Expects that a rule passes, or that its violation fails the check, and degrades it. */
async function expectRule(
  port: number,
  rule: SecurityBaseline,
  violation?: string,
  changes = {},
): Promise<void> {
  const [name = '', settings] = Object.entries(rule)[0] ?? [];
  const withSeverity = (severity: string) => ({ [name]: { ...(settings as object), severity } });
  const failing = await judge(port, withSeverity('fail'), changes);
  expect(failing).toMatchObject({
    ...{ errors: violation === undefined ? [] : [violation], hasFailures: violation !== undefined },
    details: {
      securityBaseline: [
        { rule: name, severity: 'fail', passed: violation === undefined, message: violation ?? null },
      ],
    },
  });
  const degrading = await judge(port, withSeverity('degrade'), changes);
  expect(degrading).toMatchObject({
    ...{ errors: [], isDegraded: violation !== undefined },
    details: { notes: violation === undefined ? [] : [violation] },
  });
  const ignoring = await judge(port, withSeverity('ignore'), changes);
  expect(ignoring).toMatchObject({ errors: [], isDegraded: false });
}

describe('rules of the security baseline', () => {
  it.each(['minTLSVersion', 'recommendedTLSVersion'] as const)(
    '%s compares the TLS version',
    async (rule) => {
      const certificate = await server('plain');
      const { port } = await serve(certificate);
      const older = await serve(certificate, { maxVersion: 'TLSv1.2' });
      await expectRule(port, { [rule]: { value: 'TLS1.3' } });
      await expectRule(older.port, { [rule]: { value: 'TLS1.2' } });
      await expectRule(
        older.port,
        { [rule]: { value: 'TLS1.3' } },
        `the connection uses TLS1.2, but ${rule} of the security baseline requires at least TLS1.3`,
      );
    },
  );

  it.each(['minKeySizeBits', 'recommendedKeySizeBits'] as const)(
    '%s compares keys by their strength',
    async (rule) => {
      const rsa = await serve(await server('rsa', { key: 'rsa2048' }));
      const weak = await serve(await server('weak', { key: 'rsa1024' }));
      const asks = (bits: number) =>
        `but ${rule} of the security baseline requires at least ${bits} bits of RSA, or another key as strong`;
      await expectRule(rsa.port, { [rule]: { value: 2048 } });
      await expectRule(weak.port, { [rule]: { value: 1024 } });
      await expectRule(
        weak.port,
        { [rule]: { value: 2048 } },
        `the certificate "weak" has an RSA key of 1024 bits, ${asks(2048)}`,
      );
      const ec = await serve(await server('plain'));
      await expectRule(ec.port, { [rule]: { value: 3072 } });
      await expectRule(
        ec.port,
        { [rule]: { value: 3073 } },
        `the certificate "plain" has an EC key of 256 bits, ${asks(3073)}`,
      );
    },
  );

  it('judges the keys of the issuers, too', async () => {
    const weak = await issuer.makeAuthority(root, 'weak issuer', { key: 'rsa1024' });
    const { port } = await serve(await server('of weak issuer', {}, weak), {}, { chain: [weak] });
    await expectRule(
      port,
      { minKeySizeBits: {} },
      'the intermediate certificate "weak issuer" of "of weak issuer" has an RSA key of 1024 bits, but minKeySizeBits of the security baseline requires at least 2048 bits of RSA, or another key as strong',
    );
  });

  it.each([
    ['sha1', 'SHA-1 with ECDSA'],
    ['md5', 'MD5 with RSA'],
  ] as const)('weakSignatureAlgorithm rejects %s, also of an issuer', async (digest, name) => {
    const by = digest === 'md5' ? await issuer.makeRoot('RSA root', { key: 'rsa2048' }) : root;
    const { port } = await serve(await server(digest, { digest }, by));
    const asks = 'but weakSignatureAlgorithm of the security baseline requires SHA-224 or stronger';
    await expectRule(
      port,
      { weakSignatureAlgorithm: {} },
      `the certificate "${digest}" is signed with ${name}, ${asks}`,
    );
    const middle = await issuer.makeAuthority(by, `${digest} issuer`, { digest });
    const below = await serve(await server(`below ${digest}`, {}, middle), {}, { chain: [middle] });
    await expectRule(
      below.port,
      { weakSignatureAlgorithm: {} },
      `the intermediate certificate "${digest} issuer" of "below ${digest}" is signed with ${name}, ${asks}`,
    );
  });

  it('weakSignatureAlgorithm accepts SHA-256, and any signature of the root', async () => {
    const { port } = await serve(await server('plain'));
    await expectRule(port, { weakSignatureAlgorithm: {} });
    const old = await issuer.makeRoot('old root', { digest: 'sha1' });
    const below = await serve(await server('below old root', {}, old), {}, { chain: [old] });
    for (const ca of [[old.cert], []])
      await expectRule(below.port, { weakSignatureAlgorithm: {} }, undefined, { ca });
  });

  it('weakCipherSuite requires forward secrecy', async () => {
    const rsa = await server('rsa', { key: 'rsa2048' });
    const good = await serve(rsa, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' });
    const newer = await serve(rsa);
    const static_ = await serve(rsa, { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' });
    await expectRule(good.port, { weakCipherSuite: {} });
    await expectRule(newer.port, { weakCipherSuite: {} });
    await expectRule(
      static_.port,
      { weakCipherSuite: {} },
      'the connection uses TLS_RSA_WITH_AES_128_GCM_SHA256, which has no forward secrecy, but weakCipherSuite of the security baseline requires forward secrecy and a strong cipher',
    );
  });

  it('knownBadCA rejects a chain with a key of a distrusted authority', async () => {
    const { port } = await serve(await server('plain'));
    await expectRule(port, { knownBadCA: {} });
    const parts = readCertificateParts(new X509Certificate(root.cert).raw);
    const hash = createHash('sha256')
      .update(parts?.publicKeyInfo ?? '')
      .digest('hex');
    const keys = DISTRUSTED_KEYS as Map<string, string>;
    keys.set(hash, 'Nobody');
    onTestFinished(() => void keys.delete(hash));
    await expectRule(
      port,
      { knownBadCA: {} },
      'the root certificate "root" of "plain" has a key of Nobody, which browsers distrust, but knownBadCA of the security baseline requires an authority that browsers trust',
    );
  });

  it('knownBadCA knows the issuer of an incomplete chain by its name', async () => {
    const distrusted = await issuer.makeRoot('DigiNotar');
    const { port } = await serve(await server('of DigiNotar', {}, distrusted));
    await expectRule(
      port,
      { knownBadCA: {} },
      'the issuer of "of DigiNotar" is DigiNotar, which browsers distrust, but knownBadCA of the security baseline requires an authority that browsers trust',
    );
  });

  it('sctPresent requires a timestamp in the certificate', async () => {
    const asks =
      'contains no Signed Certificate Timestamp, but sctPresent of the security baseline requires one from a log of Certificate Transparency';
    const logged = await server('logged', { extensions: [timestamps(listOf(SIGNED_TIMESTAMP))] });
    await expectRule((await serve(logged)).port, { sctPresent: {} });
    const wrong = {
      empty: listOf(),
      short: listOf(Buffer.alloc(20)),
      cut: listOf(SIGNED_TIMESTAMP).subarray(0, -3),
      'of version 2': listOf(Buffer.concat([Buffer.of(1), SIGNED_TIMESTAMP.subarray(1)])),
    };
    for (const [name, list] of Object.entries(wrong)) {
      const { port } = await serve(await server(name, { extensions: [timestamps(list)] }));
      await expectRule(port, { sctPresent: {} }, `the certificate "${name}" ${asks}`);
    }
    await expectRule(
      (await serve(await server('plain'))).port,
      { sctPresent: {} },
      `the certificate "plain" ${asks}`,
    );
  });
});

describe('ocspMustStapleRespected', () => {
  const rule: SecurityBaseline = { ocspMustStapleRespected: {} };
  const violation = (problem: string) =>
    `the certificate "stapled" demands a stapled OCSP response and ${problem}, but ocspMustStapleRespected of the security baseline requires a valid stapled response`;
  const stapled = () => server('stapled', { extensions: [MUST_STAPLE] });

  it('passes without the demand, also without a response', async () => {
    await expectRule((await serve(await server('plain'))).port, rule);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('passes with a response of the issuer (%s)', async (version) => {
    const certificate = await stapled();
    const staple = await issuer.respond(root, certificate);
    const { port } = await serve(certificate, { minVersion: version, maxVersion: version }, { staple });
    await expectRule(port, rule);
  });

  it('passes with a response of a responder of the issuer', async () => {
    const signer = await server('responder', { extensions: ['extendedKeyUsage=OCSPSigning'] });
    const certificate = await stapled();
    const staple = await issuer.respond(root, certificate, { signer });
    await expectRule((await serve(certificate, {}, { staple })).port, rule);
  });

  it('fails without a response', async () => {
    await expectRule((await serve(await stapled())).port, rule, violation('the server sends none'));
  });

  it('fails with a response that proves nothing', async () => {
    const certificate = await stapled();
    const good = await issuer.respond(root, certificate);
    const stranger = await issuer.makeRoot('stranger');
    const cases: readonly (readonly [Buffer, string])[] = [
      [Buffer.from('nothing'), 'is no successful OCSP response'],
      [good.subarray(0, -1), 'is no successful OCSP response'],
      // The status tryLater, which has no content.
      [Buffer.from('30030a0103', 'hex'), 'is no successful OCSP response'],
      [await issuer.respond(root, certificate, { isRevoked: true }), 'says that the certificate is revoked'],
      [await issuer.respond(root, await server('plain')), 'is about another certificate'],
      [
        await issuer.respond(root, certificate, { signer: stranger }),
        'is not signed by the issuer of the certificate',
      ],
      [
        await issuer.respond(root, certificate, { signer: await server('plain') }),
        'is not signed by the issuer of the certificate',
      ],
    ];
    for (const [staple, problem] of cases) {
      const { port } = await serve(certificate, {}, { staple });
      await expectRule(port, rule, violation(`that of the server ${problem}`));
    }
  });

  it.each([
    [2 * DAY_MS, 'has expired'],
    [-DAY_MS / 24, 'is not valid yet'],
  ])('fails with a response of another time (%d ms)', async (ms, problem) => {
    const certificate = await stapled();
    const { port } = await serve(certificate, {}, { staple: await issuer.respond(root, certificate) });
    const clock = { ...patientClock, now: () => Date.now() + ms };
    const { details } = await judge(port, { ocspMustStapleRespected: { severity: 'fail' } }, { clock });
    expect(details.securityBaseline).toMatchObject([{ message: violation(`that of the server ${problem}`) }]);
  });

  it('fails if the issuer is not known', async () => {
    const certificate = await stapled();
    const { port } = await serve(certificate, {}, { staple: await issuer.respond(root, certificate) });
    const problem = 'cannot be verified, because the issuer of the certificate is not known';
    await expectRule(port, rule, violation(`that of the server ${problem}`), { ca: [] });
  });
});

describe('a baseline', () => {
  it('has no rule without the field, and asks for no stapled response', async () => {
    const { port, stapleRequests } = await serve(await server('weak', { key: 'rsa1024' }), {
      maxVersion: 'TLSv1.2',
    });
    const outcome = await judge(port, undefined);
    expect(outcome).toMatchObject({ errors: [], isDegraded: false });
    expect(outcome.details).not.toHaveProperty('securityBaseline');
    await judge(port, { minKeySizeBits: { value: 1024 } });
    expect(stapleRequests()).toBe(0);
    await judge(port, { ocspMustStapleRespected: { severity: 'fail' } });
    expect(stapleRequests()).toBe(1);
  });

  it('has no rule if it is not enabled', async () => {
    const { port } = await serve(await server('weak', { key: 'rsa1024' }));
    const outcome = await judge(port, { enabled: false, minKeySizeBits: { value: 2048, severity: 'fail' } });
    expect(outcome).toMatchObject({ errors: [], isDegraded: false });
  });

  it('has the rules that fail by default, if it is empty', async () => {
    const { port } = await serve(await server('weak', { key: 'rsa1024' }));
    const request = {
      sslConfig: { hostname: '127.0.0.1', port, securityBaseline: {}, skipChainValidation: true },
    };
    const { details } = await attempt(run, { request }, { ca: [root.cert] });
    expect(details.securityBaseline).toMatchObject([
      { rule: 'minTLSVersion', passed: true },
      { rule: 'minKeySizeBits', passed: false },
      { rule: 'weakSignatureAlgorithm', passed: true },
      { rule: 'weakCipherSuite', passed: true },
      { rule: 'knownBadCA', passed: true },
    ]);
  });

  it('is a failure that shouldFail expects, and degrades only a check that passes', async () => {
    const { port } = await serve(await server('weak', { key: 'rsa1024' }), { maxVersion: 'TLSv1.2' });
    const both: SecurityBaseline = {
      minKeySizeBits: { severity: 'fail' },
      minTLSVersion: { value: 'TLS1.3', severity: 'degrade' },
    };
    const failing = await judge(port, both);
    expect(failing).toMatchObject({ hasFailures: true, isDegraded: false });
    expect(failing.errors).toHaveLength(1);
    const expected = await attempt(
      run,
      {
        ...check(port, { minKeySizeBits: { severity: 'fail' } }, { skipChainValidation: true }),
        shouldFail: true,
      },
      { ca: [root.cert] },
    );
    expect(expected).toMatchObject({ hasFailures: false });
  });

  it('knows the hashes of keys, and names of issuers', () => {
    for (const key of DISTRUSTED_KEYS.keys()) expect(key).toMatch(/^[\da-f]{64}$/);
    expect(new Set(DISTRUSTED_KEYS.values()).size).toBeGreaterThan(new Set(DISTRUSTED_ISSUERS.values()).size);
  });
});
