/** HTTPS servers for tests that ask their clients for a certificate of a test's authority. */
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Authority } from './fault-proxy/authority.ts';

/** A certificate that the authority issued, its key, and the certificate of the authority, all in PEM. */
export async function credentialsOf({ file }: Authority, name: string) {
  const read = (file_: string) => readFile(join(dirname(file), file_), 'utf8');
  return {
    cert: await read(`${name}.pem`),
    key: await read(`${name}.key`),
    ca: await readFile(file, 'utf8'),
  };
}

/** Starts a server that ends with the test. It requires a certificate of the authority, unless `options` says less. */
export async function serveMutualTls(
  authority: Authority,
  respond: RequestListener = (_, response) => response.end('welcome'),
  options: TlsOptions = {},
) {
  /** The names in the certificates that clients presented; undefined for none. */
  const presented: (string | undefined)[] = [];
  const server = createServer(
    { ...(await credentialsOf(authority, 'good')), requestCert: true, rejectUnauthorized: true, ...options },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      presented.push(subject === undefined ? undefined : String(subject.CN));
      respond(request, response);
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, presented };
}
