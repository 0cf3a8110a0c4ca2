/** Proxies: which variable applies, and requests that really go through one. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NetworkError, UsageError } from '../../src/base/errors.ts';
import { proxyFor } from '../../src/client/dispatcher.ts';
import { deleteSnippet, getStatusPage } from '../../src/contract/index.ts';
import { freePort } from '../support/free-port.ts';
import { answer, serve, serveSockets, serveWith } from '../support/http.ts';
import { cert, key } from './certificate.ts';
import { bench, KEY, rejection } from './fixtures.ts';

const page = { params: { statusPageId: 'p' } };
const proxy = 'http://proxy.test:3128';

describe('the proxy of an origin', () => {
  it.each([
    ['https://api.test', { HTTPS_PROXY: proxy }, proxy],
    ['https://api.test', { https_proxy: proxy, HTTPS_PROXY: 'http://other' }, proxy],
    ['https://api.test', { HTTP_PROXY: proxy }, undefined],
    ['http://api.test', { http_proxy: 'proxy.test:3128' }, proxy],
    ['https://api.test', { HTTPS_PROXY: '' }, undefined],
    ['http://127.0.0.1:4100', { HTTP_PROXY: proxy }, undefined],
    ['http://localhost:4100', { HTTP_PROXY: proxy }, undefined],
    ['http://[::1]:4100', { HTTP_PROXY: proxy }, undefined],
    ['http://127.0.0.1:4100', { HTTP_PROXY: 'http://127.0.0.1:3128' }, 'http://127.0.0.1:3128'],
    ['http://[::1]:3000', { HTTP_PROXY: 'http://127.0.0.1:3128', NO_PROXY: '[::1]:3000' }, undefined],
  ])('%s with %j is %s', (origin, env, expected) => {
    expect(proxyFor(new URL(origin), env)?.origin).toBe(expected);
  });

  it.each([
    ['http://u:s3cret@:', /^HTTPS_PROXY is not the URL/],
    ['http://u:s3cret%@h:1', /^HTTPS_PROXY has a % in its user name or password/],
    ['http://s3cret%zz@h:1', /^HTTPS_PROXY has a % in its user name or password/],
    ['http://u:s3cret@h:1/proxy.pac', /^HTTPS_PROXY has a path/],
    ['ftp://u:s3cret@h', /^HTTPS_PROXY names a proxy of the kind "ftp"/],
    ['socks4://u:s3cret@h', /^HTTPS_PROXY names a proxy of the kind "socks4"/],
  ])('is refused as %s, without showing what may hold a password', (HTTPS_PROXY, message) => {
    const choose = () => proxyFor(new URL('https://a.test'), { HTTPS_PROXY });
    expect(choose).toThrow(UsageError);
    expect(choose).toThrow(message);
    expect(choose).not.toThrow(/s3cret/);
  });

  it('is refused by the name of the variable that was read', () => {
    const env = { https_proxy: 'x://', HTTPS_PROXY: proxy };
    expect(() => proxyFor(new URL('https://a.test'), env)).toThrow(/^https_proxy names/);
  });
});

describe('a request through a proxy', () => {
  it('over plain http names the whole URL, and pays with its own credentials', async () => {
    const server = await serve({ body: { id: 'p' } }, { status: 204 });
    const env = { HTTP_PROXY: server.url.replace('//', '//user:pass@') };
    const { client } = bench('http://api.test', { env });
    expect((await client.call(getStatusPage, page)).body.id).toBe('p');
    await client.call(deleteSnippet, { params: { id: 1 } });
    expect(server.requests[0]).toMatchObject({
      url: 'http://api.test/v1/status-pages/p',
      headers: {
        host: 'api.test',
        authorization: `Bearer ${KEY}`,
        'proxy-authorization': `Basic ${Buffer.from('user:pass').toString('base64')}`,
      },
    });
  });

  it('over https goes through a tunnel, in which the proxy sees no key', async () => {
    const service = await serveWith(
      (_request, response) => answer(response, { body: {} }),
      (listener) => createTlsServer({ key, cert }, listener),
    );
    const seen: string[] = [];
    const tunnel = createServer();
    tunnel.on('connect', (request, socket) => {
      seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      const onward = connect(service.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on('error', () => {});
      onTestFinished(() => void onward.destroy());
    });
    await new Promise<void>((resolve) => tunnel.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tunnel.close());
    const { port } = tunnel.address() as AddressInfo;
    const { client } = bench('https://localhost', {
      env: { https_proxy: `127.0.0.1:${port}` },
      retryBudgetMs: 0,
    });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(
      /^cannot connect to https:\/\/localhost \(through the proxy 127.0.0.1:\d+\).*self-signed/,
    );
    expect(seen).toEqual([expect.stringMatching(/^CONNECT localhost:443 /)]);
    expect(seen[0]).not.toContain(KEY);
  });

  it('does not where NO_PROXY names the host', async () => {
    const server = await serve({ body: { id: 'p' } });
    const env = { HTTP_PROXY: `http://127.0.0.1:${await freePort()}`, NO_PROXY: 'other.test,127.0.0.1' };
    expect((await bench(server.url, { env }).client.call(getStatusPage, page)).body.id).toBe('p');
  });

  it('names the proxy that refuses or cannot be reached', async () => {
    const refusing = await serveSockets((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
      ),
    );
    for (const origin of ['https://api.test', 'http://api.test']) {
      const env = { HTTPS_PROXY: refusing.url, HTTP_PROXY: refusing.url };
      const { client } = bench(origin, { env });
      const error = await rejection(client.call(getStatusPage, page), NetworkError);
      expect(error.message).toMatch(/through the proxy 127\.0\.0\.1:\d+\): the proxy responded with 407/);
      expect(error.mayHaveActed).toBe(false);
    }
    const gone = { HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` };
    const { client } = bench('https://api.test', { env: gone, retryBudgetMs: 0 });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(
      /^cannot connect to the proxy 127\.0\.0\.1:\d+ for https:\/\/api\.test: connection refused$/,
    );
    expect(error.hint).toBe('check HTTPS_PROXY; to bypass the proxy for a host, set NO_PROXY');
  });
});
