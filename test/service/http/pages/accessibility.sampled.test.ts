/** Every page and every e-mail in a real browser: axe finds nothing in light and dark, nothing is wider than the window, nothing is refused. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../support/chromium.ts';
import { sampleOf } from '../../../support/sampled.ts';
import { EVERY_EMAIL } from './every-email.ts';
import { type EveryPage, everyPage } from './every-page.ts';

const require = createRequire(import.meta.url);

/** Every document reads it anew: the short form. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [2560, 1280, 768, 390];

/** Each kind has more pages than this. A walk over fewer would prove less. */
const KINDS = { runs: 12, services: 9, subscribers: 7, dashboards: 8, signedIn: 10 } as const;
/** Of these axe has seen the parts elsewhere. */
const SIMILAR = ['well', 'slow', 'many', 'ALERT_FAILURE_REMAIN', 'ALERT_DEGRADED_REMAIN'];

let all: EveryPage;
let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
  const page = await browser.newPage();
  // Large enough to move what is below it.
  all = await everyPage({ picture: await page.screenshot() });
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await all?.close();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules of pages, and of what is shown within a page of another's. */
const RULES = { page: {}, email: { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] } };

/** What axe finds, in the window as it is; in dark only the colours are others. */
async function found(page: Page, kind: keyof typeof RULES): Promise<unknown[]> {
  const violations: Violation[] = [];
  // The policy holds for the page; axe is brought in beside it. A document that is written anew has it still.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  for (const [colorScheme, options] of [
    ['light', RULES[kind]],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    // All that passes, told node by node, would cost more than the finding.
    const given = `document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })}`;
    const broken = await page.evaluate(`axe.run(${given}).then(({ violations }) => violations)`);
    violations.push(...(broken as Violation[]));
  }
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

async function fits(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide, `${name} is as wide as the window`).toBeLessThanOrEqual(width);
    // What scrolls by itself hides what stands at its end.
    const hidden = await page.evaluate(
      '[...document.querySelectorAll("body *")].filter((one) => one.tagName !== "INPUT" && !one.closest(".sr") && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible").map((one) => one.outerHTML.slice(0, 200))',
    );
    expect(hidden, `${name} at ${width} px scrolls nothing sideways`).toEqual([]);
  }
}

/** Sums what the images of each document move: they arrive after all else has been parsed and painted. */
async function measureShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = 0;
    const parsed = new Promise((done) => addEventListener('DOMContentLoaded', done));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    window.painted = parsed.then(frame).then(frame).then(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifts += entry.value;
      }).observe({ type: 'layout-shift' });
    });
  `);
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() === 'image') await page.evaluate('painted').catch(() => {});
    await route.continue();
  });
}

/** Expects that nothing has moved since the first paint of the whole document. */
async function staysInPlace(page: Page, name: string): Promise<void> {
  const settled = 'new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shifts), 0)))';
  expect(await page.evaluate(settled), `layout shift of ${name}`).toBe(0);
}

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('a page of %s', (kind) => {
  it('has nothing that axe finds, in light and dark, and fits a phone', async () => {
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) refused.push(message.text());
    });
    await measureShifts(page);
    const names = all.names[kind];
    expect(names.length).toBeGreaterThan(KINDS[kind]);
    for (const name of sampleOf(names, 1)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await all.open(page, name);
      await staysInPlace(page, name);
      await fits(page, name);
      if (!SIMILAR.includes(name)) expect(await found(page, 'page'), name).toEqual([]);
      await page.goto(page.url());
      await staysInPlace(page, `${name} on a phone`);
    }
    expect(refused).toEqual([]);
    await page.close();
  });
});

/** The sum of its three parts, 0 to 765. */
const brightnessOf = (colour: string): number =>
  (colour.match(/\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0);

describe('an e-mail', () => {
  it('of any kind has nothing that axe finds, in light and dark, and fits a phone', async () => {
    const page = await browser.newPage();
    for (const [name, { html }] of sampleOf(Object.entries(EVERY_EMAIL), 1)) {
      await page.setContent(html);
      await fits(page, name);
      if (SIMILAR.includes(name)) continue;
      expect(await found(page, 'email'), name).toEqual([]);
    }
    await page.close();
  });

  it('is dark for who reads it so', async () => {
    const page = await browser.newPage({ colorScheme: 'dark' });
    for (const [name, { html }] of Object.entries(EVERY_EMAIL)) {
      await page.setContent(html);
      const dark = await page.evaluate(
        '[".out", ".in", ".quote", "td", "h1"].map((one) => { const at = document.querySelector(one); return at && getComputedStyle(at); }).map((style) => style && [style.backgroundColor, style.color])',
      );
      const [out, card, ...rest] = dark as ([string, string] | null)[];
      expect([out?.[0], card?.[0]], name).toEqual(['rgb(18, 19, 21)', 'rgb(25, 27, 30)']);
      for (const style of rest) if (style) expect(brightnessOf(style[1]), name).toBeGreaterThan(350);
    }
    await page.close();
  });
});

it('everything can be done with the keyboard alone: subscribing, and opening a private page', async () => {
  const { world } = all;
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/status/full`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/subscribe');
  await page.locator('#email').press('Tab');
  await page.locator('#email').focus();
  await page.keyboard.type('keys@example.com');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/subscribe/asked');
  const pageId = (await world.store.statusPages.bySlug('door'))?.id ?? '';
  expect(await world.store.pageAccess.of(pageId)).toMatchObject({ isPrivate: true });
  const { key } = await world.store.pageAccess.set(pageId, { newKey: true });
  await page.goto(`${world.url}/status/door`);
  await page.locator('#key').focus();
  await page.keyboard.type(key ?? '');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=Active incidents');
  await context.close();
});
