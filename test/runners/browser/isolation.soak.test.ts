/** Runs have nothing in common, also where a browser waits ready; and what keeps a check from running is no failure. */
import { expect, it } from 'vitest';
import { listPids, readProcFile } from '../../../src/sandbox/cell/procfs.ts';
import { detailsOf, openRunner, useShop } from './support.ts';

const shop = useShop({ warm: 1 });

const TEST = "import { test } from '@playwright/test';";
const LOOKS = `
  const fs = require('node:fs');
  const { chromium } = require('playwright');
  const browser = await chromium.launch();
  const page = await browser.newPage();
  await page.goto('SITE');
  const found = {
    global: globalThis.left, env: process.env.LEFT, files: fs.readdirSync(process.env.HOME).filter((name) => name === 'left'),
    cookie: await page.evaluate(() => document.cookie), stored: await page.evaluate(() => localStorage.getItem('left')),
    contexts: browser.contexts().length, pid: process.pid,
  };
  console.log(JSON.stringify(found));
  globalThis.left = process.env.LEFT = 'mine';
  fs.writeFileSync(process.env.HOME + '/left', 'mine');
  await page.evaluate(() => { document.cookie = 'left=mine; max-age=3600'; localStorage.setItem('left', 'mine'); });
`;

it('gives each run a process and a browser that nobody had before', async () => {
  const script = LOOKS.replace('SITE', shop.site.url);
  const first = await shop.checks.run({ script });
  while (shop.checks.runner.describe().ready === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = await shop.checks.run({ script });
  expect(detailsOf(second).isolation.keptReady).toBe(true);
  const [one, other] = [first, second].map(
    (attempt) =>
      JSON.parse(detailsOf(attempt).console.find(({ from }) => from === 'script')?.text ?? '{}') as object,
  );
  const nothing = { files: [], cookie: '', stored: null, contexts: 1 };
  expect(one).toMatchObject(nothing);
  expect(other).toMatchObject(nothing);
  expect(other).not.toHaveProperty('global');
  expect(other).not.toHaveProperty('env');
  expect((other as { pid: number }).pid).not.toBe((one as { pid: number }).pid);
});

it('gives no run what waits with a process that has ended', async () => {
  const ready = async (count: number) => {
    while (shop.checks.runner.describe().ready !== count)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const field = (pid: number, name: string) =>
    new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1];
  const isOurs = (pid: number): boolean => {
    const parent = Number(field(pid, 'PPid') ?? 0);
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  for (const script of ["console.log('well')", `${TEST} test('a', () => {});`]) {
    await ready(1);
    const executors = listPids().filter(
      (pid) => readProcFile(`/proc/${pid}/cmdline`)?.includes('\0executor') && isOurs(pid),
    );
    expect(executors).toHaveLength(1);
    for (const pid of executors) process.kill(pid, 'SIGKILL');
    await ready(0);
    const { errors } = await shop.checks.run({ script });
    expect(errors).toEqual([]);
  }
});

it('is no failure where there is no browser, and where addresses are denied', async () => {
  const without = await openRunner({ named: '/nonexistent/browser' });
  const none = await without.run({ script: '1' });
  await without.close();
  expect(none).toMatchObject({ hasFailures: false, hasErrors: true });
  expect(none.errors[0]).toBe('the configured browser is not a program: /nonexistent/browser');

  const broken = await openRunner({ named: '/bin/false' });
  const dead = await broken.run({ script: '1' });
  await broken.close();
  expect(dead).toMatchObject({ hasFailures: false, hasErrors: true });
  expect(dead.errors[0]).toMatch(/^no browser could be started: /);

  const denied = await shop.checks.run({ script: '1' }, { context: { denyAddress: () => 'it is private' } });
  expect(denied).toMatchObject({ hasFailures: false, hasErrors: true });
  expect(denied.errors[0]).toContain('this service denies some addresses to its checks');
});

it('fails by a certificate, though the script is well, and turns around what should fail', async () => {
  const script = 'console.log("well")';
  const bad = await shop.checks.run({ script, sslCheckDomain: `127.0.0.1:${new URL(shop.site.url).port}` });
  expect(bad).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
  expect(detailsOf(bad).sslCheck?.problem).toMatch(/the server does not speak TLS on this port/);
  const meant = await shop.checks.run({ script: 'throw new Error("as meant")', shouldFail: true });
  expect(meant).toMatchObject({ hasFailures: false, hasErrors: false });
});
