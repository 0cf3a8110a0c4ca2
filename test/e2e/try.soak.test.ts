/** `sonde try` of a Playwright suite and of an agentic check: the built binary, a real browser and a scripted model. */
import { expect, it, onTestFinished } from 'vitest';
import { writeFolder } from '../cli/manifest/files/project-files.ts';
import { bareEnv, sonde } from '../support/binary.ts';
import { chromiumPath } from '../support/chromium.ts';
import { answer, serveWith } from '../support/http.ts';
import { assert, finish, open, openModel, read } from '../support/model.ts';

it('runs a suite with the variables of its check, and an agentic check with the configured model', async () => {
  const { url } = await serveWith((_, response) =>
    answer(response, { headers: { 'content-type': 'text/html' }, body: '<h1>hello</h1>' }),
  );
  const model = await openModel([open(`${url}/`)], [read], [assert('The page says hello')], [finish('pass')]);
  onTestFinished(model.close);
  const cwd = await writeFolder({
    'monitoring/checks.yaml': `
checks:
  - name: Shop
    checkType: PLAYWRIGHT
    suite: ./e2e
    environmentVariables: [{key: DOOR, value: open}]
  - {name: Greeting, checkType: AGENTIC, prompt: "Open ${url}/ and read the greeting"}
`,
    'monitoring/e2e/playwright.config.ts':
      "import { defineConfig } from '@playwright/test';\nexport default defineConfig({ testDir: 'tests' });\n",
    'monitoring/e2e/tests/shop.spec.ts': `
import { expect, test } from '@playwright/test';
test('greets', async ({ page }) => {
  await page.goto('${url}/');
  await expect(page.locator('h1')).toHaveText('hello');
});
test('is closed', () => expect(process.env.DOOR).toBe('closed'));
`,
  });
  const env = bareEnv(cwd, {
    SONDE_BROWSER: await chromiumPath(),
    SONDE_MODEL_URL: model.url,
    SONDE_MODEL: 'scripted',
  });
  const { code, stdout, stderr } = await sonde(['try', 'monitoring', '--json'], { env, cwd });
  expect(stderr).not.toContain('Warning');
  expect(code).toBe(1);
  const [suite, agentic] = JSON.parse(stdout);
  expect(suite).toMatchObject({ name: 'Shop', status: 'FAILED' });
  expect(suite.results[0].playwrightCheckResult.counts).toMatchObject({ failed: 1, passed: 1 });
  expect(agentic).toMatchObject({ name: 'Greeting', status: 'PASSED', results: [{ errors: [] }] });
});
