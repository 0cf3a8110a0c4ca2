/** `npm run release` in a temporary clone: it refuses what is not ready, and a failure changes nothing. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clone, cloneRepository } from './support/clone.ts';

const run = promisify(execFile);
let clone: Clone;
beforeEach(async () => {
  clone = await cloneRepository();
});
afterEach(() => rmSync(clone.folder, { recursive: true }));

const release = (...args: readonly string[]) =>
  run(process.execPath, ['scripts/release.mjs', ...args], { cwd: clone.folder });

/** Everything that a release changes. */
const stateOf = async ({ git, folder }: Clone) => ({
  head: await git('rev-parse', 'HEAD'),
  tags: await git('tag'),
  changes: await git('status', '--porcelain'),
  hasArtifacts: existsSync(join(folder, 'release/99.0.0')),
});

test('a dry run says what a release would do, and changes nothing', async () => {
  const before = await stateOf(clone);
  const { stdout } = await release('99.0.0', '--dry-run');
  expect(stdout).toMatch(
    /^Would release sonde 99\.0\.0 \(\d{4}-\d\d-\d\d\):\n- CHANGELOG\.md: move \d+ unreleased/,
  );
  expect(stdout).toContain('tag v99.0.0');
  expect(await stateOf(clone)).toEqual(before);
});

test('a build that fails changes nothing', async () => {
  const before = await stateOf(clone);
  // The clone has no packages, so that nothing can be built.
  await expect(release('99.0.0')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was changed.'),
  });
  expect(await stateOf(clone)).toEqual(before);
});

test('it names every reason that forbids a release', async () => {
  await clone.git('switch', '--quiet', '--create', 'topic');
  await clone.git('tag', 'v0.0.1');
  const changelog = join(clone.folder, 'CHANGELOG.md');
  writeFileSync(changelog, readFileSync(changelog, 'utf8').replaceAll(/^- .*\n/gm, ''));
  const { stderr } = await release('0.0.1').catch((error: { stderr: string }) => error);
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^Error: 0\.0\.1 is not newer than /),
    'Error: the working tree has changes: commit or stash them',
    'Error: the branch is topic: run git switch main',
    'Error: the tag v0.0.1 exists',
    'Error: CHANGELOG.md has no unreleased lines',
  ]);
});

test('it takes exactly one version of three numbers', async () => {
  for (const args of [[], ['0.2'], ['0.2.0', '0.3.0']])
    await expect(release(...args)).rejects.toMatchObject({ code: 2 });
});
