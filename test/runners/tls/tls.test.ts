/** The path, the names and the failures of TLS connections, against real servers with certificates of openssl. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { certificateOf } from '../../../src/contract/measured-facts.ts';
import type { RunOutcome } from '../../../src/runners/core/runner.ts';
import { run as runUrl } from '../../../src/runners/http/url-runner.ts';
import { explainRefusal, explainTlsCode, tlsCodeOf } from '../../../src/runners/network/tls-errors.ts';
import { run as runSsl, type SslCheck } from '../../../src/runners/ssl/runner.ts';
import { inspectCertificate } from '../../../src/runners/tls/inspect-certificate.ts';
import {
  alternativeNamesOf,
  formatAlternativeName,
  isForServer,
  normalizeServerName,
} from '../../../src/runners/tls/names.ts';
import { type Certificates, makeCertificates } from '../../cases/servers/certificates.ts';
import { startTlsServer, tlsServers } from '../../cases/servers/tls-servers.ts';
import { patientClock } from '../../support/clock.ts';
import { needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { findProgram } from '../../support/needs.ts';
import { attempt, surroundings } from '../../support/runners.ts';

const DAY_MS = 86_400_000;
let certificates: Certificates;
let ca: readonly string[];
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') === undefined) return;
  certificates = await makeCertificates();
  const { cert } = await certificates.chain('root', 'rootExpiresSoon');
  ca = [cert.toString()];
});
afterAll(() => certificates?.remove());

async function serve(name: keyof typeof tlsServers): Promise<number> {
  const { port, close } = await startTlsServer(tlsServers[name], certificates);
  onTestFinished(close);
  return port;
}

const sslCheck = (port: number, sslConfig: object = {}, assertions: object[] = []) =>
  ({
    request: { sslConfig: { hostname: '127.0.0.1', port, serverName: 'a.test', ...sslConfig }, assertions },
  }) as SslCheck;
const ssl = async (name: keyof typeof tlsServers, sslConfig: object = {}, assertions: object[] = []) =>
  attempt(runSsl, sslCheck(await serve(name), sslConfig, assertions), { ca });
const url = async (name: keyof typeof tlsServers): Promise<RunOutcome> =>
  attempt(runUrl, { request: { url: `https://127.0.0.1:${await serve(name)}/` } }, { ca });

describe('the certificate that expires first', () => {
  it('is an intermediate or the root of the verified path', async () => {
    const outcome = await ssl('intermediateExpiresSoon');
    expect(outcome).toMatchObject({ errors: [], isDegraded: true });
    expect(outcome.details).toMatchObject({
      response: {
        ...{ daysUntilExpiry: 4, certificate: { daysUntilExpiry: 364 } },
        ...{
          expiresFirst: { subjectCN: 'Int Short' },
          chain: [{ subjectCN: 'Int Short' }, { subjectCN: 'Root A' }],
        },
      },
      notes: [
        expect.stringMatching(
          /^the intermediate certificate "Int Short" of "a\.test" expires on \d{4}-\d\d-\d\d, in 4 days \(degraded from 20 days\)$/,
        ),
      ],
    });
    expect(certificateOf(outcome.details)).toMatchObject({ authority: 'Int Short' });
    const { details } = await ssl('rootExpiresSoon');
    expect(details.notes).toEqual([
      expect.stringMatching(/^the root certificate "Root Short" of "a\.test" /),
    ]);
  });

  it('counts for URL checks and sslCheckDomain', async () => {
    const { details, errors } = await url('intermediateExpiresSoon');
    expect(errors).toEqual([]);
    expect(details.tls).toMatchObject({
      subject: 'a.test',
      daysLeft: 4,
      expiresFirst: { subject: 'Int Short' },
    });
    expect(certificateOf(details)).toMatchObject({ authority: 'Int Short' });
    const domain = `127.0.0.1:${await serve('rootExpiresSoon')}`;
    const { report } = await inspectCertificate(domain, surroundings({ ca }), new AbortController().signal);
    expect(report).toMatchObject({ daysLeft: 5, expiresFirst: { subject: 'Root Short' }, problem: null });
    expect(certificateOf({ sslCheck: report })).toMatchObject({ host: domain, authority: 'Root Short' });
  });

  it.each([
    'sendsExpiredStrangers',
    'rootCrossSignedExpired',
    'rootCrossSignedExpiresSoon',
    'sendsOldAndNewIntermediate',
    'sendsShortAndLongIntermediate',
    'wrongOrder',
  ] as const)('is none that the path does not need: %s', async (name) => {
    const outcome = await ssl(name);
    expect(outcome).toMatchObject({ errors: [], isDegraded: false });
    expect(outcome.details.response).toMatchObject({
      daysUntilExpiry: 364,
      chain: [{}, { subjectCN: 'Root A' }],
    });
    expect(certificateOf(outcome.details)).not.toHaveProperty('authority');
  });

  it('degrades from the exact instant of the threshold on', async () => {
    const port = await serve('good');
    const { details } = await attempt(runSsl, sslCheck(port), { ca });
    const { validTo } = (details.response as { expiresFirst: { validTo: string } }).expiresFirst;
    const at = (beforeMs: number) =>
      attempt(runSsl, sslCheck(port, { alertDaysBeforeExpiry: 20 }), {
        ca,
        clock: { ...patientClock, now: () => Date.parse(validTo) - beforeMs },
      });
    expect(await at(20 * DAY_MS + 1000)).toMatchObject({ errors: [], isDegraded: false });
    expect(await at(20 * DAY_MS)).toMatchObject({ errors: [], isDegraded: true });
    expect(await at(1000)).toMatchObject({ errors: [], isDegraded: true });
    expect(await at(0)).toMatchObject({
      errors: [expect.stringMatching(/^the certificate "a\.test" expired on /)],
    });
  });

  it('is that of the server if the chain is not validated', async () => {
    const outcome = await ssl('intermediateExpiresSoon', { skipChainValidation: true });
    expect(outcome).toMatchObject({ errors: [], isDegraded: false });
  });
});

describe('a failure', () => {
  it.each([
    [
      'intermediateExpired',
      /^the intermediate certificate "Int Exp" of "a\.test" expired on \d{4}-\d\d-\d\d: install /,
    ],
    [
      'intermediateNotYetValid',
      /^the intermediate certificate "Int Future" of "a\.test" is not valid before \d{4}-/,
    ],
    [
      'noIntermediate',
      /^the certificate "a\.test" is not trusted, because the issuer is not known \("Int A"\): install /,
    ],
    [
      'ofUnknownRoot',
      /^the certificate "a\.test" is not trusted, because the root is not trusted \("Root of clients"\): /,
    ],
    ['forClients', /^the certificate "a\.test" is not trusted, because it is not for servers: /],
    [
      'tls11',
      /^the TLS handshake with a\.test failed: the server supports no TLS version that is safe: enable /,
    ],
    // Its server chooses the size of the key, which costs time of this process.
    [
      'finiteFieldKeys',
      /^the TLS handshake with a\.test failed: the server supports none of the ciphers that sonde offers: enable /,
    ],
    [
      'commonNameOnly',
      /^the certificate "a\.test" has no alternative names, and its common name does not count: /,
    ],
    ['emailOnly', /^the certificate "a\.test" is for the e-mail address x@a\.test, not for a\.test: /],
    ['wildcard', /is for \*\.test, not for a\.test \(a wildcard stands for /],
  ] as const)('names the certificate and the remedy: %s', async (name, error) => {
    expect((await ssl(name)).errors).toEqual([expect.stringMatching(error)]);
  });

  it('names the intermediate and its date in a URL check', async () => {
    expect((await url('intermediateExpired')).errors).toEqual([
      expect.stringMatching(
        /the intermediate certificate "Int Exp" of "a\.test" expired on \d{4}-\d\d-\d\d: /,
      ),
    ]);
  });

  it('distinguishes a name from an address', async () => {
    const { errors } = await ssl('addressAsName', { serverName: '10.0.0.1' });
    expect(errors).toEqual([
      expect.stringMatching(
        /is for the DNS name 10\.0\.0\.1, not for the address 10\.0\.0\.1: issue it with 10\.0\.0\.1 as an alternative name of type IP/,
      ),
    ]);
  });
});

describe('a server that wants a client certificate', () => {
  const note = 'the server requires a client certificate, and SSL checks present none';
  it.each([
    ['asksClientTls12', [note]],
    ['invitesClient', []],
  ] as const)('presents its own to an SSL check: %s', async (name, notes) => {
    const outcome = await ssl(name, { alertDaysBeforeExpiry: 1 });
    expect(outcome).toMatchObject({ errors: [], details: { notes, errorCode: null } });
    expect(outcome.details.response).toMatchObject({
      tlsVersion: 'TLS1.2',
      chainTrusted: true,
      hostnameVerified: true,
    });
  });

  it('fails an SSL check for a name that it does not have', async () => {
    const { errors } = await ssl('asksClientTls12', { serverName: 'b.test' });
    expect(errors).toEqual([expect.stringMatching(/, not for b\.test: /)]);
  });
});

describe('alternative names', () => {
  const names = (subjectAltName: string) => alternativeNamesOf({ subjectAltName });
  it.each([
    ['DNS:A.Test', 'a.test', true],
    ['DNS:a.test.', 'a.test', true],
    ['DNS:a.test', 'A.test.', true],
    ['DNS:*.a.test', 'x.a.test', true],
    ['DNS:*.a.test', 'my_shop.a.test', true],
    ['DNS:*.a.test', 'a.test', false],
    ['DNS:*.a.test', '.a.test', false],
    ['DNS:*.a.test', 'x.y.a.test', false],
    ['DNS:x*.a.test', 'xy.a.test', false],
    ['DNS:*.*.test', 'x.y.test', false],
    ['DNS:x.*.test', 'x.*.test', false],
    ['DNS:*.test', 'a.test', false],
    ['DNS:*', 'test', false],
    ['DNS:xn--mnchen-3ya.test', 'MÜNCHEN.test', true],
    ['DNS:127.0.0.1', '127.0.0.1', false],
    ['IP Address:127.0.0.1', '127.0.0.1', true],
    ['IP Address:2001:DB8:0:0:0:0:0:1', '2001:db8::0001', true],
    ['IP Address:2001:DB8:0:0:0:0:0:1', '2001:db8::2', false],
    ['email:a.test, URI:a.test', 'a.test', false],
    ['URI:"http://x.test/a, DNS:a.test", DNS:b.test', 'a.test', false],
    ['URI:"http://x.test/a, DNS:a.test", DNS:b.test', 'b.test', true],
    ['', 'a.test', false],
  ])('%s for %s: %s', (list, server, expected) => {
    expect(isForServer(names(list), normalizeServerName(server))).toBe(expected);
  });

  it('are all read, and formatted for assertions', () => {
    const list =
      'DNS:a.test, URI:"http://x.test/a, DNS:evil.test", IP Address:0:0:0:0:0:0:0:1, email:x@a.test';
    expect(names(list).map(formatAlternativeName)).toEqual([
      ...['a.test', 'URI:http://x.test/a, DNS:evil.test', '::1', 'email:x@a.test'],
    ]);
  });

  it('are all examined, without case, and limited in the result only', async () => {
    const says = (comparison: string, target: string) => ({
      source: 'CERTIFICATE',
      property: 'sans',
      comparison,
      target,
    });
    const good = await ssl('manyNames', {}, [says('CONTAINS', 'a.test'), says('NOT_CONTAINS', 'h401.test')]);
    expect(good.errors).toEqual([]);
    const { sans } = (good.details.response as { certificate: { sans: string[] } }).certificate;
    expect(sans).toHaveLength(100);
    const bad = await ssl('manyNames', {}, [says('NOT_CONTAINS', 'H400.test')]);
    expect(bad.errors).toEqual([expect.stringMatching(/NOT_CONTAINS/)]);
  });
});

describe('a code of OpenSSL', () => {
  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', /^the server does not speak TLS on this port: /],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /^the server supports no TLS version that is safe: /],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /^the server supports none of the ciphers /],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', /^the server supports none of the ciphers /],
    ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', /^the server has no certificate for this name: /],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /^the server requires a client certificate/],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', /with the alert "unknown ca": /],
    ['ERR_SSL_DH_KEY_TOO_SMALL', /^the key of the server is too weak: /],
    ['ERR_SSL_BAD_SIGNATURE', /^the server breaks the TLS protocol: /],
    ['', /^the server breaks the TLS protocol: /],
  ])('%s is a plain sentence', (code, sentence) => {
    expect(explainTlsCode(code)).toMatch(sentence);
  });

  it('is found in the text of an error that has none', () => {
    const text =
      'write EPROTO 8028:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../deps/x.c:1601:SSL alert number 40';
    expect(tlsCodeOf(Object.assign(new Error(text), { code: 'EPROTO' }))).toBe(
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    );
    expect(tlsCodeOf(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))).toBeUndefined();
  });

  it('of a refused chain has a reason, also if it is unknown', () => {
    expect(explainRefusal('UNABLE_TO_VERIFY_LEAF_SIGNATURE').reason).toBe('the issuer is not known');
    expect(explainRefusal('SOMETHING_NEW').reason).toBe('the chain breaks a rule for certificates');
  });
});
