/** Pages that never yield, and browsers that do not close: the test's own error comes before the time-out of the run. */
import { expect, it } from 'vitest';
import { useShop } from './support.ts';

const shop = useShop();

const LOOP = '/loop';
/** Stops the browser that this process started: it does not even close. */
const STOP_BROWSER = `
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
    let stat = '';
    try { stat = readFileSync('/proc/' + pid + '/stat', 'utf8'); } catch {}
    if (stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid)) process.kill(-pid, 'SIGSTOP');
  }`;

it.each([
  ['a page that loops', ''],
  ['a browser that does not close', STOP_BROWSER],
])('a test fails by its own error with %s', async (_, more) => {
  const attempt = await shop.checks.run({
    script: `import { test, expect } from '@playwright/test';
      test.setTimeout(6000);
      test('shop', async ({ page }) => {
        await page.goto('${shop.site.url}${LOOP}');
        await page.waitForTimeout(500);
        ${more}
        await expect(page.locator('h1')).toHaveText('Open');
      });`,
  });
  expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(attempt.errors.join('\n')).toMatch(/Test timeout of 6000ms[\s\S]*toHaveText/);
});

it.each([
  ['a page that loops', ''],
  ['a browser that does not close', STOP_BROWSER],
])('a script fails by its own error with %s', async (_, more) => {
  const attempt = await shop.checks.run({
    script: `const { chromium } = require('playwright');
      const browser = await chromium.launch();
      try {
        const page = await browser.newPage();
        await page.goto('${shop.site.url}${LOOP}');
        await page.waitForTimeout(500);
        ${more}
        await page.click('h1', { timeout: 3000 });
      } finally {
        await browser.close();
      }`,
  });
  expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(attempt.errors[0]).toContain('page.click: Timeout 3000ms exceeded');
});
