/** Certificates of real TLS servers on loopback. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { inspectCertificate } from '../../../src/runners/tls/inspect-certificate.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { needs } from '../../support/needs.ts';
import { surroundings } from '../../support/runners.ts';

const DAY_MS = 86_400_000;
const { signal } = new AbortController();
const OPENSSL = 'openssl';
beforeEach(needs(OPENSSL));

/** A server whose certificate is good for ten days, and for localhost alone. */
async function secureServer(): Promise<{ domain: string; port: number; ca: string }> {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj /O=Test/CN=localhost';
  execFileSync(
    OPENSSL,
    ['req', ...made.split(' '), '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  const ca = readFileSync(cert, 'utf8');
  const server = createServer({ key: readFileSync(key), cert: ca }, (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { domain: `localhost:${port}`, port, ca };
}

it('says how long a good certificate lasts', async () => {
  const { domain, ca } = await secureServer();
  const { report, isNetworkError } = await inspectCertificate(domain, surroundings({ ca: [ca] }), signal);
  expect(report).toMatchObject({ domain, trusted: true, problem: null, issuer: 'localhost' });
  expect(report.daysLeft).toBeGreaterThanOrEqual(9);
  expect(isNetworkError).toBe(false);
});

it('finds fault with one that has expired, that nobody vouches for, and that is for another name', async () => {
  const { domain, port, ca } = await secureServer();
  const later = { ...systemClock, now: () => Date.now() + 20 * DAY_MS };
  const expired = await inspectCertificate(domain, surroundings({ clock: later, ca: [ca] }), signal);
  expect(expired.report.problem).toMatch(
    /^the certificate "localhost" expired on \d{4}-\d\d-\d\d: renew it$/,
  );
  expect(expired.report.daysLeft).toBeLessThan(0);
  const unknown = await inspectCertificate(domain, surroundings(), signal);
  expect(unknown.report).toMatchObject({
    trusted: false,
    problem:
      'the certificate "localhost" is not trusted, because it is self-signed: use a certificate of a public authority, or trust this one (NODE_EXTRA_CA_CERTS)',
  });
  const other = await inspectCertificate(`127.0.0.1:${port}`, surroundings({ ca: [ca] }), signal);
  expect(other.report.problem).toMatch(
    /^the certificate "localhost" is for the DNS name localhost, not for the address 127\.0\.0\.1: /,
  );
});

it('tells a domain that cannot be reached from a bad certificate, and contacts no address that is denied', async () => {
  const closed = await inspectCertificate(`127.0.0.1:${await freePort()}`, surroundings(), signal);
  expect(closed).toMatchObject({ isNetworkError: true, report: { trusted: false, daysLeft: null } });
  const denying = surroundings({ denyAddress: () => 'it is private' });
  await expect(inspectCertificate('127.0.0.1', denying, signal)).rejects.toThrow('it is private');
  await expect(inspectCertificate('not a domain', surroundings(), signal)).rejects.toThrow(
    'must be a domain',
  );
});
