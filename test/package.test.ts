/** The package that `npm pack` makes: what it holds, and that it installs and works where there is nothing but Node. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needs } from './support/needs.ts';
import { type InstalledSonde, installSonde, packSonde } from './support/package.ts';

const run = promisify(execFile);
const place = mkdtempSync(join(tmpdir(), 'sonde-package-'));
const { version, man, dependencies, devDependencies, scripts } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** The largest sizes, in MB. */
const budget = JSON.parse(readFileSync('bench/budgets.json', 'utf8')).size;

let sonde: InstalledSonde;
let tarball: string;
beforeAll(async () => {
  tarball = await packSonde(place);
  sonde = await installSonde(tarball, process.execPath, join(place, 'machine'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('it brings no development dependency, and nothing that runs or compiles when it is installed', () => {
  const isThere = (name: string) => existsSync(join(sonde.folder, 'node_modules', name));
  expect(Object.keys(devDependencies).filter(isThere)).toEqual([]);
  expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
});

/** Returns the sum of the sizes of all files in a folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

test('it is no larger than its budget', () => {
  expect(statSync(tarball).size / 1e6).toBeLessThanOrEqual(budget.package.most);
  expect(sizeOf(join(sonde.folder, 'dist')) / 1e6).toBeLessThanOrEqual(budget.dist.most);
  expect(sizeOf(join(sonde.prefix, 'lib')) / 1e6).toBeLessThanOrEqual(budget.installed.most);
});

test('npm installs it without a warning', () => {
  // A setting of this machine that npm does not know says nothing about the package.
  const lines = sonde.said.split('\n').filter((line) => !line.includes('Unknown'));
  expect(lines.filter((line) => /warn|deprecated/i.test(line))).toEqual([]);
});

test('it holds what it documents: every link between its documents leads to a file', () => {
  expect(readdirSync(sonde.folder).toSorted()).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist',
    'docs',
    'examples',
    'node_modules',
    'package.json',
  ]);
  const documents = ['', 'docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(sonde.folder, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  const links = documents.flatMap((name) =>
    [...readFileSync(join(sonde.folder, name), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      ([, path = '']) => `${name}: ${normalize(join(dirname(name), path))}`,
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(sonde.folder, link.split(': ')[1] ?? '')))).toEqual([]);
});

test('npm links its man pages, until npm 12, which links none of any package', async () => {
  const npm = Number.parseInt((await run('npm', ['--version'])).stdout, 10);
  const linked = join(sonde.prefix, 'share/man');
  const found = existsSync(linked) ? readdirSync(linked, { recursive: true }) : [];
  const wanted = (man as string[]).map((path) => path.replace('./dist/man/', ''));
  expect(found.filter((path) => /\.\d$/.test(String(path))).toSorted()).toEqual(
    npm < 12 ? wanted.toSorted() : [],
  );
});

test('man finds its pages in the package', async (context) => {
  needs('man', 'man-db')(context);
  const pages = join(sonde.folder, 'dist/man');
  for (const page of ['sonde', 'sonde-checks-run', 'sonde-exit-codes'])
    expect((await run('man', ['-M', pages, '-w', page])).stdout).toContain(pages);
});

test('it starts', async () => {
  expect((await sonde.run('--version')).stdout).toBe(`${version}\n`);
});
