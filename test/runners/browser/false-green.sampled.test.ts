/** A script that looks at nothing, or fails where nobody waits, never passes; one that leaves things open still ends. */
import { expect, it } from 'vitest';
import { sampleOf } from '../../support/sampled.ts';
import { useShop } from './support.ts';

const shop = useShop();

const BAD =
  "async function main() { await new Promise((go) => setTimeout(go, 20)); throw new Error('seen'); }";
const TEST = "import { test } from '@playwright/test';";
const FAILING: Readonly<Record<string, readonly [script: string, error: string]>> = {
  'begins itself where it is the program, also by its name': [
    `${BAD} if (require.main === module && process.argv[1] === __filename) main();`,
    'seen',
  ],
  'leaves work to another thread': [
    "require('crypto').pbkdf2('a', 'b', 6e5, 64, 'sha512', () => { throw new Error('seen'); });",
    'seen',
  ],
  'leaves work to another thread, and the browser open': [
    "const page = await (await require('playwright').chromium.launch()).newPage(); await page.goto('SITE/'); require('zlib').gzip(Buffer.alloc(3e7, 'ab'), () => { throw new Error('seen'); });",
    'seen',
  ],
  'has a worker that goes on': [
    "new (require('worker_threads').Worker)('setTimeout(() => { throw new Error(`seen`); }, 300)', { eval: true });",
    'seen',
  ],
  'waits for an answer over a pipe': [
    "const net = require('net'); const path = process.env.HOME + '/s'; net.createServer((socket) => setTimeout(() => socket.end('x'), 80)).listen(path, function () { this.unref(); net.connect(path).on('data', () => { throw new Error('seen'); }); });",
    'seen',
  ],
  'leaves a server open, and work to another thread': [
    "require('http').createServer().listen(0); require('crypto').pbkdf2('a', 'b', 6e5, 64, 'sha512', () => { throw new Error('seen'); });",
    'seen',
  ],
  'leaves a server open, and waits for an answer': [
    "require('http').createServer().listen(0, () => fetch('SITE/').then(() => { throw new Error('seen'); }));",
    'seen',
  ],
  'waits for an answer of its own server, to which its browser stays connected': [
    "const server = require('http').createServer((_, answer) => setTimeout(() => answer.end('x'), 80)); await new Promise((go) => server.listen(0, '127.0.0.1', go)); const at = 'http://127.0.0.1:' + server.address().port; await (await (await require('playwright').chromium.launch()).newPage()).goto(at); require('http').get(at, () => { throw new Error('seen'); });",
    'seen',
  ],
  'begins something at its end': [
    "process.once('beforeExit', () => setTimeout(() => { throw new Error('seen'); }, 50));",
    'seen',
  ],
  'begins something at its end, and at the end of that': [
    "let calls = 0; process.on('beforeExit', () => { calls += 1; if (calls === 1) fetch('SITE/'); else throw new Error('seen ' + calls); });",
    'seen 2',
  ],
  'begins within another function, which calls back for each': [
    `${BAD} function start() { [1].forEach(async () => { await main(); }); } start();`,
    'seen',
  ],
  'is turned into a boolean': [`${BAD} !main();`, 'seen'],
  'waits for a timer': ["setTimeout(() => { throw new Error('seen'); }, 50);", 'seen'],
  'waits for an answer': ["require('http').get('SITE/', () => process.exit(4));", 'exit code 4'],
  'waits for a browser': [
    "if (1) require('playwright').chromium.launch().then(async (browser) => { await (await browser.newPage()).click('#no', { timeout: 50 }); });",
    'page.click: Timeout 50ms',
  ],
  'waits for a process': [
    "require('child_process').exec('sleep 0.5; exit 3', (error) => { if (error) throw error; });",
    'Command failed: sleep 0.5; exit 3',
  ],
  'waits for what a process says': [
    "require('child_process').spawn('sh', ['-c', '(sleep 0.5; echo late) &']).stdout.on('data', () => process.exit(7));",
    'exit code 7',
  ],
  'writes into the channel of its process': [
    "require('fs').writeSync(3, 'garbage\\n'); await new Promise((go) => setTimeout(go, 500));",
    'the script disturbed its runner',
  ],
  'says so as it leaves': ["process.on('exit', () => { process.exitCode = 5; });", 'exit code 5'],
  'says so as it is sent away': [
    "process.on('exit', () => { process.exitCode = 6; }); process.exit();",
    'exit code 6',
  ],
  'leaves with an error, and again without one': [
    'try { process.exit(1); } catch { process.exit(0); }',
    'exit code 1',
  ],
  'keeps what it began, and nobody hears its failure': [`${BAD} const begun = main();`, 'seen'],
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
  'fails once its tests and its browser are through': [
    `${TEST} const it = test.extend({ last: [async ({}, use) => { await use(); throw new Error('seen'); }, { scope: 'worker', auto: true }] });
    it('a', async ({ page }) => { await page.goto('SITE/'); });`,
    'seen',
  ],
  'fails in the browser once its tests are through': [
    `${TEST} const it = test.extend({ last: [async ({ browser }, use) => { await use(); await (await browser.newPage()).click('#no', { timeout: 50 }); }, { scope: 'worker', auto: true }] });
    it('a', async ({ page }) => { await page.goto('SITE/'); });`,
    'page.click: Timeout 50ms',
  ],
  'leaves a call to its browser open once its tests are through': [
    `${TEST} test('a', async ({ browser }) => { const page = await browser.newPage(); await page.goto('SITE/'); void page.waitForSelector('#no'); });`,
    '^Error: page.waitForSelector: Test ended',
  ],
  'goes on when its browser is gone': [
    `${TEST} test('a', async ({ browser }) => { const page = await browser.newPage(); await page.goto('SITE/');
      void (async () => { await page.waitForSelector('#no').catch(() => {}); await new Promise((go) => setImmediate(go)); throw new Error('seen'); })(); });`,
    '^Error: seen',
  ],
  // As in Playwright, what goes on is heard until the browser is closed: longer than that is nothing that a test can rely on.
  'fails a moment after its last test': [
    `${TEST} const it = test.extend({ last: [async ({ browser }, use) => { await use(); setTimeout(() => { throw new Error('seen'); }, 0); }, { scope: 'worker', auto: true }] });
    it('a', async ({ page }) => { await page.goto('SITE/'); });`,
    '^Error: seen',
  ],
  'does not wait for what it cleans up': [
    `${TEST} const it = test.extend({ last: [async ({ browser }, use) => { await use(); void fetch('SITE/').then((answer) => { throw new Error('not cleaned up: ' + answer.status); }); }, { scope: 'worker', auto: true }] });
    it('a', async ({ page }) => { await page.goto('SITE/'); });`,
    '^Error: not cleaned up',
  ],
  'does not wait for a context to be closed, and fails once it is': [
    `${TEST} let c; test.beforeAll(async ({ browser }) => { c = await browser.newContext(); await (await c.newPage()).goto('SITE/'); });
    test('a', async () => { void c.close().then(() => { throw new Error('seen'); }); });`,
    // The context's end, the test's or the browser's comes first: each is an error.
    '^Error: ',
  ],
  'reads files once its browser is gone': [
    `${TEST} test('a', async ({ browser }) => { const page = await browser.newPage(); await page.goto('SITE/');
      void (async () => { await page.waitForSelector('#no').catch(() => {}); for (const _ of [1, 2, 3]) await require('fs').promises.readFile(__filename); throw new Error('seen'); })(); });`,
    '^Error: seen',
  ],
  'does something at the end of its browser': [
    `${TEST} test('a', async ({ browser, page }) => { await page.goto('SITE/'); browser.on('disconnected', () => setTimeout(() => { throw new Error('seen'); }, 1)); });`,
    '^Error: seen',
  ],
  'leaves tests out': [`${TEST} test.only('a', () => {}); test('b', () => {});`, "test.only|'\\.only'"],
};

it('fails where a script', async () => {
  const runs = sampleOf(Object.entries(FAILING), 3).map(async ([name, [script, error]]) => {
    const { hasFailures, hasErrors, errors } = await shop.checks.run({
      script: script.replaceAll('SITE', shop.site.url),
    });
    expect({ name, hasFailures, hasErrors }).toEqual({ name, hasFailures: true, hasErrors: false });
    // A browser that was closed meanwhile may say so first.
    expect(errors.join('\n'), name).toMatch(new RegExp(error, 'm'));
  });
  await Promise.all(runs);
});

const GOTO = "const page = await (await require('playwright').chromium.launch()).newPage(); await page.goto";
const PASSING: Readonly<Record<string, string>> = {
  'leaves a browser open': `Error.stackTraceLimit = 0; ${GOTO}('SITE/'); page.on('response', async (response) => { await response.text(); });`,
  'leaves a server open': `const server = require('http').createServer((_, answer) => answer.end('x'));
    await new Promise((go) => server.listen(0, '127.0.0.1', go)); ${GOTO}('http://127.0.0.1:' + server.address().port);`,
  'leaves a server open that nobody calls': `const net = require('net'); net.createServer().listen(0); net.createServer().listen(process.env.HOME + '/s');`,
  'leaves open what it opens late': `require('crypto').pbkdf2('a', 'b', 6e5, 64, 'sha512', async () => { require('http').createServer().listen(0); await require('playwright').chromium.launch({ args: ['--mute-audio'] }); });`,
  'listens to its end': "process.on('beforeExit', () => console.log('the end')); setTimeout(() => {}, 20);",
  'leaves where what it catches leaves too':
    '(async () => { await null; process.exit(0); })().catch(() => process.exit(1));',
  'leaves within what catches, and throws': "try { process.exit(0); } catch { throw new Error('why'); }",
  'keeps a promise, and hears its failure': `${BAD} const begun = main(); let p; p = main(); try { await begun; } catch {} await Promise.allSettled([p]);`,
  'leaves an answer unread': "await fetch('SITE/');",
  'speaks to a parent that others have':
    "process.send?.(null); process.send?.('ready'); process.disconnect?.();",
  'uses the browser once its tests are through, and after it what that wrote': `${TEST} const { readFileSync } = require('fs');
    const it = test.extend({
      har: [async ({}, use) => { await use('a.har'); if (!JSON.parse(readFileSync('a.har', 'utf8')).log.entries[0]) throw new Error('empty'); }, { scope: 'worker', auto: true }],
      last: [async ({ browser, har }, use) => { await use(); const own = await browser.newContext({ recordHar: { path: har } }); await (await own.newPage()).goto('SITE/'); await own.close(); }, { scope: 'worker', auto: true }],
    });
    it('a', async ({ page }) => { await page.goto('SITE/'); });`,
  'closes the browser of its tests': `${TEST} test('a', async ({ browser }) => { await browser.close(); if (browser.isConnected()) throw new Error('there'); });`,
  'leaves a context whose recording cannot be written': `${TEST} test.beforeAll(async ({ browser }) => { await (await (await browser.newContext({ recordHar: { path: '/proc/nope/a.har' } })).newPage()).goto('SITE/'); }); test('a', () => {});`,
  'stops the clock': 'globalThis.setTimeout = globalThis.setImmediate = () => 0;',
};

it('passes where a script', async () => {
  const runs = sampleOf(Object.entries(PASSING), 1).map(async ([name, script]) => {
    const { hasFailures, errors } = await shop.checks.run({
      script: script.replaceAll('SITE', shop.site.url),
    });
    expect({ name, hasFailures, errors }).toEqual({ name, hasFailures: false, errors: [] });
  });
  await Promise.all(runs);
});

const UNUSABLE: Readonly<Record<string, readonly [script: string, error: string]>> = {
  'cannot be read': ['const x = ;', 'SyntaxError'],
  'names what is not there': ['nothing.of.that.name();', 'ReferenceError'],
  'needs what is not there': ["require('./nowhere');", 'Cannot find module'],
  'is a file of tests that cannot be read': [`${TEST} test('a', () => { const x = ; });`, 'SyntaxError'],
  'has no test': [`${TEST} test.describe('a', () => {});`, 'No tests found'],
  'skips all its tests': [`${TEST} test.skip('a', () => {});`, 'no test ran'],
  'has all tests in comments': [`${TEST} // test('a', () => {});\n console.log('on');`, 'No tests found'],
  'declares a test for each of no pages': [
    `${TEST} for (const page of []) test(page, () => {});`,
    'No tests found',
  ],
  'has everything in a comment': [
    "const { chromium } = require('playwright');\n/* await chromium.launch(); */",
    'does nothing',
  ],
  'only declares': [
    "import { request } from 'playwright'; const url = '/'; async function main() {}",
    'does nothing',
  ],
};

it('takes an answer that is no JSON for the failure of who answered', async () => {
  const script = "JSON.parse('<!DOCTYPE html>');";
  const [failed, expected] = await Promise.all([
    shop.checks.run({ script }),
    shop.checks.run({ script, shouldFail: true }),
  ]);
  expect(failed).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(expected).toMatchObject({ hasFailures: false, errors: [] });
});

it('fails where a script should fail and looked at nothing, as it', async () => {
  const runs = sampleOf(Object.entries(UNUSABLE), 1).map(async ([name, [script, error]]) => {
    const { hasFailures, hasErrors, errors } = await shop.checks.run({ script, shouldFail: true });
    expect({ name, hasFailures, hasErrors }).toEqual({ name, hasFailures: true, hasErrors: false });
    expect(errors[0], name).toMatch(new RegExp(error));
  });
  await Promise.all(runs);
});
