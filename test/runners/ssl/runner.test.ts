/** SSL checks against real TLS servers on loopback, with certificates of an authority of the test's own. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { denyPrivateNetworks } from '../../../src/runners/core/address-policy.ts';
import { run, type SslCheck } from '../../../src/runners/ssl/runner.ts';
import { type Authority, makeAuthority, needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { freePort } from '../../support/free-port.ts';
import { serveSockets } from '../../support/http.ts';
import { findProgram } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

const DAY_MS = 86_400_000;
let authority: Authority;
let ca: readonly string[];
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') === undefined) return;
  authority = await makeAuthority();
  ca = [await readFile(authority.file, 'utf8')];
});
afterAll(() => authority?.remove());

async function serve(name: string, change: (cert: Buffer) => Buffer = (cert) => cert): Promise<number> {
  const { key, cert } = await credentials(name);
  const server = createServer({ key, cert: change(cert) });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function credentials(name: string) {
  const folder = authority.file.replace(/ca\.pem$/, '');
  return { key: await readFile(`${folder}${name}.key`), cert: await readFile(`${folder}${name}.pem`) };
}

const check = (
  port: number,
  sslConfig: object = {},
  assertions: SslCheck['request']['assertions'] = [],
  rest: object = {},
): SslCheck => ({
  ...rest,
  request: { sslConfig: { hostname: '127.0.0.1', port, alertDaysBeforeExpiry: 1, ...sslConfig }, assertions },
});
const says = (source: string, property: string, comparison: string, target: string) => ({
  source,
  property,
  comparison,
  target,
});

describe('a good certificate', () => {
  it('passes, and is described', async () => {
    const port = await serve('good');
    const outcome = await attempt(run, check(port, { alertDaysBeforeExpiry: 0 }), { ca });
    expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false, isDegraded: false, errors: [] });
    expect(outcome.details).toMatchObject({
      address: `127.0.0.1:${port}`,
      requestError: null,
      response: {
        tlsVersion: 'TLS1.3',
        hostnameVerified: true,
        chainTrusted: true,
        chainTrustReason: null,
        daysUntilExpiry: 1,
        certificate: { subjectCN: 'good', issuerCN: 'Nobody', sans: ['127.0.0.1'], selfSigned: false },
      },
    });
    const { response, timing } = outcome.details as Record<string, Record<string, unknown>>;
    expect(response?.cipherSuite).toMatch(/^TLS_/);
    expect(response).toMatchObject({
      certificate: { fingerprintSha256: expect.stringMatching(/^(?:\w\w:){31}\w\w$/) },
    });
    expect(timing?.connect).toBeGreaterThan(0);
    expect(outcome.responseTime).toBe(timing?.tls);
  });

  it('is degraded some days before it expires', async () => {
    const outcome = await attempt(run, check(await serve('good'), { alertDaysBeforeExpiry: 20 }), { ca });
    expect(outcome).toMatchObject({ hasFailures: false, isDegraded: true });
    expect(outcome.details.notes).toEqual([
      expect.stringMatching(
        /^the (?:root certificate "Nobody" of|certificate) "good" expires on \d{4}-\d\d-\d\d, in \d days? \(degraded from 20 days\)$/,
      ),
    ]);
  });

  it('meets assertions on the certificate, the connection and the time', async () => {
    const port = await serve('good');
    const good = [
      says('CERTIFICATE', 'daysUntilExpiry', 'GREATER_THAN', '0'),
      says('CERTIFICATE', 'issuerCN', 'EQUALS', 'Nobody'),
      says('CERTIFICATE', 'sans', 'CONTAINS', '127.0.0.1'),
      says('CONNECTION', 'tlsVersion', 'EQUALS', 'TLS1.3'),
      says('CONNECTION', 'chainTrusted', 'EQUALS', 'true'),
      says('RESPONSE_TIME', '', 'LESS_THAN', '60000'),
      says('JSON_RESPONSE', '$.certificate.keyAlgorithm', 'EQUALS', 'ECDSA'),
    ];
    expect((await attempt(run, check(port, {}, good), { ca })).errors).toEqual([]);
    const bad = [
      says('CERTIFICATE', 'daysUntilExpiry', 'GREATER_THAN', '30'),
      says('CERTIFICATE', 'colour', 'EQUALS', 'red'),
    ];
    const { errors } = await attempt(run, check(port, {}, bad), { ca });
    expect(errors).toContain('CERTIFICATE daysUntilExpiry GREATER_THAN "30": was 1');
    expect(errors.join()).toMatch(/CERTIFICATE has no property colour: use subjectCN, issuerCN/);
  });

  it('fails when the handshake takes too long', async () => {
    const outcome = await attempt(run, check(await serve('good'), {}, [], { maxResponseTime: 0 }), { ca });
    expect(outcome).toMatchObject({ hasFailures: true, overMaxResponseTime: true });
  });
});

describe('a bad certificate', () => {
  it.each([
    ['expired', /^the certificate "expired" expired on \d{4}-\d\d-\d\d: renew it$/],
    [
      'wrong host',
      /^the certificate "wrong host" is for the DNS name elsewhere\.test, not for the address 127\.0\.0\.1: /,
    ],
    ['self-signed', /^the certificate "self" is not trusted, because it is self-signed: /],
  ])('fails: %s', async (name, error) => {
    const outcome = await attempt(run, check(await serve(name)), { ca });
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
    expect(outcome.errors).toEqual([expect.stringMatching(error)]);
  });

  it('fails without the authority that signed it, unless the chain is not verified', async () => {
    const port = await serve('good');
    const { errors, details } = await attempt(run, check(port));
    expect(errors).toEqual([
      expect.stringMatching(
        /^the certificate "good" is not trusted, because the issuer is not known \("Nobody"\): /,
      ),
    ]);
    expect(details.response).toMatchObject({ chainTrusted: false, hostnameVerified: true });
    expect((await attempt(run, check(port, { skipChainValidation: true }))).errors).toEqual([]);
  });

  it('fails before it is valid', async () => {
    const clock = { ...systemClock, now: () => Date.now() - 10 * DAY_MS };
    const { errors } = await attempt(run, check(await serve('good')), { ca, clock });
    expect(errors).toEqual([
      expect.stringMatching(/^the certificate "good" is not valid before \d{4}-/),
      expect.stringMatching(/^the root certificate "Nobody" of "good" is not valid before \d{4}-/),
    ]);
  });

  it('fails if it expired, also without verification of the chain', async () => {
    const { errors } = await attempt(run, check(await serve('expired'), { skipChainValidation: true }), {
      ca,
    });
    expect(errors).toEqual([expect.stringMatching(/^the certificate "expired" expired on /)]);
  });

  it('is verified for the server name, if that is another one', async () => {
    const port = await serve('wrong host');
    const outcome = await attempt(run, check(port, { serverName: 'elsewhere.test' }), { ca });
    expect(outcome.errors).toEqual([]);
  });

  it('is verified for an international name in its ASCII form', async () => {
    const port = await serve('wrong host');
    const { errors } = await attempt(run, check(port, { serverName: 'bücher.example' }), { ca });
    expect(errors).toEqual([
      expect.stringMatching(
        /^the certificate "wrong host" is for elsewhere\.test, not for xn--bcher-kva\.example: /,
      ),
    ]);
  });

  it('is not degraded if it expired and the check is expected to fail', async () => {
    const outcome = await attempt(run, check(await serve('expired'), {}, [], { shouldFail: true }), { ca });
    expect(outcome).toMatchObject({ hasFailures: false, isDegraded: false, details: { notes: [] } });
  });

  it('fails if it has a date that does not exist', async () => {
    const port = await serve('self-signed', withoutMonth);
    const { errors, hasErrors } = await attempt(run, check(port, { skipChainValidation: true }));
    expect(hasErrors).toBe(false);
    expect(errors).toEqual(['the certificate "self" has an invalid date: renew it']);
  });
});

/** Returns the certificate with month 13 in its last date. Its signature is wrong then, which servers do not verify. */
function withoutMonth(pem: Buffer): Buffer {
  const base64 = pem.toString().replace(/-----[^-]+-----|\s/g, '');
  const der = Buffer.from(base64, 'base64').toString('latin1');
  const changed = der.replace(/(\d{12}Z.{2}\d\d)\d\d(\d{8}Z)/s, '$113$2');
  expect(changed).not.toBe(der);
  const body = Buffer.from(changed, 'latin1')
    .toString('base64')
    .replace(/(.{64})/g, '$1\n');
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`);
}

describe('no certificate', () => {
  it('fails where nobody listens', async () => {
    const outcome = await attempt(run, check(await freePort()));
    expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true, responseTime: null });
    expect(outcome.errors[0]).toMatch(/refused/);
  });

  it('fails where nobody speaks TLS', async () => {
    const { port } = await serveSockets((socket) => socket.end('220 mail.test\r\n'));
    const { errors } = await attempt(run, check(port));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/TLS handshake/);
  });

  it('cannot be asked for where the policy forbids it', async () => {
    const denied = attempt(run, check(443), { denyAddress: denyPrivateNetworks });
    await expect(denied).rejects.toThrow(/not allowed to contact 127\.0\.0\.1/);
  });

  it('is not waited for once the run is cancelled', async () => {
    const stop = new AbortController();
    const { port } = await serveSockets(() => stop.abort(new Error('cancelled')));
    await expect(attempt(run, check(port), {}, stop.signal)).rejects.toThrow('cancelled');
  });
});
