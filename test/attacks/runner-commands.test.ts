/** What is printed where the runner of a CI system reads it: never a command, unless it is meant as one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { render, toJson } from '../../src/terminal/index.ts';
import { neutralizeCommands } from '../../src/terminal/runner-commands.ts';
import { BINARY, bareEnv } from '../support/binary.ts';
import { serviceAt } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveWith } from '../support/http.ts';
import { createTestTerminal } from '../support/terminal.ts';

/** What the runners of CI systems take for a command in a line. */
const RUNNERS = {
  github: /^\s*::([^\s:]+)(?: .*?)?::/,
  githubOld: /##\[([^\s\]]+)(?: [^\]]*)?\]/,
  azure: /##vso\[([^\]]+)\]/i,
  teamcity: /^\s*##teamcity\[(.+)\]/,
  gitlab: /section_(?:start|end):\d+:[a-zA-Z0-9_.-]/,
  travis: /(?:fold|time):(?:start|end):\S/,
  buildkite: /^(?:---|\+\+\+|~~~|\^\^\^) /,
  jenkins: /\[\[ATTACHMENT\|/,
  buildbot: /^@@@\w+@@@/,
};
const commandsIn = (text: string): readonly string[] =>
  stripVTControlCharacters(text)
    .split(/\r\n|[\n\r]/)
    .filter((line) => Object.values(RUNNERS).some((command) => command.test(line)));

const HOSTILE = [
  '::error::x',
  ' \t::add-mask::PASSED',
  '::set-output name=verdict::green',
  'a check ##[stop-commands]token',
  '##[set-output name=verdict]green',
  '###[error]x',
  'fine\n::error::x',
  'fine\r\n  ::error::x',
  '##vso[task.setvariable variable=verdict]green set-output',
  'a check ##vso[task.complete result=Succeeded]',
  "##teamcity[buildStatus status='SUCCESS']",
  '  ##teamcity[x]',
  'section_start:0:name',
  'section_end:0:name',
  'travis_fold:start:x',
  '--- a group',
  '+++ a group',
  '~~~ a group',
  '^^^ +++',
  '[[ATTACHMENT|/etc/passwd]]',
  'a check section_start:0:name',
  'a check travis_fold:start:x',
  'a check travis_time:end:x:start=1',
  'a check [[ATTACHMENT|/etc/passwd]]',
  'a check ##VSO[task.complete result=Succeeded]',
  '@@@STEP_FAILURE@@@',
];
const ENVIRONMENTS = [
  { GITHUB_ACTIONS: 'true' },
  { TF_BUILD: 'True' },
  { TEAMCITY_VERSION: '2025.07' },
  { GITLAB_CI: 'true', CI: 'true' },
  { CI: '1' },
];
const inRunner = (env: Record<string, string> = { GITHUB_ACTIONS: 'true' }) => createTestTerminal({ env });
const rows = HOSTILE.map((name) => ({ name, status: 'FAILED' }));
const columns = [{ key: 'name' }, { key: 'status' }] as const;

test('the runner would find a command in each of these', () => {
  for (const text of HOSTILE) expect(commandsIn(text)).toHaveLength(1);
});

describe('in a step of a CI system', () => {
  test.each([...ENVIRONMENTS, {}])('nothing that is said on stderr is a command, with %o', async (env) => {
    const { terminal, stderr } = inRunner(env);
    for (const text of HOSTILE) {
      await terminal.err(`${text}\n`);
      await terminal.note(text);
      await terminal.warn(text);
      await terminal.error(text);
      await terminal.lines(text, (shown) => `\u001b[1m${shown}\u001b[22m`);
    }
    expect(commandsIn(stderr())).toEqual([]);
    expect(stderr()).toContain(': :error::x\n');
  });

  const formats = ['table', 'tsv', 'csv', 'yaml', 'json', 'jsonl'] as const;
  test.each(formats.flatMap((format) => ENVIRONMENTS.map((env) => [format, env] as const)))(
    'no row of %s is a command, with %o',
    async (format, env) => {
      const { terminal, stdout } = inRunner(env);
      await render(terminal, { kind: 'list', data: rows, columns, output: { format, utc: true } });
      expect(stdout()).toContain('set-output');
      expect(commandsIn(stdout())).toEqual([]);
    },
  );

  test('no text in a terminal is a command, because some runners provide one', async () => {
    const { terminal, stdout } = createTestTerminal({ isTTY: { stdout: true } });
    for (const text of HOSTILE) await terminal.out(`${text}\n`);
    expect(commandsIn(stdout())).toEqual([]);
  });

  test('JSON still means the same', async () => {
    const { terminal, stdout } = inRunner();
    await terminal.out(toJson(rows));
    expect(JSON.parse(stdout())).toEqual(rows);
  });

  test('a command that is meant as one gets through, in its turn', async () => {
    const { terminal, stderr } = inRunner();
    await Promise.all([
      terminal.note('before'),
      terminal.command('::error::x\n'),
      terminal.note('::error::after'),
    ]);
    expect(stderr()).toBe('before\n::error::x\n: :error::after\n');
  });
});

describe('in a file that a step of a CI system writes', () => {
  const printed = async (env: Record<string, string>, ...line: string[]) => {
    const server = await serveWith((_request, response) => answer(response, { body: rows }));
    const folder = await temporaryFolder();
    const file = join(folder, 'out');
    const handle = await open(file, 'w');
    const child = spawn(process.execPath, [BINARY, 'snippets', 'list', '--fields', 'name,status', ...line], {
      env: { ...bareEnv(folder), ...serviceAt(server.url), ...env },
      stdio: ['ignore', handle.fd, 'ignore'],
    });
    expect((await once(child, 'exit'))[0]).toBe(0);
    await handle.close();
    return readFile(file, 'utf8');
  };

  test.each([[], ['-o', 'table'], ['-o', 'json'], ['-o', 'jsonl'], ['-o', 'yaml']])(
    'no row is a command, with the format %o %s',
    async (...format) => {
      for (const env of [{ TF_BUILD: 'True' }, { JENKINS_URL: 'http://j' }]) {
        const text = await printed(env, ...format);
        expect(text).toContain('set-output');
        expect(commandsIn(text)).toEqual([]);
      }
    },
  );

  test('a table has no command where no variable names a CI system', async () => {
    expect(commandsIn(await printed({}, '-o', 'table'))).toEqual([]);
  });

  test('JSON and YAML mean the same', async () => {
    const env = { TF_BUILD: 'True' };
    expect(JSON.parse(await printed(env, '-o', 'json'))).toEqual(rows);
    expect(parse(await printed(env, '-o', 'yaml'))).toEqual(rows);
  });

  test('selected formats for programs lose only what counts anywhere in a line', async () => {
    const text = await printed({ TF_BUILD: 'True' }, '-o', 'tsv');
    expect(text).toContain('::error::x\t');
    expect(text).not.toMatch(/##\w*\[|fold:start:|section_start:0/);
  });
});

test('a pipe to another program is not changed', async () => {
  const { terminal, stdout } = createTestTerminal({});
  for (const text of HOSTILE) await terminal.out(`${text}\n`);
  expect(stdout()).toBe(HOSTILE.map((text) => `${text}\n`).join(''));
});

test('no text at all holds a command afterwards, and one that held none is the same', () => {
  const part = fc.constantFrom(
    '::',
    ':',
    '##[',
    '#',
    '[',
    ']',
    'error',
    'vso[',
    'teamcity[',
    'section_start:',
    'fold:',
    'start:',
    '0:a',
    '[ATTACHMENT|',
    '---',
    '+',
    ' ',
    '\t',
    '\n',
    '\r',
    '\u2028',
    'x',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const text = parts.join('');
      expect(commandsIn(neutralizeCommands(text))).toEqual([]);
      const isPlain = !/:start:|start:0|\[\[|::|##|\[\[|\+\+|---|_start:\S|]]/.test(text);
      if (isPlain) expect(neutralizeCommands(text)).toBe(text);
    }),
  );
});
