/** Every page in a real browser, in light and dark: axe finds nothing, nothing is wider than the window, nothing is refused. */

import { type Browser, chromium } from '@playwright/test';
import { source as axe } from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { capability } from '../../../src/service/capability.ts';
import { call } from '../../support/call.ts';
import { leaving, PIXEL, runBrowserCheck } from './browser-runs.ts';
import { makeIncident, makePage, makeServices, resolve, startWorld, type World } from './world.ts';

const CHROMIUM = '/usr/bin/chromium';
const LONG = 'Recommendations_and_search_with_a_name_that_never_ends_and_has_no_space_to_break_at';

/** What a browser check leaves that fails. */
const LEFT = {
  errors: ['Error: no such button'],
  artifacts: [
    { kind: 'screenshot', name: 'failure.png', contentType: 'image/png', contents: PIXEL },
    { kind: 'trace', name: 'trace.zip', contentType: 'application/zip', contents: PIXEL },
  ],
  details: {
    isolation: { level: 'uid', chromiumSandbox: true },
    tests: ['passed', 'failed', 'skipped'].map((status) => ({ title: LONG, status, durationMs: 1200 })),
    console: ['log', 'warning', 'error'].map((level) => ({ from: 'page', level, text: LONG, atMs: 5 })),
  },
} as const;

let world: World;
let browser: Browser;
const paths: Record<string, string> = {};

beforeAll(async () => {
  world = await startWorld({ engine: { runners: leaving(LEFT).runners } });
  const ids = await makeServices(world, ['Web shop', LONG, 'Mail']);
  const over = await makeIncident(world, [ids[0] ?? '']);
  world.step(90 * 60_000);
  await resolve(world, over.id);
  await makeIncident(world, [ids[0] ?? ''], { name: LONG, severity: 'CRITICAL' });
  await makeIncident(world, [ids[1] ?? ''], { severity: 'MINOR' });
  const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
  for (const from of [-1, 30])
    await call(world, contract.createMaintenanceWindow, {
      body: {
        ...{
          name: 'Upgrade',
          startsAt: at(from),
          endsAt: at(from + 2),
          repeatUnit: 'DAY',
          repeatInterval: null,
        },
        ...{
          description: 'Mail comes late.',
          statusPageVisibility: { enabled: true, serviceIds: [ids[2] ?? ''] },
        },
      },
    });
  await makePage(world, 'full', ids, { description: 'How we are doing.' });
  await makePage(world, 'empty', [], { name: LONG, cards: [] });
  const door = await makePage(world, 'door', ids);
  const params = { statusPageId: door.id };
  await call(world, contract.updateStatusPageAccess, { params, body: { isPrivate: true } });
  const check = await call(world, contract.createDnsCheck, {
    body: {
      ...{ name: 'nobody answers', heartbeat: {}, script: '', frequency: 1440 },
      request: {
        ...{ query: 'a.example', nameServer: '127.0.0.1', port: 9 },
        assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
      },
    },
  });
  const target = { checkId: [String((check as { id: string }).id)] };
  const [started] = (await call(world, contract.triggerCheckSessions, { body: { target } })).sessions;
  const ended = await call(world, contract.awaitCheckSession, {
    params: { checkSessionId: started?.checkSessionId ?? '' },
    query: { maxWaitSeconds: 20 },
  });
  const asked = await call(world, contract.triggerTestSessions, {
    body: { name: 'release 7', runLocation: 'eu-west-1', target, metadata: { branchName: LONG } },
  });
  const tested = await call(world, contract.awaitTestSession, {
    params: { testSessionId: asked.testSessionId },
    query: { maxWaitSeconds: 20 },
  });
  const browserRun = await runBrowserCheck(world, LONG);
  const pathOf = (link = '') => new URL(link).pathname;
  const subscriber = await world.store.subscribers.ask(
    (await world.store.statusPages.bySlug('full'))?.id ?? '',
    'EMAIL',
    'a@example.com',
  );
  const id = subscriber?.subscriber.id ?? '';
  const secret = await world.store.settings.linkSecret();
  const unsubscribePath = `/status/full/unsubscribe/${id}/${capability(secret, 'unsubscribe', id)}`;
  Object.assign(paths, {
    full: '/status/full',
    empty: '/status/empty',
    door: '/status/door',
    subscribe: '/status/full/subscribe',
    asked: '/status/full/subscribe/asked',
    confirm: `/status/full/confirm/${subscriber?.token}`,
    gone: '/status/full/confirm/none',
    session: pathOf(ended.checkSessionLink),
    result: pathOf(ended.results[0]?.checkResultLink),
    testSession: pathOf(tested.testSessionLink),
    browserSession: browserRun.session,
    browserResult: browserRun.result,
    unsubscribe: unsubscribePath,
    missing: '/status/none',
  });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const NAMES = [
  'full',
  'empty',
  'door',
  'subscribe',
  'asked',
  'confirm',
  'gone',
  'session',
  'result',
  'testSession',
  'browserSession',
  'browserResult',
  'unsubscribe',
  'missing',
];

it.each(['light', 'dark'] as const)(
  'axe finds nothing on any page in %s',
  async (colorScheme) => {
    // The policy holds for the page; axe is brought in beside it.
    const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) refused.push(message.text());
    });
    for (const name of NAMES) {
      await page.goto(world.url + paths[name]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, `${name} is as wide as the window`).toBeLessThanOrEqual(390);
      await page.evaluate(axe);
      const found = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      expect(
        found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
        name,
      ).toEqual([]);
    }
    expect(refused).toEqual([]);
    await context.close();
  },
  90_000,
);

it('everything can be done with the keyboard alone: subscribing, and opening a private page', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(world.url + paths.full);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/subscribe');
  await page.locator('#email').press('Tab');
  await page.locator('#email').focus();
  await page.keyboard.type('keys@example.com');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/subscribe/asked');
  const { isPrivate } = await world.store.pageAccess.of(
    (await world.store.statusPages.bySlug('door'))?.id ?? '',
  );
  expect(isPrivate).toBe(true);
  const { key } = await world.store.pageAccess.set((await world.store.statusPages.bySlug('door'))?.id ?? '', {
    newKey: true,
  });
  await page.goto(world.url + paths.door);
  await page.locator('#key').focus();
  await page.keyboard.type(key ?? '');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=Open incidents');
  await context.close();
});
