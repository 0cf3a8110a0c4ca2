/** What goes wrong between a URL check and its target: each fault is named, and none passes. */

import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  MAX_BODY,
  MAX_CHUNKS,
  MAX_INFORMATIONAL,
  MAX_OVERHEAD,
} from '../../../src/runners/http/response-reader.ts';
import { run } from '../../../src/runners/http/url-runner.ts';
import { createSteppingClock, hastyClock, patientClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authority, makeAuthority, needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { freePort } from '../../support/free-port.ts';
import { serveSockets, serveWith } from '../../support/http.ts';
import { findProgram } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

const onRequest = (answer: (socket: Socket) => void) => (socket: Socket) =>
  void socket.once('data', () => answer(socket));

const at = (url: string, rest: object = {}) => ({ request: { url }, ...rest });

it.each<[string, (socket: Socket) => void, RegExp, boolean]>([
  ['closes without a word', (socket) => socket.destroy(), /closed the connection without a response$/, true],
  [
    'resets',
    (socket) => socket.resetAndDestroy(),
    /closed the connection without a response|closed the connection: ECONNRESET$/,
    true,
  ],
  [
    'cuts its body short',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    /answered 200 and closed the connection after 3 of 10 bytes$/,
    true,
  ],
  [
    'ends a chunked body without its end',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    /answered 200 and closed the connection after 3 bytes$/,
    true,
  ],
  [
    'cuts its head short',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
    /closed the connection before the end of its response headers$/,
    true,
  ],
  [
    'speaks no HTTP',
    (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    /sent an invalid HTTP response: it does not begin with a status line, but with "SSH-2.0-OpenSSH_9.2"$/,
    false,
  ],
  [
    'announces two lengths',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    /sent an invalid HTTP response: Content-Length has different values: 1, 2$/,
    false,
  ],
  [
    'sends a head without end',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`),
    /invalid HTTP response: a line is longer than 64 KB$/,
    false,
  ],
])('fails where a server %s', async (_, answer, message, isNetworkError) => {
  const { url } = await serveSockets(onRequest(answer));
  const outcome = await attempt(run, at(url));
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError, responseTime: null });
  expect(outcome.errors).toHaveLength(1);
  expect(outcome.errors[0]).toMatch(message);
  expect(outcome.details).toMatchObject({ response: null, requestError: outcome.errors[0] });
});

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Sends the head, and then the text again and again until the other side closes the connection. */
const endless = (head: string, text: string) => (socket: Socket) => {
  const many = text.repeat(Math.ceil(60_000 / text.length));
  const more = () => {
    while (socket.writable && socket.write(many));
  };
  socket.on('drain', more).write(head);
  more();
};

it.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'an endless body in chunks of one byte',
    endless(CHUNKED, '1\r\na\r\n'),
    new RegExp(`answered 200 with a body in more than ${MAX_CHUNKS} chunks$`),
  ],
  [
    'a short body in too many chunks',
    (socket) => socket.end(`${CHUNKED}${'1\r\na\r\n'.repeat(MAX_CHUNKS + 1)}0\r\n\r\n`),
    new RegExp(`answered 200 with a body in more than ${MAX_CHUNKS} chunks$`),
  ],
  [
    'chunks with long extensions',
    endless(CHUNKED, `1;${'x'.repeat(10_000)}\r\na\r\n`),
    new RegExp(`answered 200 with more than ${MAX_OVERHEAD / 1024 / 1024} MB that are not part of the body$`),
  ],
  [
    'an endless extension of a chunk',
    endless(`${CHUNKED}1;`, 'x'),
    /invalid HTTP response: a line is longer than 64 KB$/,
  ],
  [
    'endless trailers',
    endless(`${CHUNKED}1\r\na\r\n0\r\n`, 'x: y\r\n'),
    new RegExp(`answered 200 with more than ${MAX_OVERHEAD / 1024 / 1024} MB that are not part of the body$`),
  ],
  [
    'endless early hints',
    endless('', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
    new RegExp(`sent more than ${MAX_INFORMATIONAL} informational responses`),
  ],
  [
    'endless requests to continue',
    endless('', 'HTTP/1.1 100 Continue\r\n\r\n'),
    new RegExp(`sent more than ${MAX_INFORMATIONAL} informational responses`),
  ],
])('fails and closes the connection where a server sends %s', async (_, answer, message) => {
  const { url, sockets } = await serveSockets(onRequest(answer));
  const outcome = await attempt(run, at(url));
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(outcome.errors).toHaveLength(1);
  expect(outcome.errors[0]).toMatch(message);
  await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
});

it('passes an answer after a few informational responses, and a body in as many chunks as are allowed', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'.repeat(MAX_INFORMATIONAL);
  const body = '1\r\na\r\n'.repeat(MAX_CHUNKS);
  const { url } = await serveSockets(onRequest((socket) => socket.end(`${hints}${CHUNKED}${body}0\r\n\r\n`)));
  const outcome = await attempt(run, at(url));
  expect(outcome).toMatchObject({
    hasFailures: false,
    details: { response: { bytes: MAX_CHUNKS, isCut: false } },
  });
});

it('looks at no chunk after the limit of the body', async () => {
  const tail = '1\r\na\r\n'.repeat(5000);
  const { url } = await serveSockets(
    onRequest((socket) =>
      socket.end(`${CHUNKED}${MAX_BODY.toString(16)}\r\n${'x'.repeat(MAX_BODY)}\r\n${tail}`),
    ),
  );
  const looks = vi.fn(patientClock.monotonic);
  const outcome = await attempt(run, at(url), { clock: { ...patientClock, monotonic: looks } });
  expect(outcome.details).toMatchObject({ response: { bytes: MAX_BODY, isCut: true } });
  // Each end of the body that is noticed reads the clock.
  expect(looks.mock.calls.length).toBeLessThan(100);
});

it.each<[string, (socket: Socket) => void, RegExp]>([
  ['accepts and says nothing', () => {}, /^127\S+ did not answer within 27 s$/],
  [
    'drips its body',
    (socket) => drip(socket),
    /answered 200 and did not finish \(\d+ bytes received\) within 27 s$/,
  ],
])('is over its limit of time where a server %s', async (_, answer, message) => {
  const { url } = await serveSockets(onRequest(answer));
  const outcome = await attempt(run, at(url, { maxResponseTime: 5000 }), { clock: createSteppingClock(500) });
  expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true, overMaxResponseTime: true });
  expect(outcome.errors[0]).toMatch(message);
});

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
  const timer = setInterval(() => socket.write('.'), 20);
  socket.once('close', () => clearInterval(timer));
}

it('leaves time for its own words within what the run may take', async () => {
  const { url } = await serveSockets(() => {});
  const { errors } = await attempt(run, at(url), { timeoutMs: 400, clock: hastyClock });
  expect(errors[0]).toMatch(/did not answer within 300 ms$/);
});

it('says that nothing listens, that there is no such host, and that shouldFail expects just that', async () => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  const refused = await attempt(run, at(url));
  expect(refused).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
  expect(refused.errors[0]).toMatch(/^connection to 127\.0\.0\.1:\d+ refused: ECONNREFUSED$/);
  const unknown = await attempt(run, at('http://nobody.invalid/'));
  expect(unknown).toMatchObject({ hasFailures: true, isNetworkError: true });
  expect(unknown.errors[0]).toMatch(/^nobody\.invalid (?:has no address: E|was not resolved)/);
  expect(await attempt(run, at(url, { shouldFail: true }))).toMatchObject({ hasFailures: false });
});

it('tries the other addresses of a name: one that refuses costs the others nothing', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const lookup = async (_: string, family: number) =>
    [4, 6]
      .filter((one) => family === 0 || family === one)
      .map((one) => ({ family: one, address: one === 4 ? '127.0.0.1' : '::1' }));
  const outcome = await attempt(run, at(`http://both.test:${port}/`), { lookup });
  expect(outcome.hasFailures, outcome.errors.join()).toBe(false);
  expect(outcome.details).toMatchObject({
    address: `[::1]:${port}`,
    notes: [`connection to 127.0.0.1:${port} refused: ECONNREFUSED`],
  });
  const strict = { request: { url: `http://both.test:${port}/`, ipFamily: 'IPv4' as const } };
  expect((await attempt(run, strict, { lookup })).errors[0]).toMatch(/^connection to 127/);
});

it('rejects with the reason of an abort, and lets go of the connection', async () => {
  const stop = new AbortController();
  const { url, sockets } = await serveSockets(() => stop.abort(new Error('enough')));
  await expect(attempt(run, at(url), {}, stop.signal)).rejects.toThrow('enough');
  await eventually(() => expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true));
});

describe('over TLS', () => {
  let authority: Authority;
  let ca: string;
  beforeEach(needsOpenssl);
  beforeAll(async () => {
    if (findProgram('openssl') === undefined) return;
    authority = await makeAuthority();
    ca = readFileSync(authority.file, 'utf8');
  });
  afterAll(() => authority?.remove());

  const secureServer = (name: string) =>
    serveWith(
      (_, response) => response.end('safe'),
      (listener) => {
        const server = createHttpsServer(
          { SNICallback: (_, done) => done(null, authority.contexts.get(name)) },
          listener,
        );
        // Without a name to ask for: a check of an address.
        server.on('newListener', () => {});
        Object.assign(server, { _sharedCreds: authority.contexts.get(name) });
        return server;
      },
    );

  it('tells the facts of a good certificate, and how long the handshake took', async () => {
    const { port, requests } = await secureServer('good');
    const outcome = await attempt(run, at(`https://127.0.0.1:${port}/`), { ca: [ca] });
    expect(outcome.errors).toEqual([]);
    expect(outcome.details.tls).toMatchObject({
      ...{ trusted: true, problem: null, subject: 'good', issuer: 'Nobody', protocol: 'TLSv1.3' },
      ...{ alternativeNames: 'IP Address:127.0.0.1', daysLeft: 1 },
    });
    expect((outcome.details.timing as Record<string, number>).tls).toBeGreaterThan(0);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['expired', /the certificate "expired" expired on \d{4}-\d\d-\d\d: renew it$/],
    ['wrong host', /is for the DNS name elsewhere\.test, not for the address 127\.0\.0\.1: issue it with /],
    ['self-signed', /"self" is not trusted, because it is self-signed: use /],
  ])('sends nothing to whom it cannot trust (%s), unless told to', async (name, message) => {
    const { port, requests } = await secureServer(name);
    const url = `https://127.0.0.1:${port}/`;
    const outcome = await attempt(run, at(url), { ca: [ca] });
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
    expect(outcome.errors[0]).toMatch(/^the certificate of 127\.0\.0\.1 cannot be trusted: /);
    expect(outcome.errors[0]).toMatch(message);
    expect(outcome.details.tls).toMatchObject({ trusted: false, protocol: 'TLSv1.3' });
    expect(requests).toEqual([]);
    const careless = await attempt(run, { request: { url, skipSSL: true } }, { ca: [ca] });
    expect(careless).toMatchObject({ hasFailures: false, details: { tls: { trusted: false } } });
  });

  it('trusts nobody whom the system does not', async () => {
    const { port } = await secureServer('good');
    const { errors } = await attempt(run, at(`https://127.0.0.1:${port}/`));
    expect(errors[0]).toMatch(/"good" is not trusted, because the issuer is not known \("Nobody"\): /);
  });

  it('says that a server speaks no TLS, or breaks off in the middle of it', async () => {
    const plain = await serveWith((_, response) => response.end());
    const spoken = await attempt(run, at(plain.url.replace('http:', 'https:')));
    expect(spoken).toMatchObject({ hasFailures: true, isNetworkError: false });
    expect(spoken.errors[0]).toMatch(
      /^the TLS handshake with 127\.0\.0\.1 failed: the server does not speak TLS on this port: /,
    );
    const gone = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    const broken = await attempt(run, at(gone.url.replace('http:', 'https:')));
    expect(broken).toMatchObject({ hasFailures: true, isNetworkError: true });
    expect(broken.errors[0]).toMatch(/closed the connection during the TLS handshake: check /);
  });
});
