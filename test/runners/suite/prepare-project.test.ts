/** The folder of a suite is in its project, also after links are resolved. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createPlaywrightCheck, triggerTestSessions } from '../../../src/contract/index.ts';
import { violationsOf } from '../../../src/contract/validate.ts';
import { resolveInProject, UnusableProject } from '../../../src/runners/suite/child/prepare-project.ts';

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-suite-')));
afterAll(() => rmSync(parent, { recursive: true }));
const root = join(parent, 'suite');
mkdirSync(join(root, 'e2e/deep'), { recursive: true });
mkdirSync(join(parent, 'suite-2'));
writeFileSync(join(root, 'file'), '');
for (const [name, target] of [
  ['inside', 'e2e'],
  ['absolute', '/tmp'],
  ['above', '..'],
  ['beside', '../suite-2'],
  ['chain', 'e2e/out'],
  ['e2e/out', '../../suite-2'],
  ['loop', 'loop'],
] as const)
  symlinkSync(target, join(root, name));

it.each([
  ['.', root],
  ['./e2e/', join(root, 'e2e')],
  ['e2e/deep/..', join(root, 'e2e')],
  ['inside/deep', join(root, 'e2e/deep')],
])('accepts the folder %j', (path, real) => {
  expect(resolveInProject(root, path, 'workingDir')).toBe(real);
});

it.each(['/', '/tmp', '..', '../suite-2', 'e2e/../..', root, 'absolute', 'above', 'beside', 'chain'])(
  'refuses the folder %j',
  (path) => {
    expect(() => resolveInProject(root, path, 'workingDir')).toThrow(UnusableProject);
    expect(() => resolveInProject(root, path, 'workingDir')).toThrow('is outside the suite');
  },
);

it.each(['nowhere', 'file', 'loop'])('refuses %j, which is no folder', (path) => {
  expect(() => resolveInProject(root, path, 'workingDir')).toThrow(UnusableProject);
});

it.each([
  ['a check', createPlaywrightCheck, (workingDir: string) => ({ workingDir })],
  ['a suite of a test session', triggerTestSessions, (workingDir: string) => ({ suite: { workingDir } })],
])('the schema of %s refuses paths that leave the project', (_, endpoint, body) => {
  const messages = (path: string) =>
    violationsOf(endpoint, { body: body(path) }, 0)
      .filter((violation) => violation.path.at(-1) === 'workingDir')
      .map(({ message }) => message);
  for (const path of ['/', '/tmp', '..', '../x', 'a/..', 'a/../../b', 'a\n/../..', 'a\\b', 'a\0b'])
    expect([path, messages(path)]).toEqual([path, [expect.stringMatching(/^must be the relative path/)]]);
  for (const path of ['', '.', './e2e', 'e2e/', 'a..b', '..a', 'a/...', 'ä b'])
    expect(messages(path)).toEqual([]);
});
