/** Redirects: cookies of a run, the Host header, and secrets, which no other server gets. */
import { describe, expect, it } from 'vitest';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import type { ApiCheck } from '../../../src/runners/api/types.ts';
import type { RunContext } from '../../../src/runners/core/runner.ts';
import { followRedirect } from '../../../src/runners/http/redirect.ts';
import { toRequestTarget } from '../../../src/runners/http/request-target.ts';
import { TargetFault } from '../../../src/runners/network/fault.ts';
import { serve, serveWith } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

async function run(check: ApiCheck, changes: Partial<RunContext> = {}) {
  const slot = await createApiRunner().acquireSlot(check, new AbortController().signal);
  return attempt(slot.run, check, changes);
}

const redirect = (location: string, setCookie: string[] = [], status = 302) => ({
  status,
  headers: { location, ...(setCookie.length === 0 ? {} : { 'set-cookie': setCookie }) },
});

describe('cookies', () => {
  it('ends a login that redirects to itself until its cookie comes back', async () => {
    const { url, requests } = await serveWith((request, response) =>
      request.headers.cookie === 'sid=hush-1234'
        ? response.end('in')
        : response.writeHead(302, { location: '/', 'set-cookie': 'sid=hush-1234; HttpOnly' }).end(),
    );
    const outcome = await run({ request: { url } });
    expect(outcome).toMatchObject({ hasFailures: false, details: { response: { body: 'in' } } });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(outcome)).not.toContain('hush-1234');
  });

  it.each<[string, string, string | undefined]>([
    ['a=1; Path=/', '/next', 'a=1'],
    ['a=1; Path=/other', '/next', undefined],
    ['a=1', '/app/next', 'a=1'],
    ['a=1', '/next', undefined],
    ['a=1; Path=/; Secure', '/next', undefined],
    ['a=1; Path=/; Domain=127.0.0.1', '/next', 'a=1'],
    ['a=1; Path=/; Domain=example.com', '/next', undefined],
    ['a=1; Path=/; Max-Age=0', '/next', undefined],
    ['a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', '/next', undefined],
    ['a=1; Path=/; SameSite=Strict', '/next', 'a=1'],
    ['a=1; Path=/; SameSite=None', '/next', undefined],
    ['__Host-a=1; Path=/', '/next', undefined],
    ['a=b=c; Path=/', '/next', 'a=b=c'],
    ['token; Path=/', '/next', 'token'],
    ['a=\u00c3\u00bc\u00e2\u0098\u0083; Path=/', '/next', 'a=\u00c3\u00bc\u00e2\u0098\u0083'],
    [`a=${'x'.repeat(5000)}; Path=/`, '/next', undefined],
  ])('after %j requests %s with the cookie %j', async (setCookie, location, sent) => {
    const { url, requests } = await serve(redirect(location, [setCookie]), {});
    expect((await run({ request: { url: `${url}/app/start` } })).errors).toEqual([]);
    expect(requests[1]?.headers.cookie).toBe(sent);
  });

  it('sends the cookies of the check until the server replaces or deletes them', async () => {
    const { url, requests } = await serve(
      redirect('/second', ['sid=new', 'theme=; Max-Age=0']),
      redirect('/third', ['extra=1']),
      {},
    );
    const headers = [{ key: 'Cookie', value: 'sid=old; theme=dark; lang=de' }];
    await run({ request: { url, headers } });
    expect(requests.map((request) => request.headers.cookie)).toEqual([
      'sid=old; theme=dark; lang=de',
      'lang=de; sid=new',
      'lang=de; sid=new; extra=1',
    ]);
  });

  it('treats a port as the same host, and lets a host that is a public suffix set its own cookies', async () => {
    const other = await serve({});
    const { url } = await serve(
      redirect(other.url.replace('127.0.0.1', 'localhost'), ['a=1; Domain=localhost']),
    );
    await run({ request: { url: url.replace('127.0.0.1', 'localhost') } });
    expect(other.requests[0]?.headers.cookie).toBe('a=1');
  });

  it('belong to the virtual host that the Host header names', async () => {
    const { url, requests } = await serve(redirect('/next', ['a=1; Domain=example.com']), {});
    await run({ request: { url, headers: [{ key: 'Host', value: 'shop.example.com:81' }] } });
    expect(requests[1]?.headers).toMatchObject({ host: 'shop.example.com:81', cookie: 'a=1' });
  });

  it('are masked in the result', async () => {
    const { url } = await serve({ headers: { 'set-cookie': ['sid=hush-1234; Path=/', 'hush-1234'] } });
    const equals = { source: 'HEADERS', property: 'set-cookie', comparison: 'EQUALS', target: 'x' };
    const outcome = await run({ request: { url, assertions: [equals, { ...equals, property: '' }] } });
    expect(outcome.hasFailures).toBe(true);
    expect(outcome.details).toMatchObject({
      response: { headers: { 'set-cookie': 'sid=***; Path=/\n***' } },
    });
    expect(JSON.stringify(outcome)).not.toContain('hush-1234');
  });
});

describe('secrets', () => {
  const secrets = ['s3cret-value'];
  const headers = [
    { key: 'X-Locked', value: 'plain', locked: true },
    { key: 'X-Secret', value: 'Token s3cret-value' },
    { key: 'X-Encoded', value: Buffer.from('kim:s3cret-value').toString('base64') },
    { key: 'X-Plain', value: 'plain' },
    { key: 'Host', value: 'shop.example' },
  ];
  const namesOf = (sent: Record<string, unknown> | undefined) =>
    ['x-locked', 'x-secret', 'x-encoded', 'x-plain', 'authorization'].filter((name) => name in (sent ?? {}));

  it('stay with the first server, also after a redirect back to it', async () => {
    const other = await serveWith((request, response) =>
      response.writeHead(302, { location: `${first.url}/back` }).end(request.url),
    );
    const first = await serve(redirect('/again'), redirect(`${other.url}/there`), {});
    const basicAuth = { username: 'kim', password: 'pw-1234' };
    expect((await run({ request: { url: first.url, headers, basicAuth } }, { secrets })).errors).toEqual([]);
    const all = ['x-locked', 'x-secret', 'x-encoded', 'x-plain', 'authorization'];
    expect(first.requests.map((request) => namesOf(request.headers))).toEqual([all, all, ['x-plain']]);
    expect(other.requests.map((request) => namesOf(request.headers))).toEqual([['x-plain']]);
    expect(first.requests[1]?.headers.host).toBe('shop.example');
    expect(other.requests[0]?.headers.host).toBe(new URL(other.url).host);
  });

  it('in a body are not sent to another server: the check fails and says why', async () => {
    const other = await serve();
    const first = await serve(redirect(`${other.url}/there`, [], 307));
    const request = { url: first.url, method: 'POST', bodyType: 'FORM', body: 'token=s3cret-value' };
    const outcome = await run({ request }, { secrets });
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(outcome.errors[0]).toMatch(
      / with status 307, which repeats the body\. The body contains a secret, so/,
    );
  });

  it('keeps the credentials of the URL for the same server', async () => {
    const { url, requests } = await serveWith((request, response) =>
      request.url === '/in' ? response.end() : response.writeHead(302, { location: `${url}/in` }).end(),
    );
    await run({ request: { url: url.replace('//', '//kim:pw@') } });
    expect(requests[1]?.headers.authorization).toBe(`Basic ${btoa('kim:pw')}`);
  });

  it.each([
    ['http://shop.example/a', 'https://shop.example/b', true],
    ['http://shop.example/a', 'https://www.shop.example/b', false],
    ['http://shop.example:8080/a', 'https://shop.example/b', false],
    ['https://shop.example/a', 'http://shop.example/b', false],
  ])('go from %s to %s: %j', (from, to, isKept) => {
    const request = {
      url: new URL(from),
      target: '/a',
      method: 'GET',
      headers: [['Authorization', 'hush']] as const,
    };
    const next = followRedirect(request, 301, to, 1, []);
    expect(next).not.toBeInstanceOf(TargetFault);
    expect(next).toMatchObject({ headers: isKept ? [['Authorization', 'hush']] : [] });
  });
});

it.each([
  ['/a%20b/c%2Fd?q=%20&r=%zz', '/a%20b/c%2Fd?q=%20&r=%zz'],
  ["/?flag&$filter=Name eq 'x'", "/?flag&$filter=Name%20eq%20'x'"],
  ['/p|q{r}?a="b"<c>^`|{}\\', '/p|q{r}?a="b"<c>^`|{}\\'],
  ['/ä?ö=ü#frag?x', '/%C3%A4?%C3%B6=%C3%BC'],
  ['/a/../b/%2e/c?x=/../y', '/b/c?x=/../y'],
  ['?a=1', '/?a=1'],
  ['//x//?', '//x//?'],
  ['', '/'],
])('requests the typed %j as %j', (typed, target) => {
  const text = `http://user@shop.example:81${typed}`;
  expect(toRequestTarget(new URL(text), text)).toBe(target);
});

it('appends query parameters to the typed query, and follows a Location as it is spelled', async () => {
  const { url, requests } = await serve(redirect("/next?sig='a'|b c&x=%20"), {});
  const queryParameters = [
    { key: 'q', value: 'a b&c' },
    { key: 'q', value: '2' },
  ];
  const outcome = await run({ request: { url: `${url}/s?flag&a=%20b~(c)!*'#top`, queryParameters } });
  expect(requests.map((request) => request.url)).toEqual([
    "/s?flag&a=%20b~(c)!*'&q=a+b%26c&q=2",
    "/next?sig='a'|b%20c&x=%20",
  ]);
  expect(outcome.details).toMatchObject({ response: { url: `${url}/next?sig='a'|b%20c&x=%20#top` } });
});

it('reads UTF-8 in a Location, and skips an empty one', async () => {
  const { url, requests } = await serveWith((request, response) => {
    if (request.url !== '/') return void response.end();
    const locations = ['Location', '', 'Location', Buffer.from('/café').toString('latin1')];
    response.writeHead(302, locations).end();
  });
  expect((await run({ request: { url } })).errors).toEqual([]);
  expect(requests[1]?.url).toBe('/caf%C3%A9');
});
