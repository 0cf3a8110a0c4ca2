/** The issuers that connections with the usual trust store look up, and remember. */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { createServer, rootCertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { cacheIssuers, shakeHands } from '../../../src/runners/tls/handshake.ts';
import { type Certificates, makeCertificates } from '../../cases/servers/certificates.ts';
import { needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { findProgram } from '../../support/needs.ts';

let certificates: Certificates;
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') !== undefined) certificates = await makeCertificates();
});
afterAll(() => certificates?.remove());

const readCertificate = async (name: 'good' | 'expired') =>
  new X509Certificate((await certificates.chain(name)).cert);

it('are looked up once while they are valid, and again after that', async () => {
  const [good, expired] = [await readCertificate('good'), await readCertificate('expired')];
  const find = vi.fn((certificate: X509Certificate) =>
    certificate === good ? good : certificate === expired ? expired : undefined,
  );
  const cached = cacheIssuers(find);
  const [root] = rootCertificates.map((text) => new X509Certificate(text));
  for (const certificate of [good, expired, root ?? good, good, expired, root ?? good])
    expect(cached(certificate)).toBe(find(certificate));
  find.mockClear();
  for (const certificate of [good, expired, root ?? good]) cached(certificate);
  expect(find.mock.calls).toEqual([[expired]]);
});

it('are those of the trust store, for each connection', async () => {
  const server = createServer(
    await certificates.chain('good', 'intermediate'),
    (socket) => void socket.end(),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  const { signal } = new AbortController();
  const deadline = { clock: systemClock, signal, timeoutMs: 60_000, remainingMs: () => 60_000 };
  const root = new X509Certificate(rootCertificates[0] ?? '');
  for (let connection = 1; connection <= 2; connection += 1) {
    const { socket, presented } = await shakeHands(connect(port, '127.0.0.1'), 'a.test', {}, {}, deadline);
    await new Promise<void>((resolve) => void socket.resume().once('close', () => resolve()));
    expect(presented.findTrustedIssuer(root)?.fingerprint256).toBe(root.fingerprint256);
    expect(presented.certificates.map(presented.findTrustedIssuer)).toEqual([undefined, undefined]);
  }
});
