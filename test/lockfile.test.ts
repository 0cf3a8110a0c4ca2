/** What package-lock.json must hold, so that `npm ci` installs a clone on every platform. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { npmEnv } from './support/package.ts';

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

test('the lock file knows every optional package, also those of other platforms: npm ci refuses one that does not', () => {
  const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !locked.has(name))
      .map((name) => `${name} (of ${path})`),
  );
  expect(missing).toEqual([]);
});

test('npm ci prints no warning, such as one about a package that needs a newer Node', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(name, join(folder, name));
  const env = { ...process.env, ...(await npmEnv()) };
  const { stderr } = await promisify(execFile)('npm', ['ci', '--dry-run'], { cwd: folder, env });
  // A setting of this machine that npm does not know says nothing about the packages.
  expect(stderr.split('\n').filter((line) => /warn/.test(line) && !line.includes('Unknown'))).toEqual([]);
});
