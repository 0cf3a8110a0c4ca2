/** `sonde try` of checks with scripts: the built binary with a real browser, without a service. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFolder } from '../cli/manifest/files/project-files.ts';
import { bareEnv, sonde } from '../support/binary.ts';
import { chromiumPath } from '../support/chromium.ts';
import { answer, serveWith } from '../support/http.ts';

it('runs browser, multi-step and API checks with their scripts, and shows what a failed one left', async () => {
  const { url, requests } = await serveWith((_, response) =>
    answer(response, { headers: { 'content-type': 'text/html' }, body: '<h1>hello</h1>' }),
  );
  const cwd = await writeFolder({
    'monitoring/shop.yaml': `
variables: [SHOP_TOKEN, {key: TOKEN, value: "\${SHOP_TOKEN}", secret: true}]
snippets: [{name: log in, scriptFile: scripts/log-in.js}]
checks:
  - {name: Greeting, checkType: BROWSER, scriptFile: scripts/greeting.spec.ts}
  - {name: Steps, checkType: MULTI_STEP, scriptFile: scripts/steps.js}
  - {name: Cart, checkType: API, setupSnippet: log in, request: {url: "${url}/cart", method: GET}}
`,
    'monitoring/scripts/greeting.spec.ts': `
import { expect, test } from '@playwright/test';
import { greeting } from './greeting.ts';
test('greets', async ({ page }) => {
  console.log('the token is', process.env.TOKEN);
  await page.goto('${url}/');
  await expect(page.locator('h1')).toHaveText(greeting, { timeout: 100 });
});
`,
    'monitoring/scripts/greeting.ts': "export const greeting = 'good morning';\n",
    'monitoring/scripts/log-in.js': "request.headers['x-token'] = process.env.TOKEN;\n",
    'monitoring/scripts/steps.js': `const answer = await fetch('${url}/steps');\nif (!answer.ok) throw new Error('closed');\n`,
  });
  const env = bareEnv(cwd, { SHOP_TOKEN: 'open-sesame-1234', SONDE_BROWSER: await chromiumPath() });
  const { code, stdout, stderr } = await sonde(['try', 'monitoring', '--no-retries', '--artifacts', 'out'], {
    env,
    cwd,
  });
  expect(
    stdout
      .split('\n')
      .map((row) => row.split('\t').slice(0, 3).join(' '))
      .sort(),
  ).toEqual([...['', 'FAILED Greeting local', 'PASSED Cart local', 'PASSED Steps local']]);
  expect(code).toBe(1);
  expect(requests.find((request) => request.url === '/cart')?.headers['x-token']).toBe('open-sesame-1234');
  expect(stderr).toContain('Expected: "good morning"');
  expect(stderr).toContain('the token is ***');
  expect(stderr).toContain('out/Greeting-1-trace.zip');
  expect(stderr + stdout).not.toContain('open-sesame');
  expect(await readdir(join(cwd, 'out'))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Greeting-1-.*\.png$/), 'Greeting-1-trace.zip']),
  );
});
