/** `npm run release` in a clone with packages: it makes a release, and undoes one whose last step fails. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, cloneRepository } from './support/clone.ts';
import { npmEnv } from './support/package.ts';

const run = promisify(execFile);
let clone: Clone;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  clone = await cloneRepository();
  env = { ...process.env, ...(await npmEnv()) };
  await run('npm', ['ci'], { cwd: clone.folder, env });
});
afterAll(() => rmSync(clone.folder, { recursive: true }));

const release = () => run('npm', ['run', '--silent', 'release', '--', '99.0.0'], { cwd: clone.folder, env });

test('a release whose tag is refused leaves no commit, no change and no file', async () => {
  const hook = join(clone.folder, '.git/hooks/reference-transaction');
  writeFileSync(hook, '#!/bin/sh\n! grep -q refs/tags/\n', { mode: 0o755 });
  const head = await clone.git('rev-parse', 'HEAD');
  await expect(release()).rejects.toMatchObject({ code: 1 });
  rmSync(hook);
  expect(await clone.git('rev-parse', 'HEAD')).toBe(head);
  expect(await clone.git('status', '--porcelain')).toBe('');
  expect(existsSync(join(clone.folder, 'release/99.0.0'))).toBe(false);
});

test('a release has a commit, a tag, the package, its SBOM and checksums', async () => {
  await release();
  expect(await clone.git('log', '-1', '--format=%s')).toBe('release: sonde 99.0.0\n');
  expect(await clone.git('describe', '--exact-match')).toBe('v99.0.0\n');
  expect(await clone.git('status', '--porcelain')).toBe('');
  const read = (path: string) => readFileSync(join(clone.folder, path));
  expect(read('CHANGELOG.md').toString()).toMatch(
    /\n## \[Unreleased\]\n\n## \[99\.0\.0\] - \d{4}-\d\d-\d\d\n\n### /,
  );
  for (const path of ['package.json', 'package-lock.json'])
    expect(JSON.parse(read(path).toString()).version).toBe('99.0.0');
  const sums = read('release/99.0.0/SHA256SUMS').toString().trimEnd().split('\n');
  expect(sums.map((line) => line.split('  ')[1])).toEqual(['sonde-99.0.0.cdx.json', 'sonde-99.0.0.tgz']);
  for (const line of sums) {
    const [sum, name] = line.split('  ');
    const contents = read(join('release/99.0.0', name ?? ''));
    expect(createHash('sha256').update(contents).digest('hex')).toBe(sum);
  }
  const { metadata, components } = JSON.parse(read('release/99.0.0/sonde-99.0.0.cdx.json').toString());
  expect(metadata.component.version).toBe('99.0.0');
  expect(components.map(({ name }: { name: string }) => name)).toContain('libsql');
});
