/** What is printed where the runner of GitHub Actions reads it: never a command, unless it is meant as one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neutralizeCommands } from '../../src/terminal/channel.ts';
import { render, toJson } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

/** The command that the runner would find in a line: at its beginning in the form of today, anywhere in the older one. */
function commandIn(line: string): string | undefined {
  const [, modern] = /^\s*::([^\s:]+)(?: .*?)?::/.exec(line) ?? [];
  const [, old] = /##\[([^\s\]]+)(?: [^\]]*)?\]/.exec(line) ?? [];
  return modern ?? old;
}
const commandsIn = (text: string): readonly string[] =>
  text.split(/\r\n|[\n\r]/).flatMap((line) => commandIn(line) ?? []);

const HOSTILE = [
  '::error::x',
  ' \t::add-mask::PASSED',
  '::set-output name=verdict::green',
  'a check ##[stop-commands]token',
  '##[set-output name=verdict]green',
  '###[error]x',
  'fine\n::error::x',
  'fine\r\n  ::error::x',
];
const inRunner = () => createTestTerminal({ env: { GITHUB_ACTIONS: 'true' } });
const rows = HOSTILE.map((name) => ({ name, status: 'FAILED' }));
const columns = [{ key: 'name' }, { key: 'status' }] as const;

test('the runner would find a command in each of these', () => {
  for (const text of HOSTILE) expect(commandsIn(text)).toHaveLength(1);
});

describe('in a step of GitHub Actions', () => {
  test('nothing that is said on stderr is a command', async () => {
    const { terminal, stderr } = inRunner();
    for (const text of HOSTILE) {
      await terminal.err(`${text}\n`);
      await terminal.note(text);
      await terminal.warn(text);
      await terminal.error(text);
    }
    expect(commandsIn(stderr())).toEqual([]);
    expect(stderr()).toContain(': :error::x\n');
  });

  test.each(['table', 'tsv', 'csv', 'yaml', 'json', 'jsonl'] as const)(
    'no row of %s is a command',
    async (format) => {
      const { terminal, stdout } = inRunner();
      await render(terminal, { kind: 'list', data: rows, columns, output: { format, utc: true } });
      expect(stdout()).toContain('set-output');
      expect(commandsIn(stdout())).toEqual([]);
    },
  );

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

test('elsewhere every text stays as it is', async () => {
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
      if (!/(?:^|[\n\r\u2028])\s*::|##\[/.test(text)) expect(neutralizeCommands(text)).toBe(text);
    }),
  );
});
