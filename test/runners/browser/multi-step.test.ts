/** Multi-step checks: Playwright's requests without a browser, and what is kept of them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { type SeenRequest, serveWith } from '../../support/http.ts';
import { contentsOf } from '../../support/left-files.ts';
import { detailsOf, openRunner, type TestRunner } from './support.ts';

const root = join(import.meta.dirname, '../../..');
let bare: TestRunner;
beforeAll(async () => {
  bare = await openRunner({ isBare: true });
});
afterAll(() => bare.close());

/** Answers each request with what it was, as JSON. */
const echo = () =>
  serveWith(({ method, url, headers, body }, response) => {
    if (url === '/user' && headers.authorization === undefined)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end('who are you?');
    if (url === '/leads')
      return response.writeHead(302, { location: `http://kim:pw@${headers.host}/user` }).end();
    const status = url === '/missing' ? 404 : 200;
    return response.writeHead(status).end(JSON.stringify({ method, url, body, headers }));
  });

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

it('shows no part of a secret either, where a message is cut', async () => {
  const secret = `s3cr-${'y'.repeat(90)}`;
  const attempt = await bare.run(
    {
      script: "throw new Error('-'.repeat(7940) + process.env.SONDE_SECRET_PW);",
      environmentVariables: [{ key: 'SONDE_SECRET_PW', value: secret }],
    },
    { secrets: [secret] },
  );
  expect(attempt.errors[0]).toContain('-***');
  expect(JSON.stringify({ ...attempt, artifacts: [] })).not.toContain('s3cr-');
});

it('runs a plain script too, and tells who asks for a browser that there is none, whatever it expects', async () => {
  const { url } = await echo();
  const plain = await bare.run({
    script: `const { request } = require('playwright');
const context = await request.newContext({ baseURL: '${url}' });
const answered = await context.get('/missing');
if (answered.status() !== 404) throw new Error('was ' + answered.status());
console.log('was missing');
throw new Error('seen enough');`,
  });
  expect(plain.errors[0]).toMatch(/^Error: seen enough/);
  const [trace] = plain.artifacts ?? [];
  expect(trace?.kind).toBe('trace');
  const files = Object.values(unzipSync(await contentsOf(trace)));
  expect(files.map((file) => Buffer.from(file).toString()).join('')).toContain(`${url}/missing`);
  expect(detailsOf(plain).console).toMatchObject([{ from: 'script', text: 'was missing' }]);
  const page = await bare.run({
    script: `import { test } from '@playwright/test'; test('page', async ({ page }) => { await page.goto('${url}'); });`,
    shouldFail: true,
  });
  expect(page).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(page.errors[0]).toMatch(/^there is no browser for this script: it makes requests alone/);
});

/** A folder of runtimes in which 2025.04 is the Playwright of this project. */
async function olderRuntime(): Promise<string> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, '2025.04'));
  symlinkSync(join(root, 'node_modules'), join(folder, '2025.04/node_modules'));
  return folder;
}

const authorizations = (requests: readonly SeenRequest[]) =>
  requests.map(({ url, headers }) => [url, headers.authorization]);

it('sends no Authorization header on runtime 2025.04', async () => {
  const { url, requests } = await echo();
  const older = await openRunner({ isBare: true, runtimes: await olderRuntime() });
  const script = `
import { test, expect } from '@playwright/test';
test.use({ extraHTTPHeaders: { Authorization: 'Bearer one', 'x-kept': 'yes' } });
test('a', async ({ request, playwright }) => {
  await request.get('${url}/fixture');
  await request.get('${url}/given', { headers: { authorization: 'Bearer two' } });
  const own = await playwright.request.newContext({ httpCredentials: { username: 'a', password: 'b', send: 'always' } });
  await own.get('${url}/own');
  await request.get('${url.replace('://', '://kim:pw@')}/user');
  await request.get('${url}/leads');
});`;
  try {
    expect((await older.run({ script, runtimeId: '2025.04' })).errors).toEqual([]);
  } finally {
    await older.close();
  }
  expect(authorizations(requests)).toEqual([
    ['/fixture', undefined],
    ['/given', undefined],
    ['/own', undefined],
    ['/user', undefined],
    ['/leads', undefined],
    ['/user', undefined],
  ]);
  expect(requests[0]?.headers['x-kept']).toBe('yes');
});

it('nor does Node on that runtime, for a script of its own', async () => {
  const { url, requests } = await echo();
  const older = await openRunner({ isBare: true, runtimes: await olderRuntime() });
  const script = `
import http, { get } from 'node:http';
const headers = { authorization: 'Bearer one', 'x-kept': 'yes' };
const answered = (ask) => new Promise((resolve, reject) =>
  ask((response) => response.resume().once('end', resolve)).once('error', reject));
const { hostname, port } = new URL('${url}');
await answered((done) => get('${url}/get', { headers }, done));
await answered((done) => http.get(new URL('${url.replace('://', '://kim:pw@')}/named'), done));
await answered((done) => http.request({ hostname, port, path: '/list', auth: 'kim:pw', headers: Object.entries({ host: hostname, ...headers }).flat() }, done).end());
await fetch('${url}/fetched', { method: 'POST', headers, body: 'text' });
await fetch(new Request('${url}/asked', { headers }));`;
  try {
    expect((await older.run({ script, runtimeId: '2025.04' })).errors).toEqual([]);
  } finally {
    await older.close();
  }
  expect(authorizations(requests)).toEqual(
    ['/get', '/named', '/list', '/fetched', '/asked'].map((path) => [path, undefined]),
  );
  expect(requests.map(({ headers }) => headers['x-kept'])).toEqual(['yes', undefined, 'yes', 'yes', 'yes']);
  expect(requests[3]).toMatchObject({ method: 'POST', body: 'text' });
});

it('nor does a browser of that runtime, whatever sets the header', async () => {
  const { url, requests } = await echo();
  const older = await openRunner({ runtimes: await olderRuntime() });
  const script = `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const context = await browser.newContext({ extraHTTPHeaders: { Authorization: 'Bearer one', 'x-kept': 'yes' } });
const page = await context.newPage();
await page.goto('${url}/page');
await page.evaluate(() => fetch('/fetched', { headers: { Authorization: 'Bearer two' } }));
await page.request.get('${url}/asked', { headers: { Authorization: 'Bearer three' } });
await page.request.get('${url}/leads');
const spoilt = (route) => ({ headers: { ...route.request().headers(), AUTHORIZATION: 'Bearer four', 'x-own': 'yes' } });
await page.route('**/continued', (route) => route.continue(spoilt(route)));
await page.route('**/fallen', (route) => route.fallback(spoilt(route)));
await page.route('**/routed', async (route) => route.fulfill({ response: await route.fetch(spoilt(route)) }));
await context.route('**/over', (route) => route.continue(spoilt(route)));
await context.route('**/let', (route) => route.continue());
const other = await context.newPage();
await other.goto('${url}/other');
await other.route('**/another', (route) => route.continue(spoilt(route)));
await page.evaluate(async () => {
  for (const path of ['/continued', '/fallen', '/routed', '/over', '/let'])
    await fetch(path, { headers: { Authorization: 'Bearer five' } });
});
await other.evaluate(() => fetch('/another'));
await other.goto('${url}/leads').catch(() => {});
await page.evaluate(() => new Promise((resolve) => {
  const code = "fetch('${url}/worker', { headers: { authorization: 'Bearer six' } }).finally(() => postMessage(''))";
  new Worker(URL.createObjectURL(new Blob([code]))).onmessage = resolve;
}));
const lasting = await chromium.launchPersistentContext('');
await lasting.setExtraHTTPHeaders({ Authorization: 'Bearer seven' });
const lastingPage = await lasting.newPage();
await lastingPage.setExtraHTTPHeaders({ Authorization: 'Bearer eight' });
await lastingPage.goto('${url}/lasting');
await lastingPage.evaluate((address) => new Promise((resolve) => {
  new WebSocket(address).onerror = resolve;
}), '${url.replace('http', 'ws')}/socket');
await lasting.close();
const named = '${url.replace('://', '://kim:pw@')}/user';
await other.goto(named).catch(() => {});
await other.route('**/user', (route) => route.continue());
await other.goto(named).catch(() => {});
await browser.close();`;
  try {
    expect((await older.run({ script, runtimeId: '2025.04' })).errors).toEqual([]);
  } finally {
    await older.close();
  }
  const asked = requests.filter(({ url: path }) => path !== '/favicon.ico');
  expect(authorizations(asked)).toEqual([
    ['/page', undefined],
    ['/fetched', undefined],
    ['/asked', undefined],
    ['/leads', undefined],
    ['/user', undefined],
    ['/other', undefined],
    ...['/continued', '/fallen', '/routed', '/over', '/let', '/another'].map((path) => [path, undefined]),
    ...['/leads', '/user', '/worker', '/lasting', '/socket', '/user', '/user'].map((path) => [
      path,
      undefined,
    ]),
  ]);
  expect(asked[0]?.headers['x-kept']).toBe('yes');
  const own = asked.filter(({ headers }) => headers['x-own'] === 'yes').map(({ url: path }) => path);
  expect(own).toEqual(['/continued', '/fallen', '/routed', '/over', '/another']);
});
