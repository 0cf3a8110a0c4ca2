/** Playwright suites on each engine, with packages to install, past their time, and with processes that they leave behind. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPids, readProcFile } from '../../../src/sandbox/cell/procfs.ts';
import { GOOD, openSuites, type Suites } from './support.ts';

const NPM_LOCK = JSON.stringify({
  ...{ name: 'p', version: '1.0.0', lockfileVersion: 3, requires: true },
  packages: {
    '': { name: 'p', version: '1.0.0', dependencies: { lib: 'file:lib' } },
    lib: { version: '1.0.0' },
    'node_modules/lib': { resolved: 'lib', link: true },
  },
});
const BUN_LOCK = JSON.stringify({
  lockfileVersion: 1,
  workspaces: { '': { name: 'p', dependencies: { lib: 'file:lib' } } },
  packages: { lib: ['lib@file:lib', {}] },
});

const TESTS = `node ${join(import.meta.dirname, '../../../node_modules/@playwright/test/cli.js')} test`;

/** The levels that this user can have. */
const LEVELS = process.getuid?.() === 0 ? (['process', 'uid'] as const) : (['process', 'namespace'] as const);

let suites: Suites;
beforeAll(async () => {
  suites = await openSuites('process', { HTTPS_PROXY: 'http://proxy.test:3128' });
});
afterAll(() => suites.close());

describe('a suite', () => {
  it('tells that its own global time-out has passed', async () => {
    const config = `export default { globalTimeout: 1500 };`;
    const slow = `import { test } from '@playwright/test'; test('slow', () => new Promise(() => {}));`;
    const result = await suites.run({ 'playwright.config.ts': config, 'a.spec.ts': slow });
    expect(result).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(result.errors.join('\n')).toContain('Timed out waiting 1.5s for the test suite to run');
  });

  it.each([
    ['npm', 'package-lock.json', NPM_LOCK],
    ['Bun', 'bun.lock', BUN_LOCK],
  ])('installs what it needs with %s, and only then sees how packages are reached', async (_, name, lock) => {
    const result = await suites.run({
      'package.json': '{"name":"p","version":"1.0.0","dependencies":{"lib":"file:lib"}}',
      'lib/package.json': '{"name":"lib","version":"1.0.0","main":"index.js"}',
      'lib/index.js': "module.exports = 'a word of lib';",
      [name]: lock,
      'a.spec.ts': `
import { test } from '@playwright/test';
test('uses it', () => { console.log(require('lib'), 'through', process.env.HTTPS_PROXY); });
`,
    });
    expect(result.errors).toEqual([]);
    expect(JSON.stringify(result.details.console)).toContain('a word of lib through undefined');
  });

  it('ends with its command, whatever that left behind to hold on to what it says', async () => {
    for (const left of ['sleep 54322 &', 'setsid sleep 54322 &']) {
      const result = await suites.run({ 'a.spec.ts': GOOD }, { testCommand: `${left} ${TESTS}` });
      expect({ left, ...result }).toMatchObject({ left, hasFailures: false, hasErrors: false, errors: [] });
      const lines = listPids().map(
        (pid) => readProcFile(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? '',
      );
      expect(lines.filter((line) => line.startsWith('sleep 54322'))).toEqual([]);
    }
  });
});

describe.each(LEVELS)('a suite in the level %s', (level) => {
  let there: Suites;
  beforeAll(async () => {
    there = await openSuites(level);
  });
  afterAll(() => there?.close());

  it.each([
    ['node', '22', 'v22.'],
    ['node', '24', 'v24.'],
    ['node', '26', 'v26.'],
    ['bun', '1.3', 'Bun 1.3.'],
  ] as const)('runs on %s %s', async (engine, engineVersion, words) => {
    const looking = `
import { test } from '@playwright/test';
test('engine', async ({ page }) => {
  await page.setContent('<p>here');
  console.log(typeof Bun === 'undefined' ? process.version : 'Bun ' + Bun.version);
});
`;
    const result = await there.run({ 'a.spec.ts': looking }, { engine, engineVersion });
    expect(result.errors).toEqual([]);
    expect(JSON.stringify(result.details.console)).toContain(words);
  });
});
