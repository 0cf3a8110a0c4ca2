/** URL checks through a proxy: whose fault it is when something goes wrong on the way. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { run } from '../../../src/runners/http/url-runner.ts';
import { freePort } from '../../support/free-port.ts';
import { serve, serveSockets } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

/** A proxy that takes each request as it is and answers or forwards it. */
async function proxy(answer: (head: string) => string | undefined) {
  const heads: string[] = [];
  const { port } = await serveSockets((socket) =>
    socket.once('data', (chunk) => {
      const head = chunk.toString();
      heads.push(head);
      const said = answer(head);
      if (said !== undefined) return void socket.end(said);
      const target = connect(Number(/:(\d+)/.exec(head)?.[1]), '127.0.0.1');
      target.on('error', () => socket.destroy());
      if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else target.write(chunk);
      return void socket.pipe(target).pipe(socket);
    }),
  );
  return { heads, proxyFor: () => `http://kim:s3cret%21@127.0.0.1:${port}` };
}

it('sends a request of http whole to the proxy, with what it asks for', async () => {
  const target = await serve({ body: 'through' });
  const { heads, proxyFor } = await proxy(() => undefined);
  const outcome = await attempt(run, { request: { url: `${target.url}/path?q=1` } }, { proxyFor });
  expect(outcome).toMatchObject({ hasFailures: false, details: { address: null, response: { bytes: 7 } } });
  expect(outcome.details.proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(heads[0]).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/path\?q=1 HTTP\/1\.1\r\n/);
  expect(heads[0]).toContain(`Proxy-Authorization: Basic ${btoa('kim:s3cret!')}`);
  expect(target.requests[0]?.headers.host).toBe(target.url.slice(7));
  expect(JSON.stringify(outcome)).not.toContain('s3cret');
});

it('asks for a tunnel for https, and tells the target’s fault from the proxy’s', async () => {
  const target = await serve();
  const url = target.url.replace('http:', 'https:');
  const tunnelled = await proxy(() => undefined);
  const spoken = await attempt(run, { request: { url } }, { proxyFor: tunnelled.proxyFor });
  expect(spoken.errors[0]).toMatch(/the server does not speak TLS on this port/);
  expect(tunnelled.heads[0]).toMatch(/^CONNECT 127\.0\.0\.1:\d+ HTTP\/1\.1\r\n/);
  const gone = await proxy(() => 'HTTP/1.1 502 Bad Gateway\r\n\r\n');
  const unreached = await attempt(run, { request: { url } }, { proxyFor: gone.proxyFor });
  expect(unreached).toMatchObject({ hasFailures: true, isNetworkError: true });
  expect(unreached.errors[0]).toMatch(/^127\.0\.0\.1:\d+ cannot be reached: the proxy answered 502$/);
  const forbids = await proxy(() => 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  await expect(attempt(run, { request: { url } }, { proxyFor: forbids.proxyFor })).rejects.toThrow(
    /^the proxy http:\/\/127\.0\.0\.1:\d+ does not connect to 127\S+: it answered 407$/,
  );
});

it('cannot run where the proxy is away, is none, or would connect where policy must judge', async () => {
  const request = { url: 'http://example.test/' };
  const away = `http://127.0.0.1:${await freePort()}`;
  await expect(attempt(run, { request }, { proxyFor: () => away })).rejects.toThrow(
    `the proxy ${away} cannot be used: connection to`,
  );
  await expect(attempt(run, { request }, { proxyFor: () => 'socks5://x' })).rejects.toThrow(
    'the setting of the proxy names a proxy of the kind "socks5": only http and https work',
  );
  await expect(
    attempt(run, { request }, { proxyFor: () => away, denyAddress: () => undefined }),
  ).rejects.toThrow('cannot check the addresses that a proxy connects to');
});
