/** Servers that choose the size of a finite-field key: a handshake with them costs time of the service, so nothing begins one. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createApiRunner } from '../../src/runners/api/runner.ts';
import { run as runUrl } from '../../src/runners/http/url-runner.ts';
import { run as runSsl } from '../../src/runners/ssl/runner.ts';
import { deliverHttp } from '../../src/service/notify/outbox/deliver/http.ts';
import { needsOpenssl } from '../support/fault-proxy/authority.ts';
import { attempt } from '../support/runners.ts';

beforeEach(needsOpenssl);

/** A key of the only kind that signs such handshakes, and its certificate. */
function makeCredentials(): { readonly key: string; readonly cert: string } {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1', '-days', '9'];
  const pem = execFileSync('openssl', [...args, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { key: pem, cert: pem };
}

/** Starts a server that accepts nothing but keys of finite fields, for the time of a test. */
async function serve() {
  const { key, cert } = makeCredentials();
  let handshakes = 0;
  const options = { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' } as const;
  const server = createServer({ key, cert, ...options }, (_, response) => response.end('welcome'));
  server.on('tlsClientError', () => {});
  server.on('secureConnection', () => {
    handshakes += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { target: { url: `https://127.0.0.1:${port}`, port, ca: [cert] }, handshakes: () => handshakes };
}

interface Target {
  readonly url: string;
  readonly port: number;
  readonly ca: readonly string[];
}

/** Returns what an attempt says of the handshake. */
const ATTEMPTS: Readonly<Record<string, (target: Target) => Promise<string>>> = {
  'a URL check': async ({ url, ca }) => String((await attempt(runUrl, { request: { url } }, { ca })).errors),
  'an API check': async ({ url, ca }) => {
    const api = { request: { url, method: 'GET' } };
    const slot = await createApiRunner().acquireSlot(api, new AbortController().signal);
    return String((await attempt(slot.run, api, { ca })).errors);
  },
  'an SSL check': async ({ port, ca }) => {
    const request = { sslConfig: { hostname: '127.0.0.1', port, alertDaysBeforeExpiry: 1 }, assertions: [] };
    return String((await attempt(runSsl, { request }, { ca })).errors);
  },
  'a webhook': async ({ url }) => {
    const context = { idempotencyKey: 'one', signal: new AbortController().signal };
    const request = { url: new URL(url), method: 'POST', headers: {}, body: '{}' } as const;
    return JSON.stringify(await deliverHttp(request, context, { timeoutMs: 5000 }));
  },
};

it.each(Object.entries(ATTEMPTS))('%s offers no cipher with such a key', async (_, attemptAt) => {
  const { target, handshakes } = await serve();
  expect(await attemptAt(target)).toMatch(/supports none of the ciphers|handshake failure/i);
  expect(handshakes()).toBe(0);
});
