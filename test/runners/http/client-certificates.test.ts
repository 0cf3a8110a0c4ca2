/** Client certificates of API and URL checks, against real TLS servers that require them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import type { ClientCertificate } from '../../../src/runners/core/runner.ts';
import { findClientCertificate } from '../../../src/runners/http/client-certificates.ts';
import { run, type UrlCheck } from '../../../src/runners/http/url-runner.ts';
import { type Authority, makeAuthority, needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { credentialsOf, serveMutualTls } from '../../support/mutual-tls.ts';
import { findProgram } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

let authority: Authority;
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') !== undefined) authority = await makeAuthority();
});
afterAll(() => authority?.remove());

const certificateFor = async (host: string, name = 'good'): Promise<ClientCertificate> => ({
  host,
  ...(await credentialsOf(authority, name)),
});
const given = (...certificates: readonly ClientCertificate[]) => ({
  clientCertificates: async () => certificates,
});
const check = (url: string, more: Partial<UrlCheck['request']> = {}): UrlCheck => ({
  request: { url, ...more },
});
/** All names lead to this machine. */
const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

describe('the certificate for a host', () => {
  const named = (host: string): ClientCertificate => ({ host, cert: '', key: '' });
  const all = ['*.a.test', 'api.a.test', '*.eu.a.test', '*.a.test', 'a.test'].map(named);
  it.each([
    ['api.a.test', 'api.a.test'],
    ['API.a.test.', 'api.a.test'],
    ['www.a.test', '*.a.test'],
    ['api.eu.a.test', '*.eu.a.test'],
    ['a.test', 'a.test'],
    ['nota.test', undefined],
    ['b.test', undefined],
    ['a.test.evil.test', undefined],
  ])('of %s is the one for %s', (host, pattern) => {
    expect(findClientCertificate(all, host)?.host).toBe(pattern);
  });

  it('is the first one of several with the same name', () => {
    expect(findClientCertificate(all, 'www.a.test')).toBe(all[0]);
  });
});

describe('a host that requires a client certificate', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s fails without one, and passes with one',
    async (version) => {
      const server = await serveMutualTls(authority, undefined, { minVersion: version, maxVersion: version });
      const certificate = await certificateFor('127.0.0.1');
      const ca = [certificate.ca ?? ''];
      const without = await attempt(run, check(server.url), { ca });
      expect(without).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
      expect(without.errors[0]).toMatch(
        /127\.0\.0\.1.* requires? a client certificate, and no client certificate/,
      );
      const elsewhere = await attempt(run, check(server.url), {
        ca,
        ...given({ ...certificate, host: 'a.test' }),
      });
      expect(elsewhere.errors).toEqual(without.errors);
      // The certificate of the server is signed by an authority that only the client certificate names.
      const outcome = await attempt(run, check(server.url), given(certificate));
      expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
      expect(server.presented).toEqual(['good']);
      expect(JSON.stringify([without, outcome])).not.toContain('PRIVATE KEY');
    },
  );

  it('gets it from an API check, too', async () => {
    const server = await serveMutualTls(authority);
    const api = { request: { url: server.url, method: 'GET' } };
    const slot = await createApiRunner().acquireSlot(api, new AbortController().signal);
    const outcome = await attempt(slot.run, api, given(await certificateFor('127.0.0.1')));
    expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false });
    expect(server.presented).toEqual(['good']);
  });

  it('names an expired one, and one of an authority that it does not know', async () => {
    const server = await serveMutualTls(authority);
    const ca = [(await certificateFor('127.0.0.1')).ca ?? ''];
    const errorOf = async (name: string) => {
      const certificate = await certificateFor('127.0.0.1', name);
      const outcome = await attempt(run, check(server.url), { ca, ...given(certificate) });
      expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
      return outcome.errors[0];
    };
    expect(await errorOf('expired')).toMatch(
      /may have rejected the client certificate for 127\.0\.0\.1, which expired on \d{4}-\d\d-\d\d$/,
    );
    expect(await errorOf('self-signed')).toMatch(
      /may have rejected the client certificate for 127\.0\.0\.1$/,
    );
    expect(server.presented).toEqual([]);
  });
});

describe('a redirect to another host', () => {
  const options = { rejectUnauthorized: false };
  const redirecting = async () => {
    const target = await serveMutualTls(authority, undefined, options);
    const location = `https://b.test:${target.port}/`;
    const first = await serveMutualTls(authority, (_, response) =>
      response.writeHead(302, { location }).end(),
    );
    return { first, target, url: `https://a.test:${first.port}` };
  };

  it('does not get the certificate', async () => {
    const { first, target, url } = await redirecting();
    const certificate = await certificateFor('a.test');
    const outcome = await attempt(run, check(url, { skipSSL: true }), { lookup, ...given(certificate) });
    expect(outcome).toMatchObject({ hasFailures: false, errors: [] });
    expect([first.presented, target.presented]).toEqual([['good'], [undefined]]);
  });

  it('gets its own', async () => {
    const { first, target, url } = await redirecting();
    const certificates = given(await certificateFor('a.test'), await certificateFor('*.test', 'self-signed'));
    const outcome = await attempt(run, check(url, { skipSSL: true }), { lookup, ...certificates });
    expect(outcome).toMatchObject({ hasFailures: false, errors: [] });
    expect([first.presented, target.presented]).toEqual([['good'], ['self']]);
  });
});

it('is a monitor error if the certificates cannot be read', async () => {
  const server = await serveMutualTls(authority);
  const clientCertificates = () => Promise.reject(new Error('the database is locked'));
  const outcome = attempt(run, check(server.url), { clientCertificates });
  await expect(outcome).rejects.toThrow('the client certificates of the account cannot be read');
});
