/** The scripts in the shells that they are for: in a terminal, where Tab is pressed and the screen is looked at. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sonde } from '../../support/binary.ts';
import {
  BASH_COMPLETION,
  type Home,
  needsShell,
  newHome,
  offered,
  openShellWindow,
  TRIED,
  type TriedShell,
} from '../../support/completion.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, serveWith } from '../../support/http.ts';
import { needs } from '../../support/needs.ts';
import { needsTmux } from '../../support/tmux.ts';

const run = promisify(execFile);

async function scriptOf(shell: string, { env }: Home): Promise<string> {
  const { code, stdout } = await sonde(['completion', shell], { env });
  expect(code).toBe(0);
  return stdout;
}

/** What bash would put in place of the last word, by its own means. */
async function bashReplies(
  home: Home,
  line: string,
  { first = '', point = line.length, type = 9 } = {},
): Promise<string[]> {
  const script = `${first}
source <(sonde completion bash)
compopt() { :; }
COMP_LINE=$1 COMP_POINT=$2 COMP_TYPE=$3
_sonde "\${1%% *}"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', script, 'bash', line, String(point), String(type)];
  const { stdout, stderr } = await run('bash', args, { env: home.env, cwd: home.path });
  expect(stderr).toBe('');
  return stdout.replace(/\n$/, '').split('\n');
}

describe('in bash', () => {
  it('replaces what stands behind the last character that parts words for bash', async (context) => {
    needsShell('bash')(context);
    const home = await newHome();
    expect(await bashReplies(home, 'sonde sess')).toEqual(['sessions']);
    expect(await bashReplies(home, 'sonde sessions list --status=F')).toEqual(['FAILED']);
    expect(await bashReplies(home, 'sonde sessions list --sta')).toEqual(['--status']);
    expect(await bashReplies(home, 'sonde checks create-dns --locations=eu-west-1,eu-c')).toEqual([
      'eu-west-1,eu-central-1',
    ]);
    expect(await bashReplies(home, 'sonde checks create-dns --retry-strategy type=E')).toEqual([
      'EXPONENTIAL',
    ]);
    expect(await bashReplies(home, 'sonde ses --json', { point: 9 })).toEqual(['sessions']);
    expect(await bashReplies(home, 'sonde nonsense x')).toEqual(['']);
  });

  it('keeps the quotation marks of the word, and takes words in them for one', async (context) => {
    needsShell('bash')(context);
    const home = await newHome();
    expect(
      await bashReplies(home, `sonde checks create-dns --name 'a b' --assert 'RESPONSE_CODE EQ`),
    ).toEqual(['RESPONSE_CODE EQUALS ']);
    expect(await bashReplies(home, 'sonde checks create-dns --assert "RESPONSE_CODE EQ')).toEqual([
      'RESPONSE_CODE EQUALS ',
    ]);
    expect(await bashReplies(home, 'sonde checks create-dns --assert RESPONSE_CODE\\ EQ')).toEqual([
      'RESPONSE_CODE\\ EQUALS\\ ',
    ]);
  });

  it('is called by what the line calls: a path, or a name that only the shell knows', async (context) => {
    needsShell('bash')(context);
    const home = await newHome();
    expect(await bashReplies(home, './bin/sonde sess')).toEqual(['sessions']);
    expect(await bashReplies(home, '~/bin/sonde sess')).toEqual(['sessions']);
    expect(await bashReplies(home, 's sess', { first: "shopt -s expand_aliases; alias s='sonde'" })).toEqual([
      'sessions',
    ]);
  });

  it('is found by bash-completion in its folder', async (context) => {
    needsShell('bash')(context);
    if (!existsSync(BASH_COMPLETION)) return needs('bash_completion', 'bash-completion')(context);
    const home = await newHome();
    home.write('.local/share/bash-completion/completions/sonde', await scriptOf('bash', home));
    const script = `source ${BASH_COMPLETION}; _completion_loader sonde; complete -p sonde`;
    const { stdout } = await run('bash', ['--norc', '-ic', script], { env: home.env, cwd: home.path });
    expect(stdout).toBe('complete -F _sonde sonde\n');
    expect(await bashReplies(home, 'sonde sess', { first: `source ${BASH_COMPLETION}` })).toEqual([
      'sessions',
    ]);
  });
});

it('in fish, says what each is', async (context) => {
  needsShell('fish')(context);
  const home = await newHome();
  home.write('.config/fish/completions/sonde.fish', await scriptOf('fish', home));
  const offered = async (line: string) =>
    (await run('fish', ['-c', 'complete -C $argv[1]', line], { env: home.env, cwd: home.path })).stdout
      .trimEnd()
      .split('\n');
  expect(await offered('sonde sess')).toEqual(['sessions\tList check sessions and wait for their verdict']);
  expect(await offered('sonde sessions list --status=F')).toEqual(['--status=FAILED']);
  expect(await offered('sonde checks create-dns --name "a b" --locations eu-west-1,eu-c')).toEqual([
    'eu-west-1,eu-central-1\tFrankfurt',
  ]);
  expect(await offered('./bin/sonde sess')).toEqual([
    'sessions\tList check sessions and wait for their verdict',
  ]);
  home.write('report.xml', '');
  expect(await offered('sonde sessions wait --report=junit:rep')).toEqual(['--report=junit:report.xml']);
});

describe.each(TRIED)('in a terminal, %s', (shell: TriedShell) => {
  const ready = (context: Parameters<typeof needsTmux>[0]): void => {
    needsTmux(context);
    needsShell(shell)(context);
  };
  /** Types, presses Tab, and waits for the line. */
  const open = async (home: Home) => {
    const window = await openShellWindow(shell, home, await scriptOf(shell, home));
    let line = '$ ';
    return {
      window,
      async type(keys: string, to: string) {
        await window.press('-l', '--', keys);
        line += keys;
        await window.shows((screen) => screen.some((row) => row.startsWith(line.trimEnd())));
        await window.press('Tab');
        line = line.slice(0, line.lastIndexOf(keys)) + to;
        await window.shows((screen) => screen.some((row) => row === line.trimEnd()));
      },
    };
  };

  it('completes commands, options, values and files', async (context) => {
    ready(context);
    const home = await newHome();
    home.write('reports/old.xml', '');
    const { type } = await open(home);
    await type('sonde sess', 'sonde sessions ');
    await type('wa', 'wait ');
    await type('--rep', '--report ');
    await type('ju', 'junit:');
    await type('rep', 'reports/');
  });

  it('runs nothing that stands in the line', async (context) => {
    ready(context);
    const home = await newHome();
    const { type } = await open(home);
    const typed = "sonde checks create-dns --name $(touch owned) --tags 'a b' --rec";
    await type(typed, `${typed}ord-type `);
    expect(readdirSync(home.path)).not.toContain('owned');
  });

  it('goes on in a list behind its commas', async (context) => {
    ready(context);
    const { type } = await open(await newHome());
    await type(
      'sonde checks create-dns --locations=eu-west-1,eu-c',
      'sonde checks create-dns --locations=eu-west-1,eu-central-1',
    );
  });

  it('shows what ids stand for, and does nothing that their names say', async (context) => {
    ready(context);
    const ids = ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10'];
    const evil = [
      '$(touch owned) `touch owned` ; touch owned',
      'a\n\x1b]0;title\x07\x1b[2Jtouch owned\r\t%F{red}\u202e',
    ];
    const entries = [
      ...ids,
      '$(touch owned)',
      '--yes',
      '`touch owned`',
      "';touch owned;'",
      'a b\ntouch owned\n',
    ].map((checkSessionId, index) => ({ checkSessionId, name: evil[index] ?? 'Evil id', status: 'FAILED' }));
    const server = await serveWith((_, response) =>
      answer(response, { body: { length: entries.length, entries, nextId: null } }),
    );
    const home = await newHome({ SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' });
    // On a busy machine the service may come too late: then these are shown.
    await offered(home, ['sessions', 'get', '']);
    const { window } = await open(home);
    await window.press('-l', '--', 'sonde sessions get ');
    await window.press('Tab');
    await window.press('Tab');
    const screen = await window.shows((rows) => ids.every((id) => rows.some((row) => row.startsWith(id))));
    expect(screen.join('\n')).toMatch(/FAILED.*touch owned/);
    expect(screen.join('\n')).not.toMatch(/--yes|Evil id/);
    // The first may only end the list, and a shell that is interrupted discards what comes before it reads again.
    await window.press('C-c');
    await eventually(async () => {
      await window.press('C-u');
      await window.press('-l', '--', 'echo still here');
      await window.press('Enter');
      expect(await window.screen()).toContain('still here');
    });
    expect(readdirSync(home.path)).not.toContain('owned');
    expect(existsSync(join(process.cwd(), 'owned'))).toBe(false);
  });
});
