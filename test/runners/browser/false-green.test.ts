/** A script that looks at nothing, or fails where nobody waits, never passes; one that leaves things open still ends. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { openRunner, openSite, type Site, type TestRunner } from './support.ts';

let site: Site;
let checks: TestRunner;
beforeEach(needs('chromium'));
beforeAll(async () => {
  site = await openSite();
  checks = await openRunner();
});
afterAll(async () => {
  await checks.close();
  await site.close();
});

const BAD =
  "async function main() { await new Promise((go) => setTimeout(go, 20)); throw new Error('seen'); }";
const TEST = "import { test } from '@playwright/test';";
const FAILING: Readonly<Record<string, readonly [script: string, error: string]>> = {
  'begins itself where it is the program': [`${BAD} if (require.main === module) main();`, 'seen'],
  'begins itself by its name': [`${BAD} if (process.argv[1] === __filename) main();`, 'seen'],
  'begins within another function': [`${BAD} function start() { main(); } start();`, 'seen'],
  'calls back for each': [`${BAD} [1].forEach(async () => { await main(); });`, 'seen'],
  'is turned into a boolean': [`${BAD} !main();`, 'seen'],
  'waits for a timer': ["setTimeout(() => { throw new Error('seen'); }, 50);", 'seen'],
  'waits for an answer': ["require('http').get('SITE/', () => process.exit(4));", 'exit code 4'],
  'waits for a browser': [
    "if (1) require('playwright').chromium.launch().then(async (browser) => { await (await browser.newPage()).click('#no', { timeout: 50 }); });",
    'page.click: Timeout 50ms',
  ],
  'says so as it leaves': ["process.on('exit', () => { process.exitCode = 5; });", 'exit code 5'],
  'says so as it is sent away': [
    "process.on('exit', () => { process.exitCode = 6; }); process.exit();",
    'exit code 6',
  ],
  'rejects with nothing': [
    'setTimeout(() => Promise.reject(), 5); await new Promise((go) => setTimeout(go, 30));',
    'threw undefined',
  ],
  'skips all its tests': [
    `${TEST} test.skip('a', () => {}); test.fixme('b', () => {}); test('c', () => { test.skip(true, 'why'); });`,
    'no test ran',
  ],
  'ends its process as it is read': [`${TEST} test('a', () => {}); process.exit();`, 'exit code 0'],
  'fails beside its tests as it is read': [
    `${TEST} test('a', () => new Promise(() => {})); Promise.reject(new Error('seen'));`,
    'seen',
  ],
  'leaves tests out': [`${TEST} test.only('a', () => {}); test('b', () => {});`, "test.only|'\\.only'"],
};

it('fails where a script', async () => {
  const runs = Object.entries(FAILING).map(async ([name, [script, error]]) => {
    const { hasFailures, hasErrors, errors } = await checks.run({
      script: script.replace('SITE', site.url),
    });
    expect({ name, hasFailures, hasErrors }).toEqual({ name, hasFailures: true, hasErrors: false });
    expect(errors[0], name).toMatch(new RegExp(error));
  });
  await Promise.all(runs);
}, 120_000);

const GOTO = "const page = await (await require('playwright').chromium.launch()).newPage(); await page.goto";
const PASSING: Readonly<Record<string, string>> = {
  'leaves a browser open': `${GOTO}('SITE/'); page.on('response', async (response) => { await response.text(); });`,
  'leaves a server open': `const server = require('http').createServer((_, answer) => answer.end('x'));
    await new Promise((go) => server.listen(0, '127.0.0.1', go)); ${GOTO}('http://127.0.0.1:' + server.address().port);`,
  'leaves an answer unread': "await fetch('SITE/');",
};

it('passes where a script', async () => {
  const runs = Object.entries(PASSING).map(async ([name, script]) => {
    const { hasFailures, errors } = await checks.run({ script: script.replace('SITE', site.url) });
    expect({ name, hasFailures, errors }).toEqual({ name, hasFailures: false, errors: [] });
  });
  await Promise.all(runs);
}, 60_000);

const UNUSABLE: Readonly<Record<string, readonly [script: string, error: string]>> = {
  'cannot be read': ['const x = ;', 'SyntaxError'],
  'names what is not there': ['nothing.of.that.name();', 'ReferenceError'],
  'needs what is not there': ["require('./nowhere');", 'Cannot find module'],
  'is a file of tests that cannot be read': [`${TEST} test('a', () => { const x = ; });`, 'SyntaxError'],
  'has no test': [`${TEST} test.describe('a', () => {});`, 'No tests found'],
  'skips all its tests': [`${TEST} test.skip('a', () => {});`, 'no test ran'],
};

it('fails where a script should fail and looked at nothing, as it', async () => {
  const runs = Object.entries(UNUSABLE).map(async ([name, [script, error]]) => {
    const { hasFailures, hasErrors, errors } = await checks.run({ script, shouldFail: true });
    expect({ name, hasFailures, hasErrors }).toEqual({ name, hasFailures: true, hasErrors: false });
    expect(errors[0], name).toMatch(new RegExp(error));
  });
  await Promise.all(runs);
});
