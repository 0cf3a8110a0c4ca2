/** Certificates of real TLS servers on loopback. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { inspectCertificate } from '../../src/runners/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/needs.ts';

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
  const { report, isNetworkError } = await inspectCertificate(domain, { clock: systemClock }, signal, {
    ca: [ca],
  });
  expect(report).toMatchObject({ domain, trusted: true, problem: null, issuer: 'Test' });
  expect(report.daysLeft).toBeGreaterThanOrEqual(9);
  expect(isNetworkError).toBe(false);
});

it('finds fault with one that has expired, that nobody vouches for, and that is for another name', async () => {
  const { domain, port, ca } = await secureServer();
  const later = { ...systemClock, now: () => Date.now() + 20 * DAY_MS };
  const expired = await inspectCertificate(domain, { clock: later }, signal, { ca: [ca] });
  expect(expired.report.problem).toMatch(/^expired on \d{4}-/);
  expect(expired.report.daysLeft).toBeLessThan(0);
  const unknown = await inspectCertificate(domain, { clock: systemClock }, signal);
  expect(unknown.report).toMatchObject({
    trusted: false,
    problem: 'cannot be trusted: DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  const other = await inspectCertificate(`127.0.0.1:${port}`, { clock: systemClock }, signal, { ca: [ca] });
  expect(other.report.problem).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
});

it('tells a domain that cannot be reached from a bad certificate, and contacts no address that is denied', async () => {
  const closed = await inspectCertificate(`127.0.0.1:${await freePort()}`, { clock: systemClock }, signal);
  expect(closed).toMatchObject({ isNetworkError: true, report: { trusted: false, daysLeft: null } });
  const denying = { clock: systemClock, denyAddress: () => 'it is private' };
  await expect(inspectCertificate('127.0.0.1', denying, signal)).rejects.toThrow('it is private');
  await expect(inspectCertificate('not a domain', { clock: systemClock }, signal)).rejects.toThrow(
    'must be a domain',
  );
});
