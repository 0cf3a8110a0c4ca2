/** `import()` and `import.meta` in plain scripts, whatever the ending of the file. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRunner, type TestRunner } from './support.ts';

let checks: TestRunner;
beforeAll(async () => {
  checks = await openRunner({ isBare: true });
});
afterAll(() => checks.close());

const SCRIPT = `
const { existsSync } = await import('node:fs');
const { basename } = await import('path');
const { request, default: playwright } = await import('playwright');
const [typed, plain, module, data] = await Promise.all([
  import('./lib/typed'), import('./lib/plain.cjs'), import('./lib/module.mjs'), import('./lib/data.json'),
]);
const has = {
  builtin: existsSync(import.meta.filename) && basename(import.meta.url),
  package: playwright.request === request,
  typed: typed.default + typed.name, plain: plain.default.name + plain.name, module: module.default + module.name, data: data.default.name,
  resolved: basename(import.meta.resolve('./lib/typed.ts')) + import.meta.resolve('fs'),
  folder: import.meta.dirname === __dirname,
};
console.log(JSON.stringify(has));
import('./lib/late.cjs');
`;
const FILES = {
  'lib/typed.ts': `export const name: string = 'b'; export default 'a';`,
  'lib/plain.cjs': `module.exports = { name: 'c' };`,
  'lib/module.mjs': `export const name = 'e'; export default 'd' + typeof import.meta.url;`,
  'lib/data.json': `{ "name": "f" }`,
  'lib/late.cjs': `setTimeout(() => { throw new Error('late'); }, 20);`,
};

it.each(['check.ts', 'check.mjs', 'check.cjs'])('work in %s', async (scriptPath) => {
  const dependencies = Object.entries(FILES).map(([path, content]) => ({ path, content }));
  const { errors, details } = await checks.run({ script: SCRIPT, scriptPath, dependencies });
  const { console: lines } = details as { console: readonly { readonly text: string }[] };
  expect(lines.map(({ text }) => text)).toEqual([
    JSON.stringify({
      builtin: scriptPath,
      package: true,
      ...{
        typed: 'ab',
        plain: 'cc',
        module: 'dstringe',
        data: 'f',
        resolved: 'typed.tsnode:fs',
        folder: true,
      },
    }),
  ]);
  // A module that nobody waits for still fails the script.
  expect(errors).toEqual([expect.stringContaining('Error: late')]);
});

it('names a module that does not exist', async () => {
  const missing = await Promise.all([
    checks.run({ script: `await import('./nowhere');` }),
    checks.run({ script: `await import('no-such-package');` }),
  ]);
  for (const { hasFailures, errors } of missing)
    expect([hasFailures, errors[0]]).toEqual([true, expect.stringContaining('Cannot find')]);
});
