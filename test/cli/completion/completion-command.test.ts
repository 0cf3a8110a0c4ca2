/** `sonde completion`: which script it prints, and what it says where no shell, or none that there is, is named. */
import { describe, expect, it } from 'vitest';
import { command as completion } from '../../../commands/completion.ts';
import { answerShell } from '../../../src/cli/completion/answer-shell.ts';
import { runLine } from '../../support/command.ts';

describe('sonde completion', () => {
  it.each([
    ['bash', 'source <(sonde completion bash)'],
    ['zsh', '#compdef sonde\n'],
    ['fish', '~/.config/fish/completions/sonde.fish'],
    ['powershell', '(untested: please report problems)'],
  ])('prints the script for %s, which says how it is installed', async (shell, said) => {
    const { code, stdout, stderr } = await runLine(completion, [shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(said);
    expect(stdout).toContain('To enable it in every shell');
  });

  it('knows what was meant by a shell that there is not', async () => {
    const { code, stdout, stderr } = await runLine(completion, ['bsh']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('must be one of bash, zsh, fish, powershell, not "bsh"');
    expect(stderr).toContain('did you mean bash?');
  });

  it('explains itself in a terminal, the own shell first', async () => {
    const { code, stdout } = await runLine(completion, [], {
      isTTY: { stdout: true },
      env: { SHELL: '/usr/bin/fish' },
    });
    expect(code).toBe(0);
    expect(stdout.indexOf('fish, once')).toBeLessThan(stdout.indexOf('bash, in'));
    expect(stdout).toContain(`sonde completion zsh > "\${fpath[1]}/_sonde"`);
  });

  it('prints nothing that a shell would run where it is not told which', async () => {
    const { code, stdout, stderr } = await runLine(completion, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('bash, zsh, fish or powershell');
  });
});

describe('PowerShell', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const answered = async (line: string, word: string) => {
    const asked = {
      argv: ['powershell', base64(line), word === '' ? '=' : base64(word)],
      env: {},
      home: '/',
    };
    const text = await answerShell({
      ...asked,
      cwd: () => '/',
      version: '0.0.0-test',
      now: () => 0,
      deadline: () => new AbortController().signal,
    });
    return text.trimEnd().split('\n').slice(1);
  };

  it('is told what to put in place of its word, what to list, and what that means', async () => {
    expect(await answered('sonde sess', 'sess')).toEqual([
      'sessions\tsessions\tList check sessions and wait for their verdict',
    ]);
    expect(await answered("sonde checks create-dns --name 'a ''b' --locations eu-c", 'eu-c')).toEqual([
      'eu-central-1\teu-central-1\tFrankfurt',
    ]);
    expect(await answered('sonde sessions list --status=F', '--status=F')).toEqual([
      '--status=FAILED\tFAILED\tFAILED',
    ]);
    expect(await answered('sonde sessions ', '')).toHaveLength(5);
  });

  it('gets back only what it took for the word, where it took a list apart', async () => {
    expect(await answered('sonde checks create-dns --locations eu-west-1,eu-c', 'eu-c')).toEqual([
      'eu-central-1\teu-central-1\tFrankfurt',
    ]);
  });

  it('has what could mean more than itself in quotation marks', async () => {
    expect(await answered('sonde checks create-dns --assert RESPONSE_CODE` EQ', 'RESPONSE_CODE` EQ')).toEqual(
      ["'RESPONSE_CODE EQUALS '\tRESPONSE_CODE EQUALS\tRESPONSE_CODE EQUALS"],
    );
  });
});
