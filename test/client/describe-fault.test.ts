/** What goes wrong below HTTP, against real sockets that do it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NetworkError } from '../../src/base/errors.ts';
import { describeFault } from '../../src/client/describe-fault.ts';
import { RefusedError } from '../../src/client/index.ts';
import { createDnsCheck, deleteSnippet, getStatusPage } from '../../src/contract/index.ts';
import { bareEnv, sonde } from '../support/binary.ts';
import { freePort } from '../support/free-port.ts';
import { answer, serve, serveSockets, serveWith } from '../support/http.ts';
import { cert, key } from './certificate.ts';
import { bench, jumpingClock, KEY, rejection } from './fixtures.ts';

const page = { params: { statusPageId: 'p' } };

async function trusted(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-ca-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'ca.pem'), text);
  return join(folder, 'ca.pem');
}

/** Answers every request at a port that was free. Ends with the test. */
async function listenAt(port: number): Promise<HttpServer> {
  const server = createHttpServer((_request, response) => answer(response, { body: { id: 'p' } }));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('what is said of no connection', () => {
  const limits = { answerTimeoutMs: 1000, maxBytes: 1000 };
  const failed = (code: string, message = code) =>
    ({
      kind: 'fault',
      reason: 'failed',
      error: Object.assign(new Error(message), { code }),
      sent: false,
    }) as const;
  it.each([
    ['http://127.0.0.1:4100', undefined, 'ECONNREFUSED', 'to start the service, run: sonde service start'],
    ['http://localhost:4100', undefined, 'ECONNREFUSED', 'to start the service, run: sonde service start'],
    ['http://localhost:4101', undefined, 'ECONNREFUSED', 'check that the service is running on this port'],
    ['https://api.test:4100', undefined, 'ECONNREFUSED', 'check the port'],
    ['https://api.test', undefined, 'ENOTFOUND', 'check the spelling of the base URL'],
    ['https://api.test', undefined, 'EAI_AGAIN', 'DNS servers'],
    ['https://api.test', undefined, 'ENETUNREACH', 'VPN'],
    ['https://api.test', 'proxy.test:3128', 'ENOTFOUND', 'check HTTPS_PROXY'],
    ['http://api.test', 'proxy.test:3128', 'ECONNREFUSED', 'check HTTP_PROXY'],
    ['https://api.test', undefined, 'CERT_HAS_EXPIRED', 'must renew the certificate'],
    ['https://api.test', undefined, 'CERT_NOT_YET_VALID', 'clock'],
    ['https://api.test', undefined, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS='],
  ])('to %s (proxy: %s), %s: the way out', (origin, proxy, code, hint) => {
    expect(describeFault(failed(code), { origin, proxy }, limits).hint).toContain(hint);
  });
});

describe('a service that cannot be reached', () => {
  it('is named at once where nothing listens on this machine, with the command that starts it', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { client, waits } = bench(url, { startCommand: 'sonde service start --listen 127.0.0.1:4200' });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toBe(`cannot connect to ${url}: connection refused`);
    expect(error.hint).toBe('to start the service, run: sonde service start --listen 127.0.0.1:4200');
    expect(waits).toEqual([]);
  });

  it('is waited for where it has answered before: it may be starting again', async () => {
    const port = await freePort();
    const first = await listenAt(port);
    let sleeps = 0;
    const clock = {
      ...jumpingClock(),
      sleep: async () => {
        sleeps += 1;
        if (sleeps === 2) await listenAt(port);
      },
    };
    const { client } = bench(`http://127.0.0.1:${port}`, { clock });
    await client.call(getStatusPage, page);
    first.closeAllConnections();
    await new Promise((resolve) => first.close(resolve));
    expect((await client.call(getStatusPage, page)).body).toEqual({ id: 'p' });
    expect(sleeps).toBe(2);
  });

  it.each([
    ['a budget is given', '127.0.0.1', { retryBudgetMs: 60_000 }],
    ['the address is not of this machine alone', '0.0.0.0', {}],
  ])('is tried for the whole budget where %s, also with a POST', async (_, host, config) => {
    const url = `http://${host}:${await freePort()}`;
    const { client, clock, waits } = bench(url, config);
    const error = await rejection(client.call(createDnsCheck, { body: {} as never }), NetworkError);
    expect(error.message).toBe(`cannot connect to ${url}: connection refused`);
    expect(error.mayHaveActed).toBe(false);
    expect(error.hint).toMatch(/tried \d+ times in [\d.]+ s$/);
    expect(waits.map(({ waitMs }) => waitMs).slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    expect(clock.monotonic()).toBeLessThanOrEqual(60_000);
    expect(clock.monotonic()).toBeGreaterThan(50_000);
  });

  it('is named where the host does not exist', async () => {
    const { client } = bench('http://nowhere.invalid', { retryBudgetMs: 0 });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(
      /^cannot connect to http:\/\/nowhere\.invalid: (host not found|temporary DNS failure)/,
    );
  });

  it('is said to have no trusted certificate, at once, and learns no key', async () => {
    const server = await serveWith(
      (_request, response) => answer(response, { body: {} }),
      (listener) => createServer({ key, cert }, listener),
    );
    const { client, waits } = bench(`https://localhost:${server.port}`);
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/certificate is self-signed, and this machine does not trust it/);
    expect(error.hint).toMatch(/NODE_EXTRA_CA_CERTS/);
    expect(waits).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('is said to have a certificate for other names, which are told', async () => {
    const server = await serveWith(
      (_request, response) => answer(response, { body: {} }),
      (listener) => createServer({ key, cert }, listener),
    );
    const extra = await trusted(cert);
    const { code, stderr } = await sonde(['sessions', 'list', '--retry-budget', '0s'], {
      env: bareEnv('/nowhere', {
        SONDE_BASE_URL: `https://127.0.0.1:${server.port}`,
        SONDE_API_KEY: KEY,
        NODE_EXTRA_CA_CERTS: extra,
      }),
      cwd: '/',
    });
    expect(code).toBe(6);
    expect(stderr).toContain('its certificate is for another name (localhost)\n');
    expect(server.requests).toEqual([]);
  });

  it('is trusted where NODE_EXTRA_CA_CERTS names its certificate, as the hint says', async () => {
    const server = await serveWith(
      (_request, response) => answer(response, { body: { entries: [], nextId: null, length: 0 } }),
      (listener) => createServer({ key, cert }, listener),
    );
    const { code } = await sonde(['sessions', 'list', '--json'], {
      env: bareEnv('/nowhere', {
        SONDE_BASE_URL: `https://localhost:${server.port}`,
        SONDE_API_KEY: KEY,
        NODE_EXTRA_CA_CERTS: await trusted(cert),
      }),
      cwd: '/',
    });
    expect(code).toBe(0);
  });

  it('is said to share no TLS where versions differ', async () => {
    const server = await serveWith(
      (_request, response) => answer(response, { body: {} }),
      (listener) =>
        createServer(
          { key, cert, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
          listener,
        ),
    );
    const { client } = bench(`https://localhost:${server.port}`);
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/TLS handshake failed \(tlsv1 alert protocol version\)$/);
    expect(error.hint).toMatch(/no common TLS version or cipher/);
  });

  it('is said not to speak TLS where it speaks plain HTTP', async () => {
    const server = await serveWith((_request, response) => answer(response, { body: {} }));
    const { client } = bench(`https://localhost:${server.port}`);
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/does not use TLS/);
    expect(error.hint).toMatch(/http:\/\//);
  });

  it('counts as never reached where it hangs up during the TLS handshake, so that a POST goes again', async () => {
    const server = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    const { client, waits } = bench(`https://localhost:${server.port}`, { retryBudgetMs: 1000 });
    const error = await rejection(client.call(createDnsCheck, { body: {} as never }), NetworkError);
    expect(error.mayHaveActed).toBe(false);
    expect(waits.length).toBeGreaterThan(0);
  });
});

describe('an answer that breaks off', () => {
  const endings: readonly [string, (socket: import('node:net').Socket) => void, RegExp][] = [
    ['before it began', (socket) => socket.destroy(), /closed before the response was complete/],
    ['with a reset', (socket) => socket.resetAndDestroy(), /closed before the response was complete/],
    ['in the head', (socket) => socket.end('HTTP/1.1 200 O'), /closed before|not HTTP/],
    [
      'short of its length',
      (socket) => socket.end(`${HEAD}content-length: 50\r\n\r\n{"id"`),
      /closed before/,
    ],
    [
      'within a chunk',
      (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n20\r\n{"id"`),
      /closed before/,
    ],
    [
      'without saying its length',
      (socket) => socket.end(`${HEAD}connection: close\r\n\r\n{"id": "p", `),
      /incomplete or invalid JSON/,
    ],
    ['as garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), /is not HTTP/],
    [
      'with a broken chunk',
      (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`),
      /is not HTTP|closed before/,
    ],
  ];

  it.each(endings)('%s: a read is tried again', async (_name, end) => {
    const server = await serveSockets((socket, number) =>
      socket.once('data', () => {
        if (number === 1) end(socket);
        else socket.end(`${HEAD}content-length: 10\r\n\r\n{"id":"p"}`);
      }),
    );
    const { client, waits } = bench(server.url);
    expect((await client.call(getStatusPage, page)).body.id).toBe('p');
    expect(waits.length).toBe(1);
  });

  it.each(endings)('%s: a POST is sent once, and may have acted', async (_name, end, message) => {
    const server = await serveSockets((socket) => socket.once('data', () => end(socket)));
    const error = await rejection(
      bench(server.url).client.call(createDnsCheck, { body: {} as never }),
      NetworkError,
    );
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ mayHaveActed: true, hint: expect.stringMatching(/may have taken effect/) });
    expect(server.sockets.length).toBe(1);
  });
});

describe('a lost answer to a DELETE', () => {
  it('makes the 404 of its retry count as done', async () => {
    const gone = { status: 404, body: { statusCode: 404, error: 'Not Found', message: 'no such snippet' } };
    const server = await serve((_request, response) => response.destroy(), gone, { status: 502 }, gone, gone);
    const { client } = bench(server.url);
    const outcome = async () =>
      (await rejection(client.call(deleteSnippet, { params: { id: 1 } }), RefusedError)).afterLostAnswer;
    expect(await outcome()).toBe(true);
    expect(await outcome()).toBe(true);
    expect(await outcome()).toBe(false);
  });

  it('does not where the 404 is a web page or the first attempt never arrived', async () => {
    const server = await serve(
      { status: 502 },
      { status: 404, body: '<html><title>Not found</title></html>' },
      { status: 429 },
      { status: 404, body: { message: 'no such snippet' } },
    );
    const { client } = bench(server.url);
    for (let time = 0; time < 2; time++) {
      const error = await rejection(client.call(deleteSnippet, { params: { id: 1 } }), RefusedError);
      expect(error.afterLostAnswer).toBe(false);
      expect(`${error.message}${error.hint}`).not.toContain(KEY);
    }
  });
});
