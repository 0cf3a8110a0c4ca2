/** Attacks of what a Playwright suite installs: packages with scripts of their own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSuites, type Suites } from '../runners/suite/support.ts';

const SPRUNG =
  "require('fs').writeFileSync(process.env.INIT_CWD + '/sprung-' + process.env.npm_package_name, '')";
const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, version: '1.0.0', scripts: { postinstall: `node -e "${SPRUNG}"` }, ...more });
const LOCK = JSON.stringify({
  ...{ name: 'shop', version: '1.0.0', lockfileVersion: 3, requires: true },
  packages: {
    '': { name: 'shop', version: '1.0.0', hasInstallScript: true, dependencies: { lib: 'file:lib' } },
    lib: { version: '1.0.0', hasInstallScript: true },
    'node_modules/lib': { resolved: 'lib', link: true },
  },
});
const project = (sprung: readonly string[]) => ({
  'package.json': manifest('shop', { dependencies: { lib: 'file:lib' } }),
  'lib/package.json': manifest('lib'),
  'a.spec.ts': `
import { readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
test('looks', () => {
  expect(readdirSync('.').filter((name) => name.startsWith('sprung-'))).toEqual(${JSON.stringify(sprung)});
});
`,
});

let suites: Suites;
beforeAll(async () => {
  suites = await openSuites('process');
});
afterAll(() => suites.close());

it.each([
  ['as its lock file says', { 'package-lock.json': LOCK }],
  ['without a lock file', {}],
])('runs no script of a package that is installed %s', async (_, more) => {
  const result = await suites.run({ ...project([]), ...more });
  expect(result).toMatchObject({ errors: [], hasFailures: false, hasErrors: false });
});

it('runs them where the suite asks for it', async () => {
  const files = { ...project(['sprung-lib', 'sprung-shop']), 'package-lock.json': LOCK };
  const result = await suites.run(files, { installCommand: 'npm ci --no-audit --no-fund' });
  expect(result).toMatchObject({ errors: [], hasFailures: false, hasErrors: false });
});
