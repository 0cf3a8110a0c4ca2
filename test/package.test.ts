/** What `npm pack` makes: it installs in an empty folder without a compiler and does the main job, on old and new Node. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from './support/needs.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'sonde-package-'));
const home = join(folder, 'home');
/** sonde gets a home of its own; npm keeps its cache. */
const env = { PATH: process.env.PATH, HOME: home };
const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
const installed = join(folder, 'node_modules/sonde');
const script = join(installed, 'dist/sonde.cjs');

beforeAll(async () => {
  // The build is there already, and other tests are using it.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(stdout);
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  await run('npm', ['install', '--omit=dev', ...quiet, join(folder, filename)], { cwd: folder });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The newest Node that npm can bring. */
async function newestNode(): Promise<string> {
  const place = join(folder, 'newest');
  await run('npm', ['install', '--prefix', place, ...quiet, 'node@latest']);
  return join(place, 'node_modules/node/bin/node');
}

describe('the package', () => {
  test('brings no development dependency, no script that runs at its installation, and nothing to compile', () => {
    const { devDependencies, scripts, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const isThere = (name: string) => existsSync(join(folder, 'node_modules', name));
    expect(Object.keys(devDependencies).filter(isThere)).toEqual([]);
    expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
    expect(readdirSync(installed).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'examples',
      'package.json',
    ]);
  });

  test('brings its man pages where it is installed for all', async (context) => {
    needs('man', 'man-db')(context);
    const prefix = join(folder, 'global');
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    await run('npm', ['install', '--global', '--prefix', prefix, ...quiet, join(folder, tarball ?? '')]);
    const manEnv = { ...env, MANPATH: join(prefix, 'share/man'), LC_ALL: 'C.UTF-8', MANPAGER: 'cat' };
    const { stdout } = await run('man', ['sonde'], { env: manEnv });
    expect(stdout).toContain('SONDE(1)');
    for (const page of ['sonde-checks-run', 'sonde-exit-codes']) {
      expect((await run('man', ['-w', page], { env: manEnv })).stdout).toContain(prefix);
    }
  }, 120_000);

  test.each([
    ['this Node', async () => process.execPath],
    ['the newest Node', newestNode],
  ])(
    'does the main job on %s',
    async (_, find) => {
      const node = await find();
      const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
      expect((await run(node, [script, '--version'], { env })).stdout).toBe(`${version}\n`);
      const { stdout } = await run(node, [script, 'quickstart'], { env });
      expect(stdout).toMatch(/^PASSED\tName resolves\t/m);
      expect(stdout).toMatch(/^FAILED\tName has moved\t/m);
    },
    300_000,
  );
});
