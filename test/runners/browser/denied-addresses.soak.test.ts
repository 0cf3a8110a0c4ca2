/** Where addresses are denied, neither a script nor its browser reaches them by any way; what is allowed they reach as ever. */
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detailsOf, openRunner, openSite, type Site, type TestRunner } from './support.ts';

const DENIED = '127.0.0.3';
const WHY = `${DENIED} is denied here`;

let [open, hidden]: Site[] = [];
let checks: TestRunner;
let datagrams = 0;
const listener = createSocket('udp4', () => {
  datagrams += 1;
});
beforeAll(async () => {
  [open, hidden] = await Promise.all([openSite('127.0.0.2'), openSite(DENIED)]);
  await new Promise<void>((resolve) => listener.bind(0, DENIED, resolve));
  checks = await openRunner({
    level: 'auto',
    denyAddress: (address) => (address === '127.0.0.2' ? undefined : WHY),
  });
});
afterAll(async () => {
  await checks.close();
  await Promise.all([open?.close(), hidden?.close()]);
  listener.close();
});

const filled = (script: string) =>
  script.replaceAll('OPEN', open?.url ?? '').replaceAll('HIDDEN', hidden?.url ?? '');

it.concurrent('passes by no refusal: a request of Playwright that is denied has no answer', async () => {
  const script = filled(`
    const { request } = require('playwright');
    const answered = await (await request.newContext()).get('HIDDEN/asked');
    console.log(answered.status());`);
  const attempt = await checks.run({ script });
  expect(attempt.hasFailures, attempt.errors.join()).toBe(false);
  expect(attempt).toMatchObject({
    hasErrors: true,
    errors: [expect.stringContaining(WHY), expect.anything()],
  });
  expect(hidden?.seen).not.toContain('/asked');
});

it.concurrent('reaches what is allowed with the browser, with requests of Playwright, with fetch and http', async () => {
  const script = filled(`
    const { chromium, request } = require('playwright');
    const [http, fs] = [require('node:http'), require('node:fs')];
    const page = await (await chromium.launch()).newPage();
    await page.goto('OPEN/by-page');
    await page.request.get('OPEN/by-page-request');
    await (await request.newContext()).get('OPEN/by-request');
    await (await fetch('OPEN/by-fetch', { method: 'POST', body: 'x' })).text();
    await new Promise((done, fail) => http.get('OPEN/by-http', (answer) => answer.resume().on('end', done)).on('error', fail));
    const own = http.createServer((_, answer) => answer.end('mine'));
    await new Promise((go) => own.listen(0, '127.0.0.1', go));
    if ((await (await fetch('http://127.0.0.1:' + own.address().port)).text()) !== 'mine') throw new Error('not mine');
    await page.goto('http://127.0.0.1:' + own.address().port);
    if (!(await page.content()).includes('mine')) throw new Error('not mine');
    const field = (pid, name) => new RegExp('^' + name + ':\\\\s*(.*)$', 'm').exec(fs.readFileSync('/proc/' + pid + '/status', 'utf8'))[1].split(/\\s+/);
    const renderers = fs.readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid))
      .filter((pid) => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('--type=renderer'));
    console.log(JSON.stringify(renderers.map((pid) => ({
      seccomp: field(pid, 'Seccomp')[0], gains: field(pid, 'NoNewPrivs')[0], isNested: field(pid, 'NSpid').length > field('self', 'NSpid').length,
    }))));
  `);
  const attempt = await checks.run({ script });
  expect(attempt.errors).toEqual([]);
  expect(attempt.hasFailures, attempt.errors.join()).toBe(false);
  const ways = ['/by-page', '/by-page-request', '/by-request', '/by-fetch', '/by-http'];
  expect(open?.seen).toEqual(expect.arrayContaining(ways));

  // Chromium's own sandbox is on where the result says so, as its renderers show.
  const { console: lines, isolation } = detailsOf(attempt);
  const renderers = JSON.parse(lines.find(({ from }) => from === 'script')?.text ?? '[]') as object[];
  const isOn = { seccomp: '2', gains: '1', isNested: true };
  expect(renderers.length).toBeGreaterThan(0);
  if (isolation.chromiumSandbox) expect(renderers).toEqual(renderers.map(() => isOn));
  else expect(renderers).not.toContainEqual(isOn);
});

it.concurrent('runs a file of tests, whose request and page go the same way', async () => {
  const script = filled(`
    import { test, expect } from '@playwright/test';
    test('open', async ({ page, request }) => {
      await page.goto('OPEN/tested');
      await expect(page.locator('h1')).toHaveText('Welcome');
      expect((await request.get('OPEN/asked')).status()).toBe(200);
    });`);
  const attempt = await checks.run({ script });
  expect(attempt.errors).toEqual([]);
  expect(open?.seen).toEqual(expect.arrayContaining(['/tested', '/asked']));
});

it.concurrent('reaches nothing else, whatever a script tries', async () => {
  const { port } = listener.address();
  const url = new URL(hidden?.url ?? '');
  const script = filled(`
    const { chromium } = require('playwright');
    const [net, http, dgram, { spawnSync }] = ['net', 'http', 'dgram', 'child_process'].map((name) => require('node:' + name));
    const got = {};
    const tried = async (name, act) => { try { got[name] = (await act()) ?? null; } catch { got[name] = null; } };
    const browser = await chromium.launch();
    const page = await browser.newPage();
    await tried('page', () => page.goto('HIDDEN/').then(() => 'opened'));
    await tried('redirect', () => page.goto('OPEN/to?HIDDEN/').then(() => 'opened'));
    await tried('fetch', () => fetch('HIDDEN/').then(() => 'fetched'));
    await tried('http', () => new Promise((done, fail) => http.get('HIDDEN/', () => done('got')).on('error', fail)));
    await tried('net', () => new Promise((done, fail) => net.connect(${url.port}, '${url.hostname}', () => done('connected')).on('error', fail)));
    await tried('udp', () => new Promise((done, fail) => dgram.createSocket('udp4').unref().send('x', ${port}, '${DENIED}', (error) => error ? fail(error) : done())));
    await tried('curl', () => spawnSync('curl', ['-sf', '--noproxy', '*', 'HIDDEN/']).status === 0 ? 'got' : null);
    await tried('raw', () => new Promise((done, fail) => {
      const asked = http.request({ host: '127.0.0.1', port: new URL(process.env.HTTP_PROXY).port, method: 'CONNECT', path: '${url.host}', agent: false });
      asked.on('connect', ({ statusCode }) => done(statusCode === 200 ? 'tunnel' : null)).on('error', fail).end();
    }));
    console.log(JSON.stringify(got));
  `);
  const attempt = await checks.run({ script });
  expect(attempt.errors).toEqual([]);
  const got = JSON.parse(detailsOf(attempt).console.find(({ from }) => from === 'script')?.text ?? '{}');
  const names = ['page', 'redirect', 'fetch', 'http', 'net', 'udp', 'curl', 'raw'];
  expect(got).toEqual(Object.fromEntries(names.map((name) => [name, null])));
  expect(hidden?.seen).toEqual([]);
  expect(datagrams).toBe(0);
  expect(attempt.details.denied).toEqual([{ host: DENIED, why: WHY }]);
});

it.concurrent('says of a script that fails by what is denied that it is no failure of the target', async () => {
  const script = filled(
    "const page = await (await require('playwright').chromium.launch()).newPage(); await page.goto('HIDDEN/');",
  );
  const attempt = await checks.run({ script });
  expect(attempt).toMatchObject({ hasFailures: false, hasErrors: true });
  expect(attempt.errors[0]).toBe(`the script is not allowed to contact ${DENIED}: ${WHY}`);
});
