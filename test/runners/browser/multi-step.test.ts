import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentsOf } from '../../support/left-files.ts';
import { echo } from './older-runtime.ts';
import { openRunner, type TestRunner } from './support.ts';

let bare: TestRunner;
beforeAll(async () => {
  bare = await openRunner({ isBare: true });
});
afterAll(() => bare.close());

it('makes its requests step by step, in a file of Playwright Test, and no browser is there', async () => {
  const { url, requests } = await echo();
  const attempt = await bare.run({
    script: `
import { test, expect } from '@playwright/test';
test('orders', async ({ request }) => {
  const headers = { Authorization: 'Bearer x' };
  const made = await request.post('${url}/orders', { headers, data: { sku: process.env.SKU } });
  expect(made.ok()).toBe(true);
  await test.step('look', async () => {
    expect((await (await request.get('${url}/orders/7')).json()).method).toBe('GET');
  });
});`,
    environmentVariables: [{ key: 'SKU', value: 'x-1' }],
  });
  expect(attempt.errors).toEqual([]);
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
    'POST /orders',
    'GET /orders/7',
  ]);
  expect(requests[0]?.headers.authorization).toBe('Bearer x');
  expect(attempt.details).toMatchObject({ kind: 'test', browser: null, tests: [{ title: 'orders' }] });
  expect(attempt.responseTime).toBeGreaterThan(0);
});

it.each([
  [
    'a file of Playwright Test',
    "import { test } from '@playwright/test'; test('user', async ({ request }) => { await request.get('/user'); });",
  ],
  [
    'a plain script',
    "const { request } = require('playwright'); await (await request.newContext()).get('/user');",
  ],
])('sends its requests with the options of Playwright: %s', async (_, script) => {
  const { url, requests } = await echo();
  const attempt = await bare.run({
    script,
    baseUrl: 'http://group.invalid',
    playwrightConfig: {
      use: {
        ...{ baseURL: url, extraHTTPHeaders: { 'x-shop': '1' }, userAgent: 'shop' },
        httpCredentials: { username: 'kim', password: 'pw', send: 'always' },
      },
    },
  });
  expect(attempt.errors).toEqual([]);
  const authorization = `Basic ${btoa('kim:pw')}`;
  expect(requests.map(({ headers }) => headers)).toMatchObject([
    { authorization, 'x-shop': '1', 'user-agent': 'shop' },
  ]);
});

it('fails by an expectation, and takes secrets out of the trace in every form', async () => {
  const secret = 'p&ss "w<rd/ü';
  const { url } = await echo();
  const attempt = await bare.run(
    {
      script: `
import { test, expect } from '@playwright/test';
const pw = process.env.SONDE_SECRET_PW ?? '';
test('echo', async ({ request }) => {
  const html = pw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const answered = await request.post('${url}/a?pw=' + encodeURIComponent(pw), {
    headers: { 'x-pw': Buffer.from(pw).toString('base64') },
    data: { pw, html, auth: 'Basic ' + Buffer.from('kim:' + pw).toString('base64') },
  });
  expect(await answered.text()).toBe('nothing ' + pw);
});`,
      environmentVariables: [{ key: 'SONDE_SECRET_PW', value: secret }],
    },
    { secrets: [secret] },
  );
  expect(attempt.hasFailures).toBe(true);
  const trace = attempt.artifacts?.find(({ kind }) => kind === 'trace');
  const files = Object.values(unzipSync(await contentsOf(trace)));
  const everything = `${files.map((file) => Buffer.from(file).toString()).join('\n')}${JSON.stringify({ ...attempt, artifacts: [] })}`;
  expect(everything).toContain('/a?pw=***');
  const base64 = Buffer.from(secret).toString('base64').slice(2, 12);
  const basic = Buffer.from(`kim:${secret}`).toString('base64').slice(6, 16);
  for (const form of ['w<rd', 'w&lt;rd', 'w%3Crd', 'w\\u003crd', base64, basic])
    expect(everything).not.toContain(form);
});
