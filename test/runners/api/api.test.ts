/** API checks against real servers: what is sent, and what is judged of the answer. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import type { ApiCheck } from '../../../src/runners/api/types.ts';
import type { RunContext } from '../../../src/runners/core/runner.ts';
import { serve, serveSockets, serveWith } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

async function run(check: ApiCheck, changes: Partial<RunContext> = {}) {
  const turn = await createApiRunner().acquireSlot(check, new AbortController().signal);
  return attempt(turn.run, check, changes);
}

const claim = (source: string, comparison: string, target = '', property = '', regex = '') => ({
  ...{ source, comparison, target, property, regex },
});

it('sends what the check says: query, headers, body and who asks', async () => {
  const { url, requests } = await serve({ status: 201, body: { id: 7 } });
  const check: ApiCheck = {
    request: {
      ...{ url: `${url}/orders?dry=1`, method: 'POST', body: '{"sku":"{{SKU}}"}', bodyType: 'JSON' },
      headers: [
        { key: 'X-Trace', value: 'run-{{ RUN }}' },
        { key: 'X-Twice', value: 'a' },
        { key: 'X-Twice', value: 'b' },
      ],
      queryParameters: [{ key: 'q', value: 'a b&{{SKU}}' }],
      basicAuth: { username: 'kim', password: '{{SONDE_SECRET_PW}}' },
      assertions: [
        claim('STATUS_CODE', 'EQUALS', '201'),
        claim('JSON_BODY', 'EQUALS', '7', '$.id'),
        claim('HEADERS', 'CONTAINS', 'application/json', 'Content-Type'),
        claim('RESPONSE_TIME', 'LESS_THAN', '20000'),
      ],
    },
    environmentVariables: [
      { key: 'SKU', value: 'ä-1' },
      { key: 'RUN', value: '42' },
      { key: 'SONDE_SECRET_PW', value: 'hush+hush' },
    ],
  };
  const outcome = await run(check, { secrets: ['hush+hush'] });
  expect(outcome.errors).toEqual([]);
  expect(requests[0]).toMatchObject({
    ...{ method: 'POST', url: '/orders?dry=1&q=a+b%26%C3%A4-1', body: '{"sku":"ä-1"}' },
    headers: {
      ...{ 'x-trace': 'run-42', 'x-twice': 'a, b', 'content-type': 'application/json' },
      ...{ 'content-length': '14', authorization: `Basic ${btoa('kim:hush+hush')}` },
    },
  });
  expect(outcome.details).toMatchObject({
    request: { method: 'POST', body: '{"sku":"ä-1"}', headers: { authorization: '***' } },
    response: { status: 201, body: '{"id":7}', isBodyCut: false },
  });
  expect(JSON.stringify(outcome)).not.toMatch(/hush/);
});

it('sends what names the caller to no other host, and everything else after a redirect', async () => {
  const other = await serve({});
  const headers = ['Authorization', 'Cookie', 'Proxy-Authorization', 'X-Kept'].map((key) => ({
    ...{ key, value: 'hush' },
  }));
  const elsewhere = await serve({ status: 307, headers: { location: `${other.url}/there` } });
  await run({ request: { url: elsewhere.url, headers } });
  const { authorization, cookie, 'proxy-authorization': proxy, ...rest } = other.requests[0]?.headers ?? {};
  expect({ authorization, cookie, proxy }).toEqual({});
  expect(rest).toMatchObject({ host: other.url.slice('http://'.length), 'x-kept': 'hush' });
  const here = await serve({ status: 307, headers: { location: '/there' } }, {});
  await run({ request: { url: here.url, headers } });
  expect(here.requests[1]).toMatchObject({
    url: '/there',
    headers: { authorization: 'hush', cookie: 'hush' },
  });
});

it.each([
  ['FORM', 'a=1&b={{V}}', 'a=1&b=x', 'application/x-www-form-urlencoded'],
  ['RAW', 'plain {{V}}', 'plain x', 'text/plain; charset=utf-8'],
  ['GRAPHQL', '{ shop { name } }', '{"query":"{ shop { name } }"}', 'application/json'],
  ['GRAPHQL', '{"query":"{a}","variables":{}}', '{"query":"{a}","variables":{}}', 'application/json'],
  ['NONE', 'not sent', '', undefined],
])('sends a body of the type %s', async (bodyType, body, sent, type) => {
  const { url, requests } = await serve({});
  const environmentVariables = [{ key: 'V', value: 'x' }];
  const check = { request: { url, method: 'POST', body, bodyType }, environmentVariables };
  expect((await run(check)).errors).toEqual([]);
  expect(requests[0]?.body).toBe(sent);
  expect(requests[0]?.headers['content-type']).toBe(type);
});

it('fails where a variable is named that there is not, and leaves alone what is none', async () => {
  const { url, requests } = await serve({});
  const unknown = await run({ request: { url: `${url}/{{TOKEN}}` }, shouldFail: true });
  expect(unknown).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(unknown.errors[0]).toMatch(/^the url uses the unknown variable \{\{TOKEN\}\}: set it/);
  const body = '{{#each x}} \\{{TOKEN}} {{$UUID}} {{{ V }}}';
  await run({
    request: { url, method: 'POST', body, bodyType: 'RAW' },
    environmentVariables: [{ key: 'V', value: '{{TOKEN}}' }],
  });
  expect(requests[0]?.body).toMatch(/^\{\{#each x\}\} \{\{TOKEN\}\} [\da-f-]{36} \{\{TOKEN\}\}$/);
});

it('judges header, text and document, each the whole of it', async () => {
  const { url } = await serve({
    headers: { 'set-cookie': ['a=1; Secure', 'b=2'], 'x-version': 'v1.2.3' },
    body: { items: [{ ok: true }, { ok: false }], none: null },
  });
  const { details, errors } = await run({
    request: {
      url,
      assertions: [
        claim('HEADERS', 'EQUALS', '1.2.3', 'X-Version', 'v(.*)'),
        claim('HEADERS', 'CONTAINS', 'Secure', 'set-cookie'),
        claim('HEADERS', 'NOT_CONTAINS', 'Secure', 'set-cookie'),
        claim('HEADERS', 'HAS_KEY', 'x-version'),
        claim('HEADERS', 'EQUALS', 'x', 'x-missing'),
        claim('JSON_BODY', 'EQUALS', 'true', '$.items[*].ok'),
        claim('JSON_BODY', 'EQUALS', '2', '$.items.length'),
        claim('JSON_BODY', 'IS_NULL', '', '$.none'),
        claim('TEXT_BODY', 'CONTAINS', '"ok":false'),
        claim('TEXT_BODY', 'NOT_CONTAINS', 'items'),
        claim('RESPONSE_DATA', 'NOT_EMPTY'),
      ],
    },
  });
  const passed = (details.assertions as { passed: boolean }[]).map((assertion) => assertion.passed);
  expect(passed).toEqual([true, true, false, true, false, false, true, true, true, false, false]);
  expect(errors).toContain('RESPONSE_DATA NOT_EMPTY: unknown assertion source for API checks: RESPONSE_DATA');
  expect(errors).toHaveLength(5);
});

it.each<[body: string, property: string, holds: readonly string[], fails: readonly string[]]>([
  [
    '{"n":9007199254740993}',
    '$.n',
    ['EQUALS 9007199254740993', 'NOT_EQUALS 9007199254740992', 'GREATER_THAN 9007199254740992'],
    ['EQUALS 9007199254740992', 'NOT_EQUALS 9007199254740993', 'LESS_THAN 9007199254740993'],
  ],
  ['{"n":9007199254740992}', 'n', ['EQUALS 9007199254740992.0'], ['EQUALS 9007199254740993']],
  ['9007199254740993', '', ['EQUALS 9007199254740993'], ['EQUALS 9007199254740992']],
  ['[-9007199254740993]', '[0]', ['EQUALS -9007199254740993'], ['EQUALS -9007199254740992']],
  ['{"n":1e20}', 'n', ['EQUALS 100000000000000000000'], ['EQUALS 100000000000000000001']],
  ['{"n":9.007199254740993e15}', 'n', ['EQUALS 9007199254740993'], ['EQUALS 9007199254740992']],
  [
    '{"n":[7,9007199254740993]}',
    '$.n',
    ['HAS_VALUE 9007199254740993', 'CONTAINS 9007199254740993', 'EQUALS [7,9007199254740993]'],
    ['HAS_VALUE 9007199254740992', 'CONTAINS 9007199254740992', 'EQUALS [7,9007199254740992]'],
  ],
  [
    '{"n":[7,9007199254740993]}',
    '$.n[*]',
    ['EQUALS [9007199254740993,7]'],
    ['EQUALS [9007199254740992,7]', 'EQUALS 9007199254740993'],
  ],
])('compares large integers of %s at %j digit by digit', async (body, property, holds, fails) => {
  const { url } = await serveWith((_, response) => response.end(body));
  const assertions = [...holds, ...fails].map((text) => {
    const [comparison = '', target = ''] = text.split(' ');
    return claim('JSON_BODY', comparison, target, property);
  });
  const { details } = await run({ request: { url, assertions } });
  const judged = details.assertions as { comparison: string; target: string; passed: boolean }[];
  const named = (wanted: boolean) =>
    judged.filter(({ passed }) => passed === wanted).map((one) => `${one.comparison} ${one.target}`);
  expect({ holds: named(true), fails: named(false) }).toEqual({ holds, fails });
});

it('finds a large integer by its digits, and shows them', async () => {
  const { url } = await serveWith((_, response) => response.end('{"n":9007199254740993}'));
  const equals = claim('JSON_BODY', 'EQUALS', '9007199254740992', '$.n');
  const { errors, details } = await run({
    request: { url, assertions: [equals, { ...equals, target: '993', regex: '...$' }] },
  });
  expect(errors).toEqual(['JSON_BODY $.n EQUALS "9007199254740992": was 9007199254740993']);
  expect(details.assertions).toMatchObject([{ actual: '9007199254740993' }, { passed: true }]);
});

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
])('reads a body that is packed by %s', async (encoding, pack) => {
  const { url } = await serveWith((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(pack('{"a":"ö"}')),
  );
  const assertions = [claim('JSON_BODY', 'EQUALS', 'ö', '$.a')];
  expect((await run({ request: { url, assertions } })).errors).toEqual([]);
});

it('never passes what it could not read, absence neither', async () => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
  const bodies: [Buffer | string, Record<string, string>, RegExp][] = [
    ['<html>', {}, /the body is not valid JSON: /],
    [bomb, { 'content-encoding': 'gzip' }, /the body cannot be decompressed \(gzip\): /],
    ['abc', { 'content-encoding': 'gzip' }, /the body cannot be decompressed \(gzip\): /],
    [
      'abc',
      { 'content-encoding': 'compress' },
      /the content encoding "compress", which sonde cannot decode$/,
    ],
    ['{}', { 'content-encoding': 'identity, br, br, br, br' }, /4 content encodings: at most 3 are decoded$/],
    [Buffer.alloc(6 * 1024 * 1024, 'x'), {}, /the body is longer than 5242880 bytes, which is the limit$/],
  ];
  for (const [body, headers, message] of bodies) {
    const { url } = await serveWith((_, response) => response.writeHead(200, headers).end(body));
    const assertions = [claim('JSON_BODY', 'IS_NULL', '', '$.a')];
    const { errors, hasFailures } = await run({ request: { url, assertions } });
    expect(hasFailures).toBe(true);
    expect(errors[0]).toMatch(message);
  }
});

it('reads text as its charset says, and keeps so much of it', async () => {
  const { url } = await serveWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
      .end(Buffer.concat([Buffer.from('café', 'latin1'), Buffer.alloc(200_000, '.')])),
  );
  const { details } = await run({ request: { url, assertions: [claim('TEXT_BODY', 'CONTAINS', 'café')] } });
  const { body, isBodyCut } = details.response as { body: string; isBodyCut: boolean };
  expect(body.slice(0, 5)).toBe('café.');
  expect([body.length, isBodyCut]).toEqual([100_000, true]);
});

it('takes secrets out of what it keeps, in whatever form they come back', async () => {
  const secret = 'p&ss"w<rd/ü';
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const { url } = await serveWith((request, response) =>
    response
      .writeHead(200, { 'x-echo': encodeURIComponent(secret) })
      .end(JSON.stringify({ secret, html, auth: request.headers.authorization })),
  );
  const outcome = await run({
    request: {
      url,
      basicAuth: { username: 'kim', password: secret },
      assertions: [claim('TEXT_BODY', 'CONTAINS', 'nothing')],
    },
  });
  const text = JSON.stringify(outcome);
  expect(outcome.hasFailures).toBe(true);
  expect(text).toContain('***');
  const basic = Buffer.from(`kim:${secret}`).toString('base64').slice(6, 16);
  for (const form of ['w<rd', 'w&lt;rd', 'w%3Crd', basic]) expect(text).not.toContain(form);
});

it('sends who asks to the first address alone, and its body where a redirect says so', async () => {
  const other = await serve({});
  const first = await serve(
    { status: 307, headers: { location: '/again' } },
    { status: 308, headers: { location: `${other.url}/there` } },
  );
  const check: ApiCheck = {
    request: {
      ...{ url: first.url, method: 'POST', body: 'x=1', bodyType: 'FORM' },
      headers: [
        { key: 'Cookie', value: 'sid=7' },
        { key: 'X-Kept', value: 'yes' },
      ],
      basicAuth: { username: 'kim', password: 'pw' },
    },
  };
  expect((await run(check)).errors).toEqual([]);
  const sent = [...first.requests, ...other.requests].map(({ method, body, headers }) => [
    ...[method, body, headers['x-kept'], headers.cookie, headers.authorization !== undefined],
  ]);
  expect(sent).toEqual([
    ['POST', 'x=1', 'yes', 'sid=7', true],
    ['POST', 'x=1', 'yes', 'sid=7', true],
    ['POST', 'x=1', 'yes', undefined, false],
  ]);
  const form = await serve({ status: 303, headers: { location: '/done' } }, {});
  await run({ request: { url: form.url, method: 'POST', body: 'x=1', bodyType: 'FORM' } });
  expect(form.requests[1]).toMatchObject({ method: 'GET', url: '/done', body: '' });
  expect(form.requests[1]?.headers['content-type']).toBeUndefined();
});

it.each([
  [
    { headers: [{ key: 'X-Token', value: 'Bearer {{TOKEN}}' }] },
    /^the header X-Token must not contain line breaks/,
  ],
  [{ headers: [{ key: 'X Bad', value: '' }] }, /^the name of the header "X Bad" must be a header name/],
  [{ url: 'http://127.0.0.1:{{PORT}}/' }, /^the url "http:\/\/127.0.0.1:99999\/" must have a port from 1/],
  [{ url: '{{PATH}}' }, /^the url "health" must be an HTTP URL/],
  [{ method: 'GE T' }, /^the method "GE T" must be an HTTP method/],
])('fails the check, also one that should fail, if its variables make %j', async (request, message) => {
  const environmentVariables = [
    { key: 'TOKEN', value: 'hush-1234\r\nX-Other: 1' },
    { key: 'PORT', value: '99999' },
    { key: 'PATH', value: 'health' },
  ];
  const check = { request: { url: 'http://127.0.0.1:9/', ...request }, environmentVariables };
  for (const shouldFail of [false, true]) {
    const outcome = await run({ ...check, shouldFail });
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(outcome.errors[0]).toMatch(message);
    expect(JSON.stringify(outcome)).not.toContain('hush-1234');
  }
});

it('fails as a URL check does where the network does', async () => {
  const { url } = await serveSockets((socket) => socket.destroy());
  const outcome = await run({ request: { url, assertions: [claim('STATUS_CODE', 'EQUALS', '200')] } });
  expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true });
  expect(outcome.details).toMatchObject({ assertions: [], response: null });
});

it('cannot run with scripts where there is no sandbox, nor with a snippet that is gone', async () => {
  const request = { url: 'http://127.0.0.1:9/' };
  await expect(run({ request, setup: [{ name: 'setup', script: '' }] })).rejects.toThrow(
    'scripts are disabled',
  );
  await expect(run({ request, problem: 'the setup snippet 4 is gone' })).rejects.toThrow('snippet 4 is gone');
});

it('shows no part of a secret either, where what it stands in is cut', async () => {
  const secret = `s3cr-${'x'.repeat(4000)}-end`;
  const { url } = await serveWith((_, response) =>
    response.writeHead(200, { 'x-echo': secret }).end('-'.repeat(99_000) + secret),
  );
  const check = (target: string): ApiCheck => ({
    request: {
      ...{ url: target, method: 'POST', bodyType: 'RAW', body: '-'.repeat(9000) + secret },
      headers: [{ key: 'X-Token', value: secret }],
    },
  });
  const outcome = await run(check(url), { secrets: [secret] });
  expect(outcome.details).toMatchObject({ response: { status: 200, isBodyCut: true } });
  expect(JSON.stringify(outcome)).not.toContain('s3cr-');
  const away = await serveWith((_, response) =>
    response.writeHead(302, { location: `gopher://x/${secret}` }).end(),
  );
  const lost = await run(check(away.url), { secrets: [secret] });
  expect(lost.errors[0]).toContain('redirects to neither http nor https: gopher://x/***');
  expect(JSON.stringify(lost)).not.toContain('s3cr-');
});
