/** Browser checks in a real Chromium against a real site on loopback. */
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../support/left-files.ts';
import { detailsOf, useShop } from './support.ts';

const shop = useShop();

describe('a plain script', () => {
  it('may mix require, import, await and types, use its dependencies and its variables', async () => {
    const script = `
      const { chromium } = require('playwright');
      import { greeting } from '../lib/words';
      const browser = await chromium.launch();
      const page = await browser.newPage();
      await page.goto('/?' + process.env.WHO);
      console.log(JSON.stringify(page.viewportSize()), await page.evaluate(() => navigator.language));
      const slow = await page.click('#nowhere').catch(String);
      if (!slow.includes('Timeout 2500ms')) throw new Error(slow);
      const title: string = await page.title();
      if (title !== 'Shop') throw new Error('wrong title ' + title);
      console.log(greeting, process.env.ENVIRONMENT_URL, process.env.SONDE, process.env.CI);
      await page.screenshot({ path: 'mine.png' });
      await browser.close();
    `;
    const attempt = await shop.checks.run({
      ...{ script, scriptPath: 'checks/home.check.ts', baseUrl: shop.site.url },
      dependencies: [{ path: 'lib/words.ts', content: 'export const greeting: string = "hello";' }],
      environmentVariables: [{ key: 'WHO', value: 'me' }],
      playwrightConfig: {
        expect: { timeout: 1000 },
        use: { viewport: { width: 400, height: 300 }, locale: 'de-DE', actionTimeout: 2500 },
      },
    });
    expect(attempt).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
    expect(shop.site.seen).toContain('/?me');
    const { console, kind, runtime, browser } = detailsOf(attempt);
    expect({ kind, runtime }).toEqual({ kind: 'script', runtime: '2026.04' });
    expect(browser).toMatch(/^Chromium \d+/);
    expect(console).toContainEqual(
      expect.objectContaining({
        from: 'script',
        level: 'stdout',
        text: `hello ${shop.site.url} 1 undefined`,
      }),
    );
    expect(console).toContainEqual(
      expect.objectContaining({ from: 'script', text: '{"width":400,"height":300} de-DE' }),
    );
    expect(attempt.details).toMatchObject({
      notes: [expect.stringMatching(/^playwrightConfig\.expect\.timeout only applies to tests/)],
    });
    expect(console).toContainEqual(
      expect.objectContaining({ from: 'page', level: 'log', text: 'page is ready' }),
    );
    expect(attempt.artifacts?.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['mine.png', 'image/png'],
    ]);
    expect(attempt.responseTime).toBeGreaterThan(0);
  });

  it('is not over before what it began without waiting is over, and shows what was there when it failed', async () => {
    const script = `
      const { chromium } = require('playwright-core');
      async function main() {
        const browser = await chromium.launch();
        try {
          const page = await browser.newPage();
          await page.goto('${shop.site.url}');
          await page.click('#nowhere', { timeout: 200 });
        } finally {
          await browser.close();
          // A machine that stalls is to lose nothing.
          for (const from = Date.now(); Date.now() - from < 150; );
        }
      }
      main();
    `;
    const attempt = await shop.checks.run({ script });
    expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
    expect(attempt.errors[0]).toMatch(/page\.click: Timeout 200ms exceeded/);
    const kinds = attempt.artifacts?.map(({ kind }) => kind);
    expect(kinds).toEqual(['screenshot', 'trace']);
    const trace = attempt.artifacts?.find(({ kind }) => kind === 'trace');
    expect(Object.keys(unzipSync(await contentsOf(trace)))).toContain('trace.trace');
  });

  it('ends at once where it is cancelled', async () => {
    const cancel = new AbortController();
    const script = `await fetch('${shop.site.url}/begun'); await new Promise(() => {});`;
    const run = shop.checks.run({ script }, { stop: cancel });
    await shop.site.visited('/begun');
    cancel.abort();
    expect(await run).toMatchObject({ isCancelled: true, hasFailures: false, hasErrors: false });
    // Also before it has begun.
    await expect(shop.checks.run({ script }, { stop: cancel })).rejects.toThrow();
  });
});

describe('a file of Playwright Test', () => {
  it('passes by its tests, with the base URL of its group, and with its own options of Playwright', async () => {
    const script = `
      import { test, expect } from '@playwright/test';
      test('signs in', async ({ page }) => {
        await page.goto('/');
        expect([test.info().timeout, page.viewportSize()]).toEqual([45_000, { width: 400, height: 300 }]);
        const wait = await expect(page.locator('#nowhere')).toBeVisible().catch(String);
        expect(wait).toContain('70ms');
        await page.fill('input', 'Ada');
        await page.click('button');
        await expect(page.locator('h1')).toHaveText('Hello Ada');
      });
      test.skip('later', async () => {});
    `;
    const attempt = await shop.checks.run({
      script,
      baseUrl: shop.site.url,
      scriptPath: 'e2e/sign in [1].spec.ts',
      playwrightConfig: {
        ...{ timeout: 45_000, expect: { timeout: 70 } },
        use: { viewport: { width: 400, height: 300 } },
      },
    });
    expect(attempt).toMatchObject({ hasFailures: false, hasErrors: false, errors: [], artifacts: [] });
    const { kind, tests, console } = detailsOf(attempt);
    expect(kind).toBe('test');
    expect(tests.map(({ title, status }) => [title, status])).toEqual([
      ['signs in', 'passed'],
      ['later', 'skipped'],
    ]);
    expect(console).toContainEqual(expect.objectContaining({ from: 'page', text: 'page is ready' }));
  });

  it('fails by an expectation, goes on with the other tests, and keeps no secret in any form', async () => {
    const secret = 'p&ss <w"rd>/1';
    const script = `
      const { test, expect } = require('@playwright/test');
      test.describe('secrets', () => {
        test('leak', async ({ page }) => {
          const secret = process.env.SONDE_SECRET_WORD;
          console.log('Basic ' + Buffer.from('me:' + secret).toString('base64'));
          await page.goto('${shop.site.url}/echo?text=' + encodeURIComponent(secret));
          await expect(page.locator('p')).toHaveText('other', { timeout: 100 });
        });
        test('goes on', async ({ page }) => { await page.goto('${shop.site.url}/'); });
      });
    `;
    const environmentVariables = [{ key: 'SONDE_SECRET_WORD', value: secret }];
    const attempt = await shop.checks.run({ script, environmentVariables }, { secrets: [secret] });
    expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(attempt.errors[0]).toContain('secrets › leak: Error: expect(locator).toHaveText(expected) failed');
    const { tests, console } = detailsOf(attempt);
    expect(tests.map(({ status }) => status)).toEqual(['failed', 'passed']);
    expect(console.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Basic .*\*\*\*/), '***']),
    );
    expect(attempt.artifacts?.map(({ kind }) => kind).toSorted()).toEqual(['screenshot', 'trace']);
    const trace = attempt.artifacts?.find(({ kind }) => kind === 'trace');
    const files = unzipSync(await contentsOf(trace));
    const texts = [
      JSON.stringify(attempt.details),
      ...attempt.errors,
      ...Object.values(files).map((file) => strFromU8(file, true)),
    ];
    const forms = [
      secret,
      encodeURIComponent(secret),
      'p&amp;ss &lt;w',
      Buffer.from(secret).toString('base64'),
      'p&ss <w\\"rd>',
    ];
    for (const form of forms) for (const text of texts) expect(text).not.toContain(form);
    // What is not secret is there: it was looked for in the right place.
    expect(texts.join('\n')).toContain('/echo?text=***');
  });
});
