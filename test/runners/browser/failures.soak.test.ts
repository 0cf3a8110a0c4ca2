/** How browser checks fail: by exit codes, errors that nobody catches, their time, and files without a test. */
import { expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { useShop } from './support.ts';

const shop = useShop();

it('a plain script fails by the exit code it sets, and by an error that nobody catches', async () => {
  const exits = await shop.checks.run({
    script: 'setTimeout(() => process.exit(3), 10); await new Promise(() => {});',
  });
  expect(exits).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(exits.errors[0]).toContain('exit code 3');
  const stray = await shop.checks.run({
    script:
      'setTimeout(() => { throw new Error("stray"); }, 5); await new Promise((go) => setTimeout(go, 500));',
  });
  expect(stray).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(stray.errors[0]).toContain('stray');
});

it('a plain script fails at its time, whether it waits or never lets go', async () => {
  const waits = await shop.checks.run(
    {
      script: `
      const { chromium } = require('playwright');
      const page = await (await chromium.launch()).newPage();
      page.on('dialog', () => {});
      await page.goto('${shop.site.url}/');
      await page.evaluate(() => alert('nobody answers'));`,
    },
    { timeoutMs: 3000 },
  );
  expect(waits).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: false });
  // On a slow machine the runner may give up before its program reports that.
  expect(waits.errors[0]).toMatch(/^the script did not end within 2\.25 s(?:, and could not be stopped)?$/);
  const spins = await shop.checks.run({ script: 'for (;;);' }, { timeoutMs: 1600 });
  expect(spins).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(spins.errors[0]).toMatch(/^the script did not end within 1\.2 s/);
});

it('a file of Playwright Test fails where it holds no test, and where it does not compile', async () => {
  const empty = await shop.checks.run({
    script: `import { test } from '@playwright/test'; if (false) test('x', () => {});`,
  });
  expect(empty).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(empty.errors[0]).toMatch(/No tests found/);
  const broken = await shop.checks.run({
    script: `import { test } from '@playwright/test'; test('x', () => { ;`,
  });
  expect(broken.errors[0]).toMatch(/SyntaxError/);
  expect(broken).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(broken.errors[0]).toMatch(/SyntaxError/);
});

it('a plain script fails as a network error where nothing listens', async () => {
  const script = `
    const { chromium } = require('playwright');
    const page = await (await chromium.launch()).newPage();
    await page.goto('http://127.0.0.1:${await freePort()}/');
  `;
  const attempt = await shop.checks.run({ script });
  expect(attempt).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
  expect(attempt.errors[0]).toContain('net::ERR_');
});
