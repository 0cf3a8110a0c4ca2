/** Logging in: from a pipe, from a command, and in front of a person. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command } from '../../commands/login.ts';
import { runCommand } from '../../src/cli/program/run-command.ts';
import { listProfiles } from '../../src/profiles/store.ts';
import type { UserFile } from '../../src/profiles/user-file.ts';
import { makeHome } from '../profiles/support/home.ts';
import { makeHost, runLine } from '../support/command.ts';
import { answer, serve, serveWith } from '../support/http.ts';

const KEY = 'sk-hush-hush-1';
const refusal = { status: 401, body: { statusCode: 401, error: 'Unauthorized', message: 'not known' } };

const saved = (home: string): UserFile => listProfiles({ env: {}, home, warn: () => undefined });
const fileOf = (home: string): string => join(home, '.config', 'sonde', 'config.yaml');

describe('without a terminal', () => {
  it('tries the key from stdin with the account, then saves both as the current profile', async () => {
    const { home } = makeHome();
    const server = await serve({ body: [] });
    const line = ['--base-url', `${server.url}/`, '--account', 'a-1', '--account-header', 'X-Acme'];
    const { code, stdout, stderr } = await runLine(command, line, { home, input: `${KEY}\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`Logged in to ${server.url}.`);
    expect(server.requests).toEqual([
      expect.objectContaining({ method: 'GET', url: '/v1/maintenance-windows?limit=1' }),
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-acme': 'a-1' });
    const { current, profiles } = saved(home);
    expect(current).toBe('default');
    const profile = profiles.get('default');
    expect(profile).toMatchObject({ baseUrl: server.url, accountId: 'a-1', accountHeader: 'X-Acme' });
    expect(profile?.apiKey?.reveal()).toBe(KEY);
  });

  it('prints no key, whatever is asked for', async () => {
    const { home } = makeHome();
    const server = await serve({ body: [] }, refusal);
    const line = ['--base-url', server.url, '--trace', '--json'];
    const outcomes = [
      await runLine(command, line, { home, input: KEY }),
      await runLine(command, line, { home, input: KEY }),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 4]);
    expect(JSON.parse(outcomes[0]?.stdout ?? '')).toMatchObject({
      profile: 'default',
      key: 'saved',
      verified: true,
    });
    expect(JSON.stringify(outcomes)).not.toContain(KEY);
  });

  it.each([401, 403])('ends with 4 and saves nothing where the service answers %i', async (status) => {
    const { home } = makeHome();
    const server = await serve({ ...refusal, status });
    const { code, stderr } = await runLine(command, ['--base-url', server.url], { home, input: KEY });
    expect(code).toBe(4);
    expect(stderr).toContain(`${server.url} rejected the key`);
    expect(stderr).toContain('nothing was saved');
    expect(existsSync(fileOf(home))).toBe(false);
  });

  it('saves nothing where the service cannot be tried, and names the way around', async () => {
    const { home } = makeHome();
    const server = await serve({ status: 200, body: '<html>a proxy</html>' });
    const line = ['--base-url', server.url, '--retry-budget', '0ms'];
    const { code, stderr } = await runLine(command, line, { home, input: KEY });
    expect(code).toBe(6);
    expect(stderr).toContain('--no-verify');
    expect(existsSync(fileOf(home))).toBe(false);
  });

  it('sends nothing with --no-verify', async () => {
    const { home } = makeHome();
    const server = await serve();
    const { code } = await runLine(command, ['--base-url', server.url, '--no-verify'], { home, input: KEY });
    expect(code).toBe(0);
    expect(saved(home).profiles.get('default')?.apiKey?.reveal()).toBe(KEY);
  });

  it.each(['', ' \n'])('ends with 2 where stdin holds %j, naming the way in', async (input) => {
    const { home } = makeHome();
    const { code, stderr } = await runLine(command, ['--base-url', 'https://api.example.com'], {
      home,
      input,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/stdin is empty[\s\S]*\| sonde login/);
  });

  it('waits for nobody where stdin is a terminal and nobody can be asked', async () => {
    for (const line of [[], ['--base-url', 'https://api.example.com']]) {
      const { code } = await runLine(command, [...line, '--no-input'], { isTTY: true });
      expect(code).toBe(2);
    }
  });

  it('gives up on a pipe into which nothing comes', async () => {
    const { home } = makeHome();
    const slept: number[] = [];
    const { host, screen } = await makeHost(['--base-url', 'https://api.example.com'], { home });
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    onTestFinished(() => void stdin.destroy());
    const sleep = async (ms: number): Promise<void> => void slept.push(ms);
    expect(await runCommand(command, { ...host, stdin, clock: { ...host.clock, sleep } })).toBe(2);
    expect(slept).toEqual([60_000]);
    expect(screen.stderr()).toContain('no input on stdin within 60 s');
  });

  it('tells all that is wrong with the line at once, and sends nothing', async () => {
    const line = ['--base-url', 'api.example.com', '--account', 'a b', '--account-header', 'Authorization'];
    const { code, stderr } = await runLine(command, [...line, '--profile', 'a/b'], { input: KEY });
    expect(code).toBe(2);
    for (const flag of ['--base-url', '--account', '--account-header', '--profile'])
      expect(stderr).toMatch(new RegExp(`^  ${flag} `, 'm'));
  });

  it('refuses plain http to another machine unless --insecure allows it', async () => {
    const { home } = makeHome();
    const line = ['--base-url', 'http://10.1.2.3', '--no-verify'];
    const refused = await runLine(command, line, { home, input: KEY });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--insecure');
    expect((await runLine(command, [...line, '--insecure'], { home, input: KEY })).code).toBe(0);
    expect(saved(home).profiles.get('default')).toMatchObject({ insecure: true });
  });

  it.each(['two words', 'kéy', `${KEY}\nX-Evil: 1`])(
    'refuses %j, which can be no key, unrepeated',
    async (input) => {
      const { code, stderr } = await runLine(command, ['--base-url', 'https://api.example.com'], { input });
      expect(code).toBe(4);
      expect(stderr).not.toMatch(/two words|kéy|hush/);
    },
  );

  it('saves a command instead of a key, and tries what it prints, once', async () => {
    const home = makeHome();
    const server = await serve({ body: [] });
    const printing = `echo x >> ran; echo ${KEY}`;
    const line = ['--base-url', server.url, '--api-key-command', printing];
    const { code } = await runLine(command, line, { home: home.home, env: { PATH: '/usr/bin:/bin' } });
    expect(code).toBe(0);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(readFileSync(join(home.home, 'ran'), 'utf8')).toBe('x\n');
    const profile = saved(home.home).profiles.get('default');
    expect(profile).toMatchObject({ apiKeyCommand: printing, apiKey: undefined });
  });

  it('takes address and account from the environment, and nothing from the project', async () => {
    const home = makeHome();
    home.write(join(home.project, '.sonderc'), 'accountId: of-the-project');
    const server = await serve({ body: [] });
    const env = { SONDE_BASE_URL: server.url, SONDE_API_KEY: 'another' };
    const { code, stderr } = await runLine(command, [], {
      home: home.home,
      cwd: home.project,
      env,
      input: KEY,
    });
    expect(code).toBe(0);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(saved(home.home).profiles.get('default')?.accountId).toBeUndefined();
    expect(stderr).toContain('SONDE_API_KEY is set and overrides the saved key');
  });
});

describe('the name of the profile', () => {
  const login = (home: string, ...line: string[]) =>
    runLine(command, ['--no-verify', ...line], { home, input: KEY });

  it('is the one that was asked for, in place of an earlier profile', async () => {
    const { home } = makeHome();
    await login(home, '--base-url', 'https://a.example.com', '--profile', 'prod', '--account', 'a-1');
    const { stderr } = await login(home, '--base-url', 'https://b.example.com', '--profile', 'prod');
    expect(stderr).toContain('Replaced profile "prod", which was for https://a.example.com.');
    const { profiles } = saved(home);
    expect([...profiles.keys()]).toEqual(['prod']);
    // The account belonged to the other service.
    expect(profiles.get('prod')).toMatchObject({ baseUrl: 'https://b.example.com', accountId: undefined });
  });

  it('stays the same where a key is renewed, with the account and the header', async () => {
    const { home } = makeHome();
    const url = ['--base-url', 'https://a.example.com'];
    await login(home, ...url, '--profile', 'prod', '--account', 'a-1', '--account-header', 'x-acme');
    await runLine(command, [...url, '--no-verify'], { home, input: 'sk-renewed' });
    const { profiles } = saved(home);
    expect([...profiles.keys()]).toEqual(['prod']);
    expect(profiles.get('prod')).toMatchObject({ accountId: 'a-1', accountHeader: 'x-acme' });
    expect(profiles.get('prod')?.apiKey?.reveal()).toBe('sk-renewed');
  });

  it('is made of the host where the standard one belongs to another service or account', async () => {
    const { home } = makeHome();
    await login(home, '--base-url', 'https://a.example.com', '--account', 'a-1');
    await login(home, '--base-url', 'https://b.example.com:8443');
    await login(home, '--base-url', 'https://a.example.com', '--account', 'a-2');
    await login(home, '--base-url', 'https://a.example.com', '--account', 'a-3');
    expect([...saved(home).profiles.keys()]).toEqual([
      'default',
      'b.example.com-8443',
      'a.example.com',
      'a.example.com-2',
    ]);
  });
});

describe('in a terminal', () => {
  async function person(line: readonly string[], home: string) {
    const { host, screen } = await makeHost(line, { home, isTTY: true });
    return { screen, code: runCommand(command, host) };
  }

  it('asks for address, key and account, shows no key, and prints the line that does the same', async () => {
    const { home } = makeHome();
    const server = await serveWith((_request, response) => answer(response, { body: [] }));
    const { screen, code } = await person([], home);
    await screen.saw('Base URL');
    screen.type('nowhere\r');
    await screen.saw('must begin with https://');
    screen.type(`\u0015${server.url}\r`);
    await screen.saw('API key for');
    screen.type(`${KEY}\r`);
    await screen.saw('Account ID');
    screen.type("it's\r");
    expect(await code).toBe(0);
    expect(screen.stdout()).toBe('');
    expect(screen.stderr()).not.toContain(KEY);
    expect(screen.stderr()).toContain(
      `printf %s "$KEY" | sonde login --base-url ${server.url} --account 'it'\\''s' --profile default`,
    );
    expect(server.requests[0]?.headers['x-service-account']).toBe("it's");
  });

  it('asks only for what is missing', async () => {
    const { home } = makeHome();
    const { screen, code } = await person(
      ['--base-url', 'https://api.example.com', '--account', 'a-1', '--no-verify'],
      home,
    );
    await screen.saw('API key for');
    screen.type(`${KEY}\r`);
    expect(await code).toBe(0);
    expect(screen.stderr()).not.toMatch(/Base URL|Account ID/);
  });

  it('ends with 130 and saves nothing where the person goes away', async () => {
    const { home } = makeHome();
    const { screen, code } = await person(['--base-url', 'https://api.example.com'], home);
    await screen.saw('API key for');
    screen.type('\u0003');
    expect(await code).toBe(130);
    expect(existsSync(fileOf(home))).toBe(false);
  });

  it('asks for a refused key again, and for nothing that is right', async () => {
    const { home } = makeHome();
    const server = await serveWith((request, response) =>
      answer(response, request.headers.authorization === `Bearer ${KEY}` ? { body: [] } : refusal),
    );
    const { screen, code } = await person(['--base-url', server.url, '--no-color'], home);
    await screen.saw('API key for');
    screen.type('sk-half-of-it\r');
    await screen.saw('Account ID, if the key has access to several');
    screen.type('a-1\r');
    await screen.saw('rejected the key for the account a-1');
    await screen.saw('Nothing was saved. Try again, or press Ctrl-C to quit.\n? API key for');
    screen.type(`${KEY}\r`);
    await screen.saw('(a-1)');
    screen.type('\r');
    expect(await code).toBe(0);
    expect(screen.stderr()).not.toMatch(/Base URL|sk-half-of-it/);
    expect(saved(home).profiles.get('default')).toMatchObject({ accountId: 'a-1' });
  });

  it('leaves neither a key nor its length on the screen', async () => {
    const { home } = makeHome();
    const { screen, code } = await person(['--base-url', 'https://api.example.com', '--no-verify'], home);
    await screen.saw('API key for');
    screen.type(`${KEY}\x14\r`);
    await screen.saw('Account ID');
    screen.type('\r');
    expect(await code).toBe(0);
    expect(screen.stderr()).not.toContain(KEY);
    expect(screen.stderr().split('Account ID')[0]).toMatch(/\(hidden\)[^*]*$/);
  });
});
