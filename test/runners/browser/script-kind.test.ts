/** Which scripts Playwright Test runs, and which run as plain scripts. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locatePlaywright } from '../../../src/runners/browser/child/locate-playwright.ts';
import { decideKind } from '../../../src/runners/browser/child/script-kind.ts';

const require = createRequire(import.meta.url);
const runtime = locatePlaywright(dirname(require.resolve('@playwright/test/package.json')));
const kindOf = (script: string, files: Readonly<Record<string, string>> = {}, entry = 'a/check.spec.ts') =>
  decideKind(
    {
      entry,
      files: [
        { path: entry, content: script },
        ...Object.entries(files).map(([path, content]) => ({ path, content })),
      ],
    },
    runtime,
  );

const FIXTURES = `import { test as base } from '@playwright/test'; export const authTest = base.extend({});`;

describe('Playwright Test runs a script', () => {
  it.each([
    [`import { test, expect } from '@playwright/test';\ntest('a', async () => {});`],
    [`const { test } = require("@playwright/test"); test.describe('a', () => {})`],
    [`import { test as setup } from '@playwright/test'; setup('a', () => {});`],
    [`import { test } from "playwright/test"; // why\ntest('a', () => page.route('**/*.png', () => {}));`],
    [`import * as pw from '@playwright/test'; pw.test('a', () => {});`],
    [`import pw = require('@playwright/test'); pw.test('a', () => {});`],
    [`const pw = require('@playwright/test'); pw['test']('a', () => {});`],
    [`const pw = require('@playwright/test'); const { test: it } = pw; it('a', () => {});`],
    [`import it from '@playwright/test'; it('a', () => {});`],
    [`const { test } = await import('@playwright/test'); test('a', () => {});`],
    [`const { ...all } = require('@playwright/test'); all.test('a', () => {});`],
    [`import { test, expect } from '@playwright/test';\n// test('a', () => {});`],
    [`import * as pw from '@playwright/test';\n// pw.test('a', () => {});`],
    [`import { expect } from '@playwright/test';\n// test('a', () => { expect(1).toBe(2); });`],
    [`import { test } from '@playwright/test'; test('a', () => { const x = ; });`],
  ])('%s', (script) => expect(kindOf(script)).toBe('test'));

  it.each([
    [`import { authTest } from './fixtures';`, { 'a/fixtures.ts': FIXTURES }],
    [`import { authTest } from '../lib/fixtures.js';`, { 'lib/fixtures.ts': FIXTURES }],
    [`require('./lib')`, { 'a/lib/index.js': `module.exports = require('@playwright/test');` }],
    [`import './one';`, { 'a/one.ts': `export * from './two';`, 'a/two.ts': FIXTURES }],
    [`export { test } from './pw';`, { 'a/pw.ts': `export { test } from '@playwright/test';` }],
    [`import { authTest } from '@lib/fixtures';`, { 'tsconfig.json': '{}', 'lib/fixtures.ts': FIXTURES }],
  ])('that imports a file: %s', (script, files) => expect(kindOf(script, files)).toBe('test'));
});

describe('a script is plain', () => {
  it.each([
    [`const { chromium } = require('playwright'); await chromium.launch();`],
    [
      `import { chromium, expect } from '@playwright/test'; const b = await chromium.launch(); expect(b).toBeTruthy();`,
    ],
    [`const { expect } = require('@playwright/test'); expect(1).toBe(1);`],
    [`const pw = require('@playwright/test'); await pw.chromium.launch();`],
    [`import * as pw from '@playwright/test'; const { chromium } = pw; await chromium.launch();`],
    [`import type { test } from '@playwright/test'; import { type Page } from '@playwright/test';`],
    [`// import { test } from '@playwright/test'\nconst isGood = /x/.test('x'); isGood.test(1);`],
    [`const text = "import { test } from '@playwright/test'; test('a', () => {})"; console.log(text);`],
    [`const test = (name, run) => run(); test('mine', () => {});`],
    [`#!/usr/bin/env node\nconst { request } = require('playwright/test'); await request.newContext();`],
  ])('%s', (script) => expect(kindOf(script)).toBe('script'));

  it('if it does not import the file that declares tests', () => {
    expect(
      kindOf(`import { url } from './urls'; fetch(url);`, { 'a/urls.ts': '', 'a/fixtures.ts': FIXTURES }),
    ).toBe('script');
  });

  it('if its files import one another in a circle', () => {
    const files = { 'a/one.ts': `import './two';`, 'a/two.ts': `import './one'; // playwright/test` };
    expect(kindOf(`import './one';`, files)).toBe('script');
  });
});
