/** How tables keep within a width. */
import headless from '@xterm/headless';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type Column, render } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';
import { anyText } from '../support/texts.ts';

const ID = 'b8f1c1de-0000-4000-8000-000000000001';
const NAMES = [
  'Home page 🚀',
  '日本語のチェック、とても長い名前',
  '👩‍👩‍👧 🫠 café',
  'plain and rather long, with many words in it',
];
const rows = NAMES.map((name, index) => ({
  id: ID,
  name,
  status: index % 2 ? 'FAILED' : 'DEGRADED',
  type: 'PLAYWRIGHT',
  n: index * 1000,
}));
const columns: Column<(typeof rows)[number]>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'status', kind: 'status' },
  { key: 'type' },
  { key: 'n', kind: 'number', priority: 10 },
];

/** Without what only puts the cursor, or keeps the terminal from breaking a row. */
const drawn = (text: string): string => text.replaceAll(/.\[(?:\d+G|\?7[hl])/g, '');

async function table(width: number) {
  const test = createTestTerminal({ isTTY: true, columns: width, env: { NO_COLOR: '1' } });
  await render(test.terminal, { kind: 'list', data: rows, columns, output: { utc: false } });
  await test.terminal.flush();
  return { lines: drawn(test.stdout()).trimEnd().split('\n'), stderr: test.stderr() };
}

describe('a table', () => {
  it.each([20, 36, 40, 60, 72, 80, 100, 140, 200])('keeps within %d columns', async (width) => {
    for (const line of (await table(width)).lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it.each([60, 80, 140])('aligns emoji and wide characters at %d columns', async (width) => {
    const { lines } = await table(width);
    const starts = lines.slice(1).map((line) => stringWidth(line.slice(0, line.search(/FAILED|DEGRADED/))));
    expect(new Set(starts).size).toBe(1);
    expect(stringWidth(lines[0]?.slice(0, lines[0].indexOf('STATUS')) ?? '')).toBe(starts[0]);
  });

  it.each([36, 60, 80, 140])('never cuts an id at %d columns', async (width) => {
    for (const line of (await table(width)).lines.slice(1)) expect(line).toContain(ID);
  });

  it('cuts even an id where nothing else is left to give', async () => {
    expect((await table(20)).lines[1]).toBe(`${ID.slice(0, 19)}…`);
  });

  it('leaves out the least important column first and says which', async () => {
    const { lines, stderr } = await table(72);
    expect(lines[0]).toMatch(/^ID +NAME +STATUS +TYPE$/);
    expect(stderr).toBe('Hidden columns: n. Select columns with --fields, or see all with -o tsv.\n');
  });

  it('shows all in full, without a word, where there is room', async () => {
    const { lines, stderr } = await table(200);
    expect(lines.slice(1).every((line, index) => line.includes(NAMES[index] ?? '?'))).toBe(true);
    expect(stderr).toBe('');
  });

  it('aligns numbers to the right', async () => {
    const { lines } = await table(140);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it('follows a terminal that is resized', () => {
    const test = createTestTerminal({ isTTY: true, columns: 80 });
    test.resize(120);
    expect(test.terminal.width).toBe(120);
    test.resize(0);
    expect(test.terminal.width).toBe(80);
  });
});

describe('the view of one item', () => {
  it('wraps prose beside its label, keeps lines of a script, and never breaks an id', async () => {
    const test = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    const data = { checkId: ID, text: 'one two three four five six seven eight', script: 'a();\n  b();' };
    await render(test.terminal, { kind: 'item', data, output: { utc: false } });
    expect(test.stdout()).toBe(
      [
        `Check ID  ${ID}`,
        'Text      one two three four five six',
        '          seven eight',
        'Script    a();',
        '            b();',
        '',
      ].join('\n'),
    );
  });
});

/** The cells of a row of a terminal that measures some letters otherwise than we do. */
function cellsOf(emulator: headless.Terminal, row: number): string[] {
  const line = emulator.buffer.active.getLine(row);
  return Array.from({ length: line?.length ?? 0 }, (_, column) => line?.getCell(column)?.getChars() ?? '');
}
const placeOf = (cells: readonly string[], word: string): number =>
  cells.findIndex((_, column) => cells.slice(column, column + word.length).join('') === word);

describe('whatever it holds', () => {
  it('keeps within the window, and its columns begin where their heads do', async () => {
    const cells = fc.array(fc.tuple(anyText(), anyText()), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cells, fc.integer({ min: 60, max: 200 }), async (texts, width) => {
        const test = createTestTerminal({ isTTY: true, columns: width, env: { NO_COLOR: '1' } });
        await render(test.terminal, {
          kind: 'list',
          data: texts.map(([name, message]) => ({ name, message, state: 'FAILED', n: 12_345 })),
          columns: [
            { key: 'name', priority: 90 },
            { key: 'state', kind: 'status', priority: 90 },
            { key: 'message', lines: 4, priority: 90 },
            { key: 'n', kind: 'number', priority: 90 },
          ],
          output: { utc: false },
        });
        const lines = test.stdout().trimEnd().split('\n');
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/ $/);
        }
        const emulator = new headless.Terminal({ cols: width, rows: 40, allowProposedApi: true });
        await new Promise<void>((resolve) => emulator.write(lines.join('\r\n'), resolve));
        const head = placeOf(cellsOf(emulator, 0), 'STATE');
        const places = lines.map((_, row) => placeOf(cellsOf(emulator, row), 'FAILED'));
        expect(new Set(places.filter((place) => place >= 0))).toEqual(new Set([head]));
        expect(places.filter((place) => place >= 0)).toHaveLength(texts.length);
        emulator.dispose();
      }),
      { numRuns: 300 },
    );
  });
});

describe('a column that is broken into lines', () => {
  const message = 'expected the answer to hold a text that is rather long, and that goes on and on and on';
  const broken = async (lines: number, columns: number) => {
    const test = createTestTerminal({ isTTY: true, columns, env: { NO_COLOR: '1' } });
    await render(test.terminal, {
      kind: 'list',
      data: [
        { id: ID, message, n: 1 },
        { id: ID, message: '日本語の長いエラーメッセージは単語の間に空白がありません', n: 20 },
      ],
      columns: [
        { key: 'id', kind: 'id' },
        { key: 'message', lines },
        { key: 'n', kind: 'number' },
      ],
      output: { utc: false },
    });
    await test.terminal.flush();
    return {
      lines: test
        .stdout()
        .replaceAll(/.\[(?:\d+G|\?7[hl])/g, '')
        .split('\n'),
      stderr: test.stderr(),
    };
  };

  it('shows a long text whole where it may have as many lines', async () => {
    const { lines, stderr } = await broken(9, 70);
    expect(lines.slice(0, 6)).toEqual([
      'ID                                    MESSAGE                        N',
      `${ID}  expected the answer to hold    1`,
      '                                      a text that is rather long,',
      '                                      and that goes on and on and',
      '                                      on',
      `${ID}  日本語の長いエラーメッセージ  20`,
    ]);
    expect(stderr).toBe('');
  });

  it('ends with an ellipsis where it may not, and says how to see all', async () => {
    const { lines, stderr } = await broken(2, 70);
    expect(lines.slice(1, 3)).toEqual([
      `${ID}  expected the answer to hold    1`,
      '                                      a text that is rather long,…',
    ]);
    expect(stderr).toBe('Truncated columns: message. See all with -o tsv.\n');
  });
});
