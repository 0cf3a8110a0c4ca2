/** Saving, removing and choosing profiles. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CredentialsError, OutputError, UsageError } from '../../src/base/errors.ts';
import { loadProfiles } from '../../src/profiles/resolve.ts';
import { Secret } from '../../src/profiles/secret.ts';
import { listProfiles, removeProfile, saveProfile, useProfile } from '../../src/profiles/store.ts';
import { makeHome, rejection } from './support/home.ts';

const PROD = { baseUrl: 'https://api.example.com/', apiKey: new Secret('key-of-prod') };

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a saved profile is found again, in a file of mode 0600 in a folder of mode 0700', async () => {
  const { context, userFile } = makeHome();
  expect(await saveProfile(context(), 'prod', { ...PROD, accountId: 'a-1', insecure: false })).toBe(userFile);
  expect(modeOf(userFile)).toBe(0o600);
  expect(modeOf(dirname(userFile))).toBe(0o700);
  expect(existsSync(`${userFile}.lock`)).toBe(false);
  expect(existsSync(`${userFile}.new`)).toBe(false);
  const resolution = await loadProfiles(context());
  expect(resolution).toMatchObject({
    profileName: 'prod',
    baseUrl: 'https://api.example.com',
    accountId: 'a-1',
  });
  expect((await resolution.apiKey?.())?.reveal()).toBe('key-of-prod');
});

test('a loose mode is closed by the next change, whatever the mask', async () => {
  const { context, writeUserFile } = makeHome();
  const path = writeUserFile('');
  chmodSync(path, 0o666);
  const mask = process.umask(0);
  try {
    await saveProfile(context(), 'prod', PROD);
  } finally {
    process.umask(mask);
  }
  expect(modeOf(path)).toBe(0o600);
});

test('the first profile becomes the current one, a later one only where asked for', async () => {
  const { context } = makeHome();
  await saveProfile(context(), 'a', PROD);
  await saveProfile(context(), 'b', PROD);
  expect(listProfiles(context()).current).toBe('a');
  await saveProfile(context(), 'c', PROD, { makeCurrent: true });
  const { current, profiles } = listProfiles(context());
  expect(current).toBe('c');
  expect([...profiles.keys()]).toEqual(['a', 'b', 'c']);
});

test('removing the current profile removes its key and leaves none current', async () => {
  const { context, userFile } = makeHome();
  await saveProfile(context(), 'a', PROD);
  await saveProfile(context(), 'b', { ...PROD, apiKey: new Secret('key-of-b') });
  await removeProfile(context(), 'a');
  expect(readFileSync(userFile, 'utf8')).not.toContain('key-of-prod');
  expect(listProfiles(context())).toMatchObject({ current: undefined });
  await useProfile(context(), 'b');
  expect((await loadProfiles(context())).profileName).toBe('b');
});

test('choosing or removing an unknown profile tells the nearest one and changes nothing', async () => {
  const { context, userFile } = makeHome();
  await saveProfile(context(), 'production', PROD);
  const before = readFileSync(userFile, 'utf8');
  for (const change of [useProfile, removeProfile]) {
    const error = (await rejection(change(context(), 'prodction'))) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.details[0]?.nearest).toBe('production');
  }
  expect(readFileSync(userFile, 'utf8')).toBe(before);
});

test('comments, order and keys of a newer version survive a change', async () => {
  const { context, writeUserFile } = makeHome();
  const path = writeUserFile(
    '# mine\ncurrent: a # for now\nfuture: x\nprofiles:\n  # the first\n  a:\n    baseUrl: https://a.example.com # here\n    apiKey: old\n  b:\n    baseUrl: https://b.example.com\n',
  );
  await saveProfile(context(), 'a', { baseUrl: 'https://a.example.com', apiKey: new Secret('0123') });
  await useProfile(context(), 'b');
  expect(readFileSync(path, 'utf8')).toBe(
    '# mine\ncurrent: b # for now\nfuture: x\nprofiles:\n  # the first\n  a:\n    baseUrl: https://a.example.com # here\n    apiKey: 0123\n  b:\n    baseUrl: https://b.example.com\n',
  );
});

test('saving replaces the whole profile, so that no key stays with a new address', async () => {
  const { context, userFile } = makeHome();
  await saveProfile(context(), 'a', { ...PROD, accountId: 'a-1' });
  await saveProfile(context(), 'a', { baseUrl: 'https://other.example.com' });
  expect(readFileSync(userFile, 'utf8')).not.toMatch(/key-of-prod|a-1/);
});

test.each([
  'null',
  'true',
  '0x1f',
  '~',
  '!tag',
  '*alias',
  '&anchor',
  '#hash',
  '- x',
  'a: b',
  '"quoted"',
  "it's",
  '2026-11-21',
  '%x',
  '@x',
  '`x`',
  '{a}',
  '[a]',
  '|',
  '>',
  '?',
  '<<',
  '=',
  '1_000',
])('the key %s comes back as it was saved', async (text) => {
  const { context } = makeHome();
  const compact = text.replaceAll(' ', '');
  await saveProfile(context(), 'a', { ...PROD, apiKey: new Secret(compact) });
  expect(listProfiles(context()).profiles.get('a')?.apiKey?.reveal()).toBe(compact);
});

test.each(['__proto__', 'constructor', '..', '123', 'true', '-'])(
  'a profile may be called %s',
  async (name) => {
    const { context } = makeHome();
    await saveProfile(context(), 'first', PROD);
    await saveProfile(context(), name, { ...PROD, apiKey: new Secret(`of-${name}`) });
    expect(listProfiles(context()).profiles.get(name)?.apiKey?.reveal()).toBe(`of-${name}`);
    await removeProfile(context(), name);
    expect([...listProfiles(context()).profiles.keys()]).toEqual(['first']);
  },
);

test.each([
  ['a b', PROD, UsageError],
  ['a', { ...PROD, baseUrl: 'https://u:hunter2@example.com' }, UsageError],
  ['a', { ...PROD, baseUrl: 'http://example.com' }, UsageError],
  ['a', { ...PROD, apiKey: new Secret('hunter2\nX-Evil: 1') }, CredentialsError],
  ['a', { ...PROD, apiKeyCommand: 'pass sonde' }, CredentialsError],
  ['a', { ...PROD, accountId: 'hunter2\r\nX-Evil: 1' }, UsageError],
  ['a', { ...PROD, accountHeader: 'Authorization' }, UsageError],
])('the profile %s %j is refused before anything is written', async (name, profile, kind) => {
  const { context, userFile } = makeHome();
  const error = await rejection(saveProfile(context(), name, profile));
  expect(error).toBeInstanceOf(kind);
  expect(inspect(error)).not.toContain('hunter2');
  expect(existsSync(userFile)).toBe(false);
});

test.each([
  'current: [broken\n',
  'profiles:\n  a: hunter2\n',
  'profiles:\n  a: &a\n    baseUrl: https://a.example.com\n  b: *a\n',
])('the file %j, which cannot be changed safely, stays byte for byte', async (text) => {
  const { context, writeUserFile } = makeHome();
  const path = writeUserFile(text);
  expect(await rejection(removeProfile(context(), 'a'))).toBeInstanceOf(UsageError);
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test.each([true, false])(
  'a linked file is changed where it lies, also when it is there: %s',
  async (exists) => {
    const { context, userFile, home, write } = makeHome();
    const target = join(home, 'dotfiles', 'sonde.yaml');
    if (exists) write(target, '# kept\n');
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(dirname(userFile), { recursive: true });
    symlinkSync('../../dotfiles/sonde.yaml', userFile);
    await saveProfile(context(), 'prod', PROD);
    expect(lstatSync(userFile).isSymbolicLink()).toBe(true);
    expect(modeOf(target)).toBe(0o600);
    expect(readFileSync(target, 'utf8')).toMatch(exists ? /^# kept\n[\s\S]*key-of-prod/ : /key-of-prod/);
  },
);

test('a folder that cannot be made is an output error that names the file', async () => {
  const { context, home, write, userFile } = makeHome();
  write(join(home, '.config'), 'a file, not a folder');
  const error = await rejection(saveProfile(context(), 'prod', PROD));
  expect(error).toBeInstanceOf(OutputError);
  expect(String(error)).toContain(userFile);
});
