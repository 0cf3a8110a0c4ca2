/** Playwright suites in a real Chromium: what passes, what fails, and what is no word of the target. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../../support/sampled.ts';
import { BAD, GOOD, openSuites, type Suites } from './support.ts';

const CONFIG = `
import { defineConfig, devices } from '@playwright/test';
export default defineConfig({
  testDir: 'tests',
  projects: [
    { name: 'wide', use: { ...devices['Desktop Chrome'], channel: 'chrome' } },
    { name: 'narrow', use: { ...devices['Pixel 5'] } },
  ],
});
`;

let suites: Suites;
beforeAll(async () => {
  suites = await openSuites('process', { HTTPS_PROXY: 'http://proxy.test:3128' });
});
afterAll(() => suites.close());

describe('a suite', () => {
  it('runs with its own configuration, in the browser of this machine', async () => {
    const result = await suites.run({ 'playwright.config.ts': CONFIG, 'tests/shop.spec.ts': GOOD });
    expect(result.errors).toEqual([]);
    expect(result).toMatchObject({ hasFailures: false, hasErrors: false });
    expect(result.details).toMatchObject({
      counts: { passed: 2, failed: 0, flaky: 0, skipped: 0 },
      engine: `node-${process.versions.node}`,
      browser: expect.stringMatching(/^Chromium \d+\.\d+/),
      tests: [
        { title: '[wide] › shop.spec.ts › the shop › is open @smoke', status: 'passed' },
        { title: '[narrow] › shop.spec.ts › the shop › is open @smoke', status: 'passed' },
      ],
    });
  });

  it('fails where a test does, and keeps a picture of it', async () => {
    const config = CONFIG.replace(
      "testDir: 'tests',",
      "testDir: 'tests', use: { screenshot: 'only-on-failure' },",
    );
    const files = { 'playwright.config.ts': config, 'tests/a.spec.ts': GOOD, 'tests/b.spec.ts': BAD };
    const result = await suites.run(files, { pwProjects: ['narrow'] });
    expect(result).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(result.details).toMatchObject({ counts: { passed: 1, failed: 1 } });
    expect(result.errors[0]).toMatch(/is closed: .*toHaveText/s);
    expect(result.artifacts?.map(({ kind }) => kind)).toContain('screenshot');
  });

  it('passes with a test that passed only when Playwright repeated it, and calls it flaky', async () => {
    const test = `import { test, expect } from '@playwright/test';
      test('opens late', ({}, { retry }) => expect(retry).toBe(1));`;
    const config = "module.exports = { retries: 1, testDir: 'tests' };";
    const result = await suites.run({ 'playwright.config.js': config, 'tests/late.spec.ts': test });
    expect(result).toMatchObject({ hasFailures: false, hasErrors: false });
    expect(result.details).toMatchObject({
      counts: { passed: 0, failed: 0, flaky: 1, skipped: 0 },
      tests: [{ title: 'late.spec.ts › opens late', status: 'passed', isFlaky: true }],
    });
  });

  const empty: readonly (readonly [where: string, files: Readonly<Record<string, string>>, words: RegExp])[] =
    [
      ['no test is there', { 'readme.md': '' }, /no test ran|No tests found/],
      [
        'all tests are skipped',
        { 'a.spec.ts': "import { test } from '@playwright/test'; test.skip('later', () => {});" },
        /no test ran/,
      ],
      ['a file cannot be read', { 'a.spec.ts': `${GOOD} }{`, 'b.spec.ts': GOOD }, /SyntaxError/],
    ];
  it.each(sampleOf(empty, 1))('never passes where %s', async (_, files, words) => {
    const result = await suites.run(files);
    expect(result.hasFailures).toBe(true);
    expect(result.errors.join('\n')).toMatch(words);
  });

  it('reaches packages through the proxies of this machine, and blames nobody where they cannot be had', async () => {
    const installCommand = 'echo through $HTTPS_PROXY; exit 3';
    const result = await suites.run({ 'a.spec.ts': GOOD }, { installCommand });
    expect(result).toMatchObject({ hasErrors: true, hasFailures: false });
    expect(result.errors[0]).toBe(
      'the dependencies could not be installed (echo through $HTTPS_PROXY; exit 3): through http://proxy.test:3128',
    );
  });

  it('says which engines there are where it asks for another', async () => {
    const result = await suites.run({ 'a.spec.ts': GOOD }, { engine: 'node', engineVersion: '18' });
    expect(result).toMatchObject({ hasErrors: true, hasFailures: false });
    expect(result.errors[0]).toBe(
      'the engine node 18 is not available (available: node-22, node-24, node-26, bun-1.3)',
    );
  });
});
