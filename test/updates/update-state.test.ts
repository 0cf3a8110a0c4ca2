/** When a registry is asked, and when a person is told. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  findDueActions,
  isNewer,
  isSameRepository,
  readUpdateState,
  resolveRegistry,
  writeUpdateState,
} from '../../src/updates/update-state.ts';
import { temporaryFolder } from '../support/folder.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 21);

test.each([
  ['nothing is known', {}, { shouldFetch: true, newVersion: undefined }],
  ['asked a moment ago', { askedAt: NOW - 1 }, { shouldFetch: false, newVersion: undefined }],
  ['asked a day ago', { askedAt: NOW - DAY }, { shouldFetch: true, newVersion: undefined }],
  ['asked by a clock that was wrong', { askedAt: NOW + DAY }, { shouldFetch: true, newVersion: undefined }],
  ['there is news', { askedAt: NOW - 1, latest: '0.2.0' }, { shouldFetch: false, newVersion: '0.2.0' }],
  [
    'it was told today',
    { askedAt: NOW - 1, toldAt: NOW - DAY + 1, latest: '0.2.0' },
    { shouldFetch: false, newVersion: undefined },
  ],
  [
    'it was told yesterday',
    { askedAt: NOW - 1, toldAt: NOW - DAY, latest: '0.2.0' },
    { shouldFetch: false, newVersion: '0.2.0' },
  ],
  [
    'this is the newest',
    { askedAt: NOW - 1, latest: '0.1.0' },
    { shouldFetch: false, newVersion: undefined },
  ],
])('where %s', (_, state, due) => {
  expect(findDueActions(state, NOW, '0.1.0')).toEqual(due);
});

test.each([
  ['0.1.1', '0.1.0', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0', '1.0.0', false],
  ['0.9.9', '1.0.0-rc.1', false],
  ['1.0.1-rc.1', '1.0.0', false],
  ['1.0', '0.1.0', false],
  ['\u001b[31m9.9.9', '0.1.0', false],
])('%j after %s: %s', (candidate, version, newer) => {
  expect(isNewer(candidate, version)).toBe(newer);
});

test('what is remembered is read back, and what cannot be read is nothing', async () => {
  const path = join(await temporaryFolder(), 'state/sonde/updates.json');
  expect(readUpdateState(path)).toEqual({});
  writeUpdateState(path, { askedAt: 1, toldAt: 2, latest: '1.2.3' });
  expect(readUpdateState(path)).toEqual({ askedAt: 1, toldAt: 2, latest: '1.2.3' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ askedAt: 1, toldAt: 2, latest: '1.2.3' });
  for (const text of ['', '{"askedAt":', 'null', '{"askedAt":"1","latest":"\\u001b[2Jx"}']) {
    writeFileSync(path, text);
    expect(readUpdateState(path)).toEqual({});
  }
});

test.each([
  [{ type: 'git', url: 'git+https://code.example.com/team/sonde.git' }, true],
  ['https://code.example.com/team/sonde', true],
  [{ url: 'git+ssh://git@code.example.com/team/sonde.git' }, true],
  [{ url: 'https://code.example.com/other/sonde.git' }, false],
  [{ url: 'https://evil.example.com/?https://code.example.com/team/sonde' }, false],
  [undefined, false],
  [null, false],
])('the repository %j is ours: %s', (told, ours) => {
  expect(isSameRepository(told, 'https://code.example.com/team/sonde')).toBe(ours);
});

test("the user's registry is asked, and none to which a password would go", async () => {
  const home = await temporaryFolder();
  const release = { name: 'sonde', repository: 'x', registry: 'https://published.example.com/' };
  expect(resolveRegistry(release, {}, home)).toBe('https://published.example.com/');
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, '.npmrc'),
    '//mirror.example.com/:_authToken=x\nregistry = https://mirror.example.com/npm\n@a:registry=https://a.example.com\n',
  );
  expect(resolveRegistry(release, {}, home)).toBe('https://mirror.example.com/npm');
  expect(resolveRegistry(release, { npm_config_registry: 'https://other.example.com' }, home)).toBe(
    'https://other.example.com',
  );
  for (const npm_config_registry of ['https://u:p@example.com', 'file:///etc', 'none'])
    expect(resolveRegistry(release, { npm_config_registry }, home)).toBeUndefined();
});
