/** The saved profiles: listed, shown, chosen and removed, and never with their keys. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command as logout } from '../../../commands/logout.ts';
import { command as list } from '../../../commands/profiles/list.ts';
import { command as remove } from '../../../commands/profiles/remove.ts';
import { command as show } from '../../../commands/profiles/show.ts';
import { command as use } from '../../../commands/profiles/use.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import { runCommand } from '../../../src/cli/program/run-command.ts';
import { type Home, makeHome } from '../../profiles/support/home.ts';
import { type LineOptions, makeHost, runLine } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';

const USER_FILE = `current: prod
profiles:
  prod:
    baseUrl: https://api.example.com
    apiKey: key-of-prod
    accountId: a-1
  staging:
    baseUrl: https://staging.example.com
    apiKeyCommand: echo key-of-staging
  bare:
    baseUrl: https://bare.example.com
`;

function withProfiles(): Home {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  return home;
}

const run = (of: Command, { home, project }: Home, line: readonly string[], options: LineOptions = {}) =>
  runLine(of, line, { home, cwd: project, ...options });

const fileOf = ({ userFile }: Home): string => readFileSync(userFile, 'utf8');

describe('profiles list', () => {
  it('shows each profile with the presence of its key', async () => {
    const { code, stdout, stderr } = await run(list, withProfiles(), []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      'prod\ttrue\thttps://api.example.com\ta-1\tsaved\n' +
        'staging\tfalse\thttps://staging.example.com\t\tcommand\n' +
        'bare\tfalse\thttps://bare.example.com\t\t\n',
    );
  });

  it('holds no key in any form', async () => {
    const home = withProfiles();
    for (const format of ['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'])
      expect((await run(list, home, ['-o', format])).stdout).not.toContain('key-of-');
  });

  it('says which profile is used here where that is another', async () => {
    const { stderr } = await run(list, withProfiles(), [], { env: { SONDE_PROFILE: 'staging' } });
    expect(stderr).toBe('Commands in this folder use profile "staging" (SONDE_PROFILE).\n');
  });

  it('says how to begin where there is none', async () => {
    const { code, stdout, stderr } = await run(list, makeHome(), [], { isTTY: true });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('sonde login');
    expect((await run(list, makeHome(), ['--json'])).stdout).toBe('[]\n');
  });
});

describe('profiles show', () => {
  it('tells a program each value and where it came from', async () => {
    const home = withProfiles();
    const project = home.write(join(home.project, '.sonderc'), 'accountId: a-project');
    const { stdout } = await run(show, home, [], { env: { SONDE_API_KEY: 'key-of-env' } });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'profile\tprod',
        'accountId\ta-project',
        'key\tenvironment',
        `sources.accountId\t${project}`,
        'sources.key\tSONDE_API_KEY',
        `sources.baseUrl\t${home.userFile}`,
      ]),
    );
    expect(stdout).not.toContain('key-of-');
  });

  it('tells a person the same beside each value', async () => {
    const { stdout } = await run(show, withProfiles(), ['--account', 'a-2', '--no-color'], { isTTY: true });
    expect(stdout).toMatch(/^base URL +https:\/\/api\.example\.com +~\/\.config\/sonde\/config\.yaml$/m);
    expect(stdout).toMatch(/^account +a-2 +--account$/m);
    expect(stdout).toMatch(/^key +\*\*\*, saved +/m);
  });

  it('says which values do not hold where another goes before them', async () => {
    const env = { SONDE_API_KEY: 'key-of-env', SONDE_ACCOUNT_ID: 'a-9' };
    const home = withProfiles();
    const { stdout } = await run(show, home, ['--no-color'], { isTTY: true, env, columns: 140 });
    expect(stdout).toMatch(/ a-9 +SONDE_ACCOUNT_ID, overrides a-1 from ~\/\.config\/sonde\/config\.yaml$/m);
    expect(stdout).toMatch(
      / \*\*\* +SONDE_API_KEY, overrides the value from ~\/\.config\/sonde\/config\.yaml$/m,
    );
    const { overridden } = JSON.parse((await run(show, home, ['--json'], { env })).stdout);
    expect(overridden).toMatchObject([
      { name: 'accountId', value: 'a-1' },
      { name: 'key', value: null },
    ]);
  });

  it('shows another profile by name, running no command for it', async () => {
    const { stdout } = await run(show, withProfiles(), ['staging', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'staging',
      baseUrl: 'https://staging.example.com',
      key: 'command',
      sources: { profile: null },
    });
    expect(stdout).not.toContain('key-of-');
  });

  it('shows a profile without a key, and refuses one that is not there or belongs elsewhere', async () => {
    const home = withProfiles();
    expect((await run(show, home, ['bare', '--jq', '.key'])).stdout).toBe('null\n');
    const unknown = await run(show, home, ['stagin']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('did you mean staging?');
    const elsewhere = await run(show, home, [], { env: { SONDE_BASE_URL: 'https://evil.example.com' } });
    expect(elsewhere.code).toBe(4);
    expect((await run(show, makeHome(), [])).code).toBe(4);
  });
});

describe('profiles use', () => {
  it('chooses the profile that commands use, and warns where a variable goes before it', async () => {
    const home = withProfiles();
    const { code, stdout, stderr } = await run(use, home, ['staging'], { env: { SONDE_PROFILE: 'prod' } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('"staging" (https://staging.example.com) is now the current profile');
    expect(stderr).toContain('SONDE_PROFILE');
    expect(fileOf(home)).toContain('current: staging');
  });

  it('lets a person choose, from the current one on', async () => {
    const home = withProfiles();
    const { code, stderr } = await askedLine(use, [], { home: home.home }, ['Select a profile:', 'stag\r']);
    expect(code).toBe(0);
    expect(stderr).toContain('https://api.example.com, account a-1');
    expect(fileOf(home)).toContain('current: staging');
  });

  it('names those there are where nobody can choose, and ends with 4 where there is none', async () => {
    const { code, stderr } = await run(use, withProfiles(), []);
    expect(code).toBe(2);
    expect(stderr).toContain('prod, staging, bare');
    expect((await run(use, makeHome(), [])).code).toBe(4);
  });

  it('refuses a name that is not there and changes nothing', async () => {
    const home = withProfiles();
    expect((await run(use, home, ['nope'])).code).toBe(2);
    expect((await run(show, home, ['nope'])).stderr).toMatch(/^Error: profile "nope" not found$/m);
    expect(fileOf(home)).toBe(USER_FILE);
  });
});

describe.each([
  ['logout', logout],
  ['profiles remove', remove],
] as const)('%s', (_name, command) => {
  it('removes the profile and its key for good', async () => {
    const home = withProfiles();
    const cache = home.write(join(home.home, '.cache/sonde/completion.json'), '{}');
    const { code, stdout, stderr } = await run(command, home, ['prod', '--yes']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(existsSync(cache)).toBe(false);
    expect(stderr).toContain('sonde profiles use staging | bare');
    expect(fileOf(home)).not.toMatch(/prod|key-of-prod/);
    expect(fileOf(home)).toContain('staging');
  });

  it('needs --yes where nobody can be asked', async () => {
    const home = withProfiles();
    const { code, stderr } = await run(command, home, ['prod']);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(fileOf(home)).toBe(USER_FILE);
  });

  it.each([
    ['n', 9, true],
    ['y', 0, false],
  ])('asks a person, who answers %s', async (key, code, stays) => {
    const home = withProfiles();
    const { host, screen } = await makeHost(['staging'], { home: home.home, isTTY: true });
    const ended = runCommand(command as Command, host);
    await screen.saw('Remove profile "staging" for https://staging.example.com?');
    screen.type(`${key}\r`);
    expect(await ended).toBe(code);
    expect(fileOf(home).includes('staging')).toBe(stays);
  });

  it('refuses a name that is not there', async () => {
    const { code, stderr } = await run(command, withProfiles(), ['prd', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean prod?');
  });
});

describe('logout --all', () => {
  it('removes every profile and key, and says where keys still hold', async () => {
    const home = withProfiles();
    const { code, stdout, stderr } = await run(logout, home, ['--all', '--yes', '--json'], {
      env: { SONDE_API_KEY: 'key-of-env' },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { profile: 'prod', baseUrl: 'https://api.example.com', removed: true, keyRemoved: true },
      { profile: 'staging', baseUrl: 'https://staging.example.com', removed: true, keyRemoved: false },
      { profile: 'bare', baseUrl: 'https://bare.example.com', removed: true, keyRemoved: false },
    ]);
    expect(stderr).toContain('The key remains valid until you revoke it at https://api.example.com.');
    expect(stderr).toContain('the source of its apiKeyCommand is unchanged');
    expect(stderr).toContain('unset SONDE_API_KEY');
    expect(stderr).toContain('sonde login');
    expect(fileOf(home)).not.toMatch(/key-of-|prod|staging|bare/);
  });

  it('asks once, naming all of them, and takes no name besides', async () => {
    const home = withProfiles();
    const question = 'Remove all 3 profiles and every key';
    const { code, stderr } = await askedLine(logout, ['--all'], { home: home.home, columns: 200 }, [
      question,
      'n\r',
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain('staging (https://staging.example.com)');
    expect(fileOf(home)).toBe(USER_FILE);
    expect((await run(logout, home, ['prod', '--all', '--yes'])).code).toBe(2);
    expect((await run(logout, makeHome(), ['--all', '--yes'])).code).toBe(4);
  });
});

describe('logout without a name', () => {
  it.each([
    [[], {}, 'prod'],
    [['--profile', 'staging'], {}, 'staging'],
    [[], { SONDE_PROFILE: 'bare' }, 'bare'],
  ])('removes what %j and %j choose, whatever the project says', async (line, env, gone) => {
    const home = withProfiles();
    home.write(join(home.project, '.sonderc'), 'profile: staging');
    const { stdout } = await run(logout, home, [...line, '--yes', '--json'], {
      env: env as Record<string, string>,
    });
    expect(JSON.parse(stdout)).toMatchObject({ profile: gone, removed: true });
  });

  it('ends with 4 where there is none, and with 2 where it is not clear which', async () => {
    expect((await run(logout, makeHome(), ['--yes'])).code).toBe(4);
    const home = makeHome();
    home.writeUserFile(USER_FILE.replace('current: prod\n', ''));
    const { code, stderr } = await run(logout, home, ['--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('prod, staging, bare');
    expect((await run(logout, withProfiles(), ['prod', '--profile', 'bare', '--yes'])).code).toBe(2);
  });
});
