/** Which service, key and account a command uses, and where it says they came from. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CredentialsError, UsageError } from '../../src/base/errors.ts';
import { loadProfiles, requireConnection } from '../../src/profiles/resolve.ts';
import { makeHome, rejection } from './support/home.ts';

const USER_FILE = `
current: prod
profiles:
  prod:
    baseUrl: https://api.example.com
    apiKey: key-of-prod
    accountId: account-of-prod
    accountHeader: x-brand-account
  staging:
    baseUrl: https://staging.example.com/base/
    apiKey: key-of-staging
  keyless:
    baseUrl: https://keyless.example.com
  lan:
    baseUrl: http://10.0.0.5
    apiKey: key-of-lan
    insecure: true
`;

test('with nothing at all there is no connection, and the way to one is named', async () => {
  const { context } = makeHome();
  const resolution = await loadProfiles(context());
  const error = await rejection(Promise.resolve().then(() => requireConnection(resolution)));
  expect(error).toBeInstanceOf(CredentialsError);
  expect((error as CredentialsError).hint).toMatch(
    /sonde login.*sonde service start.*"local".*http:\/\/127\.0\.0\.1:4100/,
  );
});

test('a key that is set to nothing is told as such, where no other is saved', async () => {
  const { context, writeUserFile } = makeHome();
  const empty = context({ SONDE_API_KEY: '', SONDE_BASE_URL: 'https://api.example.com' });
  const resolution = await loadProfiles(empty);
  expect(() => requireConnection(resolution)).toThrow('SONDE_API_KEY is empty');
  writeUserFile(USER_FILE);
  const connection = requireConnection(await loadProfiles(context({ SONDE_API_KEY: '' })));
  expect((await connection.apiKey()).reveal()).toBe('key-of-prod');
});

test('the current profile is used, and every value says that it came from the user file', async () => {
  const { context, writeUserFile, warnings } = makeHome();
  const path = writeUserFile(USER_FILE);
  const connection = requireConnection(await loadProfiles(context()));
  expect(connection).toMatchObject({
    profileName: 'prod',
    baseUrl: 'https://api.example.com',
    accountId: 'account-of-prod',
    accountHeader: 'x-brand-account',
    insecure: false,
  });
  expect((await connection.apiKey()).reveal()).toBe('key-of-prod');
  const user = { from: 'user file', path };
  expect(connection.sources).toEqual({
    profileName: user,
    baseUrl: user,
    apiKey: user,
    accountId: user,
    accountHeader: user,
    insecure: { from: 'default' },
  });
  expect(warnings).toEqual([]);
});

test.each([
  ['flag', { profile: 'staging' }, { SONDE_PROFILE: 'lan' }, 'profile: keyless', 'staging', 'flag'],
  ['environment', {}, { SONDE_PROFILE: 'staging' }, 'profile: keyless', 'staging', 'environment'],
  ['project file', {}, { SONDE_PROFILE: '' }, 'profile: staging', 'staging', 'project file'],
  ['user file', {}, {}, '', 'prod', 'user file'],
])(
  'a profile chosen by %s is used before those that come after',
  async (_, flags, env, project, name, from) => {
    const home = makeHome();
    home.writeUserFile(USER_FILE);
    home.write(join(home.project, '.sonderc'), project);
    const resolution = await loadProfiles(home.context(env as Record<string, string>, flags));
    expect(resolution.profileName).toBe(name);
    expect(resolution.sources.profileName?.from).toBe(from);
  },
);

test.each([
  ['flag', { account: 'a-flag' }, { SONDE_ACCOUNT_ID: 'a-env' }, 'accountId: a-project', 'a-flag'],
  ['environment', {}, { SONDE_ACCOUNT_ID: 'a-env' }, 'accountId: a-project', 'a-env'],
  ['project file', {}, {}, 'accountId: a-project', 'a-project'],
  ['user file', {}, {}, '', 'account-of-prod'],
])('an account named by %s is used before those that come after', async (from, flags, env, project, id) => {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  home.write(join(home.project, '.sonderc.yaml'), project);
  const resolution = await loadProfiles(home.context(env as Record<string, string>, flags));
  expect(resolution.accountId).toBe(id);
  expect(resolution.sources.accountId?.from).toBe(from);
});

test.each([
  ['flag', { baseUrl: 'https://flag.example.com/' }, { SONDE_BASE_URL: 'https://env.example.com' }, 'flag'],
  ['environment', {}, { SONDE_BASE_URL: 'https://env.example.com' }, 'env'],
])('a base URL from %s takes the key of the environment with it', async (from, flags, env, host) => {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  const context = home.context({ ...(env as Record<string, string>), SONDE_API_KEY: 'key-of-env' }, flags);
  const connection = requireConnection(await loadProfiles(context));
  expect(connection.baseUrl).toBe(`https://${host}.example.com`);
  expect(connection.sources.baseUrl?.from).toBe(from);
  expect((await connection.apiKey()).reveal()).toBe('key-of-env');
  // The profile's account belongs to the profile's service.
  expect(connection).toMatchObject({ accountId: undefined, accountHeader: 'x-service-account' });
  expect(home.warnings).toEqual([]);
});

test('the key of the environment goes to the base URL of the profile, before the saved key', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const connection = requireConnection(await loadProfiles(context({ SONDE_API_KEY: 'key-of-env' })));
  expect((await connection.apiKey()).reveal()).toBe('key-of-env');
  expect(connection.sources.apiKey).toEqual({ from: 'environment', name: 'SONDE_API_KEY' });
  expect(connection).toMatchObject({ baseUrl: 'https://api.example.com', accountId: 'account-of-prod' });
});

test.each([
  ['--base-url', { baseUrl: 'https://evil.example.com' }, {}],
  ['SONDE_BASE_URL', {}, { SONDE_BASE_URL: 'https://api.example.com.evil.example' }],
  ['--base-url', { baseUrl: 'https://api.example.com:8443' }, {}],
  ['--base-url', { baseUrl: 'https://api.example.com/other' }, {}],
  ['--base-url', { baseUrl: 'http://api.example.com' }, {}],
])('a saved key does not follow %s elsewhere: %j %j', async (place, flags, env) => {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  const error = await rejection(loadProfiles(home.context(env as Record<string, string>, flags)));
  expect(error).toBeInstanceOf(CredentialsError);
  expect((error as CredentialsError).exitCode).toBe(4);
  expect(String(error)).toContain('is only for https://api.example.com');
  expect(String(error)).toContain(place);
  expect(inspect(error, { depth: 9 })).not.toContain('key-of-');
});

test('a refused base URL that another profile was saved for names that profile', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const error = await rejection(loadProfiles(context({}, { baseUrl: 'https://staging.example.com/base' })));
  expect((error as CredentialsError).hint).toContain('--profile staging');
});

test('another spelling of the saved base URL is the same one', async () => {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  const context = home.context({}, { baseUrl: 'HTTPS://API.example.com:443/' });
  const connection = requireConnection(await loadProfiles(context));
  expect((await connection.apiKey()).reveal()).toBe('key-of-prod');
});

test('a profile without a key lends its name to no other key', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const resolution = await loadProfiles(context({}, { profile: 'keyless' }));
  expect(() => requireConnection(resolution)).toThrow('profile "keyless" has no key');
});

test('a key without a service, and a service without a key, are each told', async () => {
  const { context } = makeHome();
  const keyOnly = await loadProfiles(context({ SONDE_API_KEY: 'k' }));
  expect(() => requireConnection(keyOnly)).toThrow('SONDE_API_KEY is set without a base URL');
  const urlOnly = await loadProfiles(context({ SONDE_BASE_URL: 'https://api.example.com' }));
  expect(() => requireConnection(urlOnly)).toThrow('no key for https://api.example.com');
});

test('plain http beyond this machine needs a profile that allows it, for its own address only', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const allowed = await loadProfiles(context({}, { profile: 'lan' }));
  expect(allowed).toMatchObject({ baseUrl: 'http://10.0.0.5', insecure: true });
  const env = { SONDE_API_KEY: 'k', SONDE_BASE_URL: 'http://10.0.0.6' };
  const error = await rejection(loadProfiles(context(env, { profile: 'lan' })));
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toMatch(/plain http.*SONDE_BASE_URL/);
  const local = await loadProfiles(context({ ...env, SONDE_BASE_URL: 'http://localhost:4100' }));
  expect(local.baseUrl).toBe('http://localhost:4100');
});

test('an unknown profile is told with the nearest one', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const error = await rejection(loadProfiles(context({}, { profile: 'stagin' })));
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).details).toEqual([
    expect.objectContaining({ place: '--profile', nearest: 'staging' }),
  ]);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(await rejection(loadProfiles(context({ SONDE_PROFILE: name })))).toBeInstanceOf(UsageError);
  }
});

test('in CI, where nobody has a user file, a profile that the project names is not missed', async () => {
  const home = makeHome();
  home.write(join(home.project, '.sonderc'), 'profile: team\naccountId: a-1');
  const env = { SONDE_API_KEY: 'k', SONDE_BASE_URL: 'https://api.example.com' };
  expect(await loadProfiles(home.context(env))).toMatchObject({ profileName: undefined, accountId: 'a-1' });
  expect(await rejection(loadProfiles(home.context()))).toBeInstanceOf(UsageError);
  expect(await rejection(loadProfiles(home.context({ ...env, SONDE_PROFILE: 'x' })))).toBeInstanceOf(
    UsageError,
  );
});

test.each([
  [{ baseUrl: 'https://user:hunter2@example.com' }, {}, '--base-url'],
  [{}, { SONDE_BASE_URL: 'https://example.com?key=hunter2' }, 'SONDE_BASE_URL'],
  [{ account: 'hunter2\r\nX-Evil: 1' }, {}, '--account'],
  [{ account: '' }, {}, '--account'],
])('the unusable value in %j %j is refused by its place alone', async (flags, env, place) => {
  const { context } = makeHome();
  const error = await rejection(loadProfiles(context(env as Record<string, string>, flags)));
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(place);
  expect(inspect(error)).not.toContain('hunter2');
});

test('a bad key is refused when it is asked for, unprinted', async () => {
  const { context } = makeHome();
  const env = { SONDE_BASE_URL: 'https://api.example.com', SONDE_API_KEY: 'hunter2\nX-Evil: 1' };
  const connection = requireConnection(await loadProfiles(context(env)));
  const error = await rejection(connection.apiKey());
  expect(error).toBeInstanceOf(CredentialsError);
  expect(inspect(error)).not.toContain('hunter2');
});

test('a connection shows no key, however it is printed', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE);
  const connection = requireConnection(await loadProfiles(context()));
  const key = await connection.apiKey();
  expect(inspect({ connection, key }, { depth: 9, showHidden: true })).not.toContain('key-of-');
  expect(JSON.stringify({ connection, key })).not.toContain('key-of-');
});

test('the command of a profile runs when the key is needed, once, outside of the project', async () => {
  const { context, writeUserFile, home } = makeHome();
  writeUserFile(
    `current: p\nprofiles:\n  p:\n    baseUrl: https://api.example.com\n    apiKeyCommand: 'pwd >> ran; echo; echo " key-of-$WHO "'\n`,
  );
  const connection = requireConnection(await loadProfiles(context({ WHO: 'ada' })));
  expect(existsSync(join(home, 'ran'))).toBe(false);
  const [first, second] = await Promise.all([connection.apiKey(), connection.apiKey()]);
  expect(first.reveal()).toBe('key-of-ada');
  expect(second).toBe(first);
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(join(home, 'ran'), 'utf8').trim().split('\n')).toHaveLength(1);
});

test.each([
  ['echo hunter2; echo hunter2 >&2; exit 7', 'exited with 7'],
  ['no-such-program-anywhere', 'exited with 127'],
  ['kill -9 $$', 'was terminated by SIGKILL'],
  ['true', 'is empty'],
  ['echo hunter2 hunter2', 'contains a space'],
  ['yes hunter2', 'printed more than a key'],
])('the failing command %j is told without what it printed', async (command, message) => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(
    `current: p\nprofiles: {p: {baseUrl: "https://api.example.com", apiKeyCommand: ${JSON.stringify(command)}}}\n`,
  );
  const error = await rejection(requireConnection(await loadProfiles(context())).apiKey());
  expect(error).toBeInstanceOf(CredentialsError);
  expect(String(error)).toContain(message);
  expect(inspect(error)).not.toContain('hunter2');
});

test('what is set and does not hold is told with its place, unless a flag or an equal value explains it', async () => {
  const { context, writeUserFile, userFile, write, project } = makeHome();
  writeUserFile(
    'current: a\nprofiles:\n  a:\n    baseUrl: https://a.example.com\n    apiKey: key-of-a\n    accountId: a-1\n  b:\n    baseUrl: https://a.example.com\n',
  );
  const rc = write(join(project, '.sonderc'), 'profile: a\naccountId: a-2\n');
  const env = {
    SONDE_API_KEY: 'key-of-env',
    SONDE_ACCOUNT_ID: 'a-3',
    SONDE_BASE_URL: 'https://b.example.com',
  };
  const fromFile = { from: 'user file', path: userFile };
  const fromProject = { from: 'project file', path: rc };
  expect((await loadProfiles(context(env))).overridden).toEqual([
    { name: 'baseUrl', value: 'https://a.example.com', source: fromFile },
    { name: 'accountId', value: 'a-2', source: fromProject },
    { name: 'key', value: null, source: fromFile },
  ]);
  expect((await loadProfiles(context({ SONDE_PROFILE: 'b' }))).overridden).toEqual([
    { name: 'profile', value: 'a', source: fromProject },
    { name: 'profile', value: 'a', source: fromFile },
  ]);
  expect((await loadProfiles(context({}, { profile: 'b', account: 'a-9' }))).overridden).toEqual([]);
});
