/** URL checks against real servers: what passes, what is followed, what is measured, and what is denied. */
import { expect, it, vi } from 'vitest';
import type { Hop } from '../../../src/runners/http/types.ts';
import { run, type UrlCheck } from '../../../src/runners/http/url-runner.ts';
import { createManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { serve, serveSockets, serveWith } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

const check = (request: UrlCheck['request'], rest: Omit<UrlCheck, 'request'> = {}): UrlCheck => ({
  ...rest,
  request,
});

it('passes where the address answers, and tells when each phase was over', async () => {
  const { url, requests } = await serve({ body: 'all is well', headers: { 'x-served-by': 'one' } });
  const outcome = await attempt(run, check({ url: `${url}/health?full=1` }));
  expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
  expect(outcome.details).toMatchObject({
    request: { method: 'GET', url: `${url}/health?full=1`, skipSSL: false, followRedirects: true },
    response: { status: 200, statusText: 'OK', bytes: 11, isCut: false, headers: { 'x-served-by': 'one' } },
    address: url.slice('http://'.length),
    tls: null,
    redirects: [],
    requestError: null,
  });
  const timing = outcome.details.timing as Record<string, number | null>;
  expect(timing).toMatchObject({ dns: null, tls: null });
  const { connect = 0, firstByte = 0, download = 0, total = 0 } = timing as Record<string, number>;
  expect(connect).toBeGreaterThan(0);
  expect(firstByte).toBeGreaterThan(0);
  expect(connect + firstByte + download).toBeLessThanOrEqual(total);
  expect(outcome.responseTime).toBe(total);
  expect(requests[0]).toMatchObject({
    method: 'GET',
    url: '/health?full=1',
    headers: { 'user-agent': 'sonde' },
  });
});

it('measures the phases apart: who waits for the answer does not count it as its download', async () => {
  const clock = createManualClock();
  const looks = vi.spyOn(clock, 'monotonic');
  const { url } = await serveWith(async (_, response) => {
    await clock.advance(60);
    looks.mockClear();
    response.writeHead(200).write('begun ');
    // The runner reads the clock when the first byte arrives.
    await eventually(() => expect(looks).toHaveBeenCalled());
    await clock.advance(120);
    response.end('done');
  });
  const lookup = async () => {
    await clock.advance(7);
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const request = { url: url.replace('127.0.0.1', 'localhost') };
  const { details } = await attempt(run, check(request), { clock, lookup });
  expect(details.timing).toEqual({ dns: 7, connect: 0, tls: null, firstByte: 60, download: 120, total: 187 });
});

it('fails from a status of 400 on, unless an assertion looks at the status', async () => {
  const { url } = await serve(
    ...[{ status: 404 }, { status: 404 }, { status: 404 }, { status: 399 }, { status: 400 }],
  );
  expect((await attempt(run, check({ url }))).errors).toEqual([`${url}/ answered 404 Not Found`]);
  const wanted = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '404' };
  expect((await attempt(run, check({ url, assertions: [wanted] }))).hasFailures).toBe(false);
  const turned = await attempt(run, check({ url, assertions: [wanted] }, { shouldFail: true }));
  expect(turned).toMatchObject({ hasFailures: false, hasErrors: false });
  expect((await attempt(run, check({ url }))).hasFailures).toBe(false);
  expect((await attempt(run, check({ url }))).errors).toEqual([`${url}/ answered 400 Bad Request`]);
});

it('judges status and time, and passes nothing that it cannot judge', async () => {
  const { url } = await serve({ status: 204 }, {});
  const judged = await attempt(
    run,
    check({
      url,
      assertions: [
        { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '204' },
        { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '20000' },
      ],
    }),
  );
  expect(judged.errors).toEqual(['STATUS_CODE LESS_THAN "204": was 204']);
  const unknown = { source: 'JSON_BODY', comparison: 'NOT_EMPTY' };
  const unusable = await attempt(run, check({ url, assertions: [unknown] }, { shouldFail: true }));
  expect(unusable.hasFailures).toBe(true);
  expect(unusable.errors).toEqual([
    expect.stringMatching(/^the check expects a failure, but the target succeeded in/),
    'JSON_BODY NOT_EMPTY: unknown assertion source for URL checks: JSON_BODY',
  ]);
});

it('is degraded between its two limits, and fails over the second', async () => {
  const { url } = await serve({}, {});
  const limits = { degradedResponseTime: 0, maxResponseTime: 20_000 };
  expect(await attempt(run, check({ url }, limits))).toMatchObject({ hasFailures: false, isDegraded: true });
  const over = await attempt(run, check({ url }, { ...limits, maxResponseTime: 0 }));
  expect(over).toMatchObject({ hasFailures: true, isDegraded: false, overMaxResponseTime: true });
});

it('follows redirects, lists them, and keeps what was for the first from the others', async () => {
  const other = await serve({ body: 'there' });
  const first = await serve({ status: 302, headers: { location: `${other.url}/there#part` } });
  const url = first.url.replace('http://', 'http://kim:s3cret@');
  const outcome = await attempt(run, check({ url: `${url}/here` }));
  expect(outcome.hasFailures).toBe(false);
  const redirects = outcome.details.redirects as Hop[];
  expect(redirects).toMatchObject([{ url: `${first.url}/here`, status: 302, method: 'GET' }]);
  expect(outcome.details.response).toMatchObject({ url: `${other.url}/there#part`, status: 200 });
  expect(first.requests[0]?.headers.authorization).toBe(`Basic ${btoa('kim:s3cret')}`);
  expect(other.requests[0]?.headers.authorization).toBeUndefined();
  expect(JSON.stringify(outcome)).not.toContain('s3cret');
});

it.each([
  [301, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [302, 'POST', 'GET'],
  [302, 'PUT', 'PUT'],
  [307, 'POST', 'POST'],
  [308, 'DELETE', 'DELETE'],
  [303, 'HEAD', 'HEAD'],
])('after %i asks what was asked with %s by %s', async (status, method, then) => {
  const { url, requests } = await serve({ status, headers: { location: '/there' } }, {});
  const { hasFailures } = await attempt(run, check({ url, method }));
  expect(hasFailures).toBe(false);
  expect(requests.map((request) => request.method)).toEqual([method, then]);
});

it('takes a redirect as the answer where it is not to be followed', async () => {
  const { url } = await serve({ status: 301, headers: { location: '/there' } });
  const outcome = await attempt(run, check({ url, followRedirects: false }));
  expect(outcome).toMatchObject({ hasFailures: false, details: { response: { status: 301 } } });
});

it.each([
  [
    '/',
    /^redirected more than 10 times, the last time from http:\S+\/ to http:\S+\/ \(after 10 redirects\)$/,
  ],
  ['ftp://example.test/', /redirects to neither http nor https: ftp:\/\/example.test\/$/],
  ['http://', /redirects to an invalid address: http:\/\/$/],
])('fails, and not for the network, where it is led to %s', async (location, message) => {
  const { url, requests } = await serveWith((_, response) => response.writeHead(302, { location }).end());
  const outcome = await attempt(run, check({ url }));
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
  expect(outcome.errors[0]).toMatch(message);
  expect(requests.length).toBeLessThanOrEqual(11);
});

it.each([301, 302, 303, 307, 308])(
  'fails where %i leads nowhere, unless that is expected',
  async (status) => {
    const { url } = await serveWith((_, response) => response.writeHead(status).end());
    const outcome = await attempt(run, check({ url }));
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
    expect(outcome.errors).toEqual([
      expect.stringMatching(/ answered 30\d [A-Z].* without a Location header$/),
    ]);
    const asserted = { source: 'STATUS_CODE', comparison: 'EQUALS', target: String(status) };
    expect((await attempt(run, check({ url, assertions: [asserted] }))).hasFailures).toBe(false);
    expect((await attempt(run, check({ url, followRedirects: false }))).hasFailures).toBe(false);
    expect((await attempt(run, check({ url }, { shouldFail: true }))).hasFailures).toBe(false);
  },
);

it.each([
  [
    '101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x',
    'switched protocols without a request: status 101',
  ],
  ['099 Early', 'sent no final response: status 99'],
])('fails where the answer is %j', async (head, message) => {
  const { url } = await serveSockets((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\n\r\nx`)),
  );
  const outcome = await attempt(run, check({ url }));
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
  expect(outcome.errors).toEqual([`${url}/ ${message}`]);
});

it('reads no more of a body than it may', async () => {
  const chunk = Buffer.alloc(256 * 1024);
  let isHeld = false;
  const { url } = await serveWith((_, response) => {
    const more = () => {
      while (response.write(chunk));
    };
    response.on('drain', more).on('close', () => {
      isHeld = true;
    });
    more();
  });
  const outcome = await attempt(run, check({ url }));
  expect(outcome).toMatchObject({
    hasFailures: false,
    details: {
      response: { bytes: 5 * 1024 * 1024, isCut: true },
      notes: ['the body is longer than 5242880 bytes, which is the limit'],
    },
  });
  await eventually(() => expect(isHeld).toBe(true));
});

it('connects to no address that policy denies, neither at once nor after a redirect', async () => {
  const inner = await serveWith((_, response) => response.end('secret'));
  const outer = await serveWith((_, response) =>
    response.writeHead(302, { location: inner.url.replace('127.0.0.1', 'localhost') }).end(),
  );
  const denyAddress = (address: string) =>
    address === '127.0.0.2' ? undefined : `${address} is not for checks`;
  await expect(attempt(run, check({ url: inner.url }), { denyAddress })).rejects.toThrow(
    'the check is not allowed to contact 127.0.0.1 (127.0.0.1 is not for checks)',
  );
  // The first server is reached by the one address that is allowed, and leads to one that is not.
  const gate = await serveSockets((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\nLocation: ${outer.url}\r\n\r\n`)),
  );
  const allowFirst = (address: string) => (hits++ === 0 ? undefined : denyAddress(address));
  let hits = 0;
  await expect(attempt(run, check({ url: gate.url }), { denyAddress: allowFirst })).rejects.toThrow(
    'is not allowed to contact',
  );
  expect([...inner.requests, ...outer.requests]).toEqual([]);
});

it.each([
  ['example.com', 'must be an HTTP URL such as https://example.com/path'],
  ['ftp://example.com', 'must be an HTTP URL'],
  ['https://', 'must be an HTTP URL'],
  ['', 'must be an HTTP URL'],
  ['http://exa mple', 'must not contain spaces in its host'],
  ['http://example.com:99999/', 'must have a port from 1 to 65535'],
  ['http://[::1]:0/', 'must have a port from 1 to 65535'],
  ['http://example.com/a\nb', 'must not contain line breaks or other control characters'],
])('cannot run with the URL %j, which %s', async (url, problem) => {
  await expect(attempt(run, check({ url }))).rejects.toThrow(
    expect.objectContaining({ name: 'InvalidCheck', message: expect.stringContaining(problem) }),
  );
});
