/** Checks of the runtime 2025.04 send no Authorization header, whatever sets it: in Node and in a browser. */
import { expect, it } from 'vitest';
import { authorizations, echo, olderRuntime } from './older-runtime.ts';
import { openRunner } from './support.ts';

it('Node sends none, for a script of its own', async () => {
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

it('a file of Playwright Test sends none', async () => {
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

it('a browser sends none, whatever sets the header', async () => {
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
