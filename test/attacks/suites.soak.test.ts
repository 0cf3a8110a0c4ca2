/** Attacks of Playwright suites: packages with scripts, and paths that lead out of the project. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GOOD, openSuites, type Suites } from '../runners/suite/support.ts';

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

it.each([
  [{ workingDir: '/tmp' }, 'the folder /tmp is outside the suite: set workingDir to a path in the project'],
  [{ workingDir: '..' }, 'the folder .. is outside the suite: set workingDir to a path in the project'],
  [{ workingDir: 'a/../../cells' }, /^the folder a\/\.\.\/\.\.\/cells is outside the suite/],
  [{ workingDir: 'a.spec.ts' }, /^a\.spec\.ts is not a folder of the suite/],
  [{ workingDir: 'nowhere' }, /^the suite has no folder nowhere/],
  [{ playwrightConfigPath: '/etc/passwd' }, /^the configuration file \/etc\/passwd is outside the suite/],
  [{ playwrightConfigPath: '../config.ts' }, /^the configuration file \.\.\/config\.ts is outside the suite/],
  [
    { installCommand: 'ln -s /etc/passwd config.ts', playwrightConfigPath: 'config.ts' },
    /^the configuration file config\.ts is outside the suite/,
  ],
])('runs no test with %j', async (check, error) => {
  const { errors, hasErrors, hasFailures } = await suites.run({ 'a.spec.ts': GOOD }, check);
  expect({ errors, good: !hasErrors && !hasFailures }).toEqual({
    errors: [expect.stringMatching(error)],
    good: false,
  });
});

it('runs the tests in a folder of the project, with a configuration beside it', async () => {
  const files = { 'e2e/a.spec.ts': GOOD, 'playwright.config.ts': "export default { testDir: 'e2e' };" };
  const check = { workingDir: './e2e', playwrightConfigPath: '../playwright.config.ts' };
  expect(await suites.run(files, check)).toMatchObject({ errors: [], hasFailures: false, hasErrors: false });
});
