/** Keys in the system keyring, with a real one: saved, used, missed and removed, and never lost without a word. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { bareEnv, type Ran, sonde, watchSonde } from '../support/binary.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveSockets, serveWith } from '../support/http.ts';
import { openKeyring, type TestKeyring } from '../support/keyring.ts';
import { needs } from '../support/needs.ts';
import { openWindow } from '../support/tmux.ts';

const KEY = 'sk-of-the-keyring-1';

beforeEach(needs('gnome-keyring-daemon', 'gnome-keyring'));
beforeEach(needs('secret-tool', 'libsecret-tools'));
beforeEach(needs('dbus-daemon', 'dbus'));

interface Place {
  readonly home: string;
  readonly url: string;
  readonly keyring: TestKeyring;
  /** The keys that the service was asked with. */
  readonly keys: () => readonly (string | undefined)[];
  readonly env: Readonly<Record<string, string>>;
  readonly run: (line: string, options?: { stdin?: string; env?: Record<string, string> }) => Promise<Ran>;
  readonly file: () => Promise<string>;
}

async function place(): Promise<Place> {
  const home = await temporaryFolder();
  const keyring = await openKeyring(home);
  const server = await serveWith((_, response) => answer(response, { body: [] }));
  const env = bareEnv(home, keyring.env);
  return {
    ...{ home, keyring, env, url: server.url },
    keys: () => server.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', '')),
    run: (line, options = {}) =>
      sonde(line.split(' '), { env: { ...env, ...options.env }, stdin: options.stdin }),
    file: () => readFile(join(home, '.config/sonde/config.yaml'), 'utf8'),
  };
}

/** A place in which the profile `prod` has its key in the keyring. */
async function loggedIn(): Promise<Place> {
  const at = await place();
  const login = await at.run(`login --base-url ${at.url} --profile prod --keyring`, { stdin: KEY });
  expect(login.code, login.stderr).toBe(0);
  return at;
}

describe('a key in the keyring', () => {
  it('is there alone, is used from there, and is gone from there at logout', async () => {
    const { run, keyring, url, file, keys } = await loggedIn();
    expect(await keyring.lookUp(`sonde:${url}`, 'prod')).toBe(KEY);
    expect(await file()).toContain('apiKeyIn: keyring');
    expect(await file()).not.toContain(KEY);
    const who = await run('whoami --json');
    expect(JSON.parse(who.stdout), who.stderr).toMatchObject({ profile: 'prod', key: 'keyring' });
    expect(keys()).toEqual([KEY, KEY]);
    expect((await run('profiles list')).stdout).toContain('keyring');

    const logout = await run('logout --yes');
    expect(logout.code).toBe(0);
    expect(logout.stderr).toContain('and its key from the system keyring');
    expect(await keyring.lookUp(`sonde:${url}`, 'prod')).toBe('');
    expect(await file()).not.toContain('prod');
  });

  it('is renewed there where nobody says otherwise, and leaves it for the file with --no-keyring', async () => {
    const { run, keyring, url, file } = await loggedIn();
    await run(`login --base-url ${url} --profile prod`, { stdin: 'sk-renewed' });
    expect(await keyring.lookUp(`sonde:${url}`, 'prod')).toBe('sk-renewed');
    await run(`login --base-url ${url} --profile prod --no-keyring`, { stdin: 'sk-in-the-file' });
    expect(await keyring.lookUp(`sonde:${url}`, 'prod')).toBe('');
    expect(await file()).toMatch(/apiKey: sk-in-the-file/);
    expect(await file()).not.toContain('apiKeyIn');
  });

  it('goes to no other address, also where somebody writes one into the file', async () => {
    const { run, home, url, file } = await loggedIn();
    const other = await serveWith((_, response) => answer(response, { body: [] }));
    await writeFile(join(home, '.config/sonde/config.yaml'), (await file()).replace(url, other.url));
    const { code, stderr } = await run('whoami');
    expect(code).toBe(4);
    expect(stderr).toContain(`has no key of profile "prod" for ${other.url}`);
    expect(stderr).toContain(`sonde login --base-url ${other.url} --profile prod`);
    expect(other.requests).toEqual([]);
  });

  it('that cannot be read since the keyring is locked ends with 4 and the ways out', async () => {
    const { run, keyring, keys } = await loggedIn();
    await keyring.lock();
    const { code, stdout, stderr } = await run('static-ips');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(
      /which is not usable: the keyring is locked[\s\S]*SONDE_API_KEY[\s\S]*--no-keyring/,
    );
    expect((await run('whoami', { env: { SONDE_API_KEY: 'sk-of-env' } })).code).toBe(0);
    expect(keys()).toEqual([KEY, 'sk-of-env']);
  });

  it('that cannot be removed is told, with the line that does it by hand, and ends with 4', async () => {
    const { run, keyring, url, file } = await loggedIn();
    await keyring.lock();
    const { code, stderr } = await run('logout --yes');
    expect(code).toBe(4);
    expect(stderr).toContain('the key of "prod" is still in the system keyring: the keyring is locked');
    expect(stderr).toContain(`secret-tool clear service sonde:${url} username prod`);
    expect(await file()).not.toContain('prod');
  });

  it('stays in no process list and no environment while it is put there', async () => {
    const at = await place();
    // A bus that never answers holds the process that would speak with it.
    const bus = await serveSockets(() => {});
    const address = `tcp:host=127.0.0.1,port=${new URL(bus.url).port}`;
    const env = { ...at.env, DBUS_SESSION_BUS_ADDRESS: address, SONDE_API_KEY: KEY };
    const words = ['login', '--base-url', at.url, '--keyring', '--no-verify', '--profile', 'held'];
    const login = watchSonde(words, { env, stdin: KEY });
    await eventually(() => expect(bus.sockets.length).toBe(1));
    const children = await readFile(`/proc/${login.pid}/task/${login.pid}/children`, 'utf8');
    const child = children.trim();
    expect(await readFile(`/proc/${child}/cmdline`, 'utf8')).toContain('keyring.cjs');
    for (const what of ['cmdline', 'environ'])
      expect(await readFile(`/proc/${child}/${what}`, 'utf8')).not.toContain(KEY);
    login.child.kill('SIGINT');
    expect((await login.ended).code).toBe(130);
    expect(await at.file().catch(() => 'none')).toBe('none');
  });
});

describe('a keyring that cannot be used', () => {
  it('lets the key go into the file, mode 0600, and says so', async () => {
    const { run, home, url, file } = await place();
    const none = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/none` };
    const { code, stderr } = await run(`login --base-url ${url} --keyring`, { stdin: KEY, env: none });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'the system keyring is not usable: no keyring service is available on this machine. Saved the key in the file instead',
    );
    expect(await file()).toContain(`apiKey: ${KEY}`);
  });

  it('is refused together with a command that prints the key', async () => {
    const { run, url } = await place();
    const { code, stderr } = await run(`login --base-url ${url} --keyring --api-key-command true`);
    expect(code).toBe(2);
    expect(stderr).toContain('--keyring cannot be combined with --api-key-command');
  });
});

describe('in a terminal', () => {
  beforeEach(needs('tmux'));

  it('is offered where one answers', async () => {
    const { url, env, keyring, file } = await place();
    const window = await openWindow({ env });
    await window.press(`sonde login --base-url ${url} --account a-1 --profile typed`, 'Enter');
    await window.shows((screen) => screen.some((line) => line.includes('API key')));
    await window.press(KEY, 'Enter');
    await window.shows((screen) => screen.some((line) => line.includes('Key storage:')));
    await window.press('keyring', 'Enter');
    const screen = await window.shows((lines) => lines.some((line) => line.includes('--keyring')));
    expect(screen.join('\n')).toContain('The key is in the system keyring.');
    expect(await keyring.lookUp(`sonde:${url}`, 'typed')).toBe(KEY);
    expect(await file()).not.toContain(KEY);
  });

  it('is not spoken of where none answers', async () => {
    const { url, home, file } = await place();
    const window = await openWindow({ env: bareEnv(home) });
    await window.press(`sonde login --base-url ${url} --account a-1 --profile typed`, 'Enter');
    await window.shows((screen) => screen.some((line) => line.includes('API key')));
    await window.press(KEY, 'Enter');
    const screen = await window.shows((lines) => lines.some((line) => line.includes('without prompts')));
    expect(screen.join('\n')).not.toMatch(/keyring/);
    expect(await file()).toContain(`apiKey: ${KEY}`);
  });
});
