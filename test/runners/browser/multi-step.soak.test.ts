/** Multi-step checks as plain scripts, without a browser, and with errors that are cut. */
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentsOf } from '../../support/left-files.ts';
import { echo } from './older-runtime.ts';
import { detailsOf, openRunner, type TestRunner } from './support.ts';

let bare: TestRunner;
beforeAll(async () => {
  bare = await openRunner({ isBare: true });
});
afterAll(() => bare.close());

it('shows no part of a secret either, where a message is cut', async () => {
  const secret = `s3cr-${'y'.repeat(90)}`;
  const attempt = await bare.run(
    {
      script: "throw new Error('-'.repeat(7940) + process.env.SONDE_SECRET_PW);",
      environmentVariables: [{ key: 'SONDE_SECRET_PW', value: secret }],
    },
    { secrets: [secret] },
  );
  expect(attempt.errors[0]).toContain('-***');
  expect(JSON.stringify({ ...attempt, artifacts: [] })).not.toContain('s3cr-');
});

it('runs a plain script too, and tells who asks for a browser that there is none, whatever it expects', async () => {
  const { url } = await echo();
  const plain = await bare.run({
    script: `const { request } = require('playwright');
const context = await request.newContext({ baseURL: '${url}' });
const answered = await context.get('/missing');
if (answered.status() !== 404) throw new Error('was ' + answered.status());
console.log('was missing');
throw new Error('seen enough');`,
  });
  expect(plain.errors[0]).toMatch(/^Error: seen enough/);
  const [trace] = plain.artifacts ?? [];
  expect(trace?.kind).toBe('trace');
  const files = Object.values(unzipSync(await contentsOf(trace)));
  expect(files.map((file) => Buffer.from(file).toString()).join('')).toContain(`${url}/missing`);
  expect(detailsOf(plain).console).toMatchObject([{ from: 'script', text: 'was missing' }]);
  const page = await bare.run({
    script: `import { test } from '@playwright/test'; test('page', async ({ page }) => { await page.goto('${url}'); });`,
    shouldFail: true,
  });
  expect(page).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(page.errors[0]).toMatch(/^this script has no browser: multi-step checks only send requests/);
});
