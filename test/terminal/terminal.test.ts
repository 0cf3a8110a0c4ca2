/** The streams: what is said where, and what happens when they end or fail. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Env, TerminalFlags } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

const run = promisify(execFile);
let folder: string;
let program: string;

/** A program that writes lines for ever or `count` times, then tells on stderr how it ended. */
const PROGRAM = `
import { createTerminal } from './src/terminal/index.ts';
async function main() {
  const { stdin, stdout, stderr, env, argv } = process;
  const terminal = createTerminal({ stdin, stdout, stderr, env });
  const count = Number(argv[2]);
  let written = 0;
  try {
    for (; written < count && !terminal.readerGone; written += 1) await terminal.out('x'.repeat(9999) + '\\n');
    if (terminal.readerGone) {
      await terminal.whenReaderGone;
      await terminal.out('dropped');
    }
    await terminal.note(terminal.readerGone ? 'reader gone' : 'all written');
  } catch (error) {
    await terminal.error(error.message);
    process.exitCode = error.exitCode;
  }
  await terminal.close();
}
main();
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-terminal-'));
  program = join(folder, 'program.cjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['jq-wasm'],
    outfile: program,
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('close', (code) => resolve(code)));

describe('stdout', () => {
  it('ends quietly with 0 when its reader goes away', async () => {
    const { stdout, stderr } = await run('bash', [
      '-c',
      `"$0" "$1" Infinity | head -c 5 >/dev/null; echo "\${PIPESTATUS[0]}"`,
      process.execPath,
      program,
    ]);
    expect([stdout, stderr]).toEqual(['0\n', 'reader gone\n']);
  });

  it('ends quietly also where the reader closes a socket', async () => {
    const child = spawn(process.execPath, [program, 'Infinity'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = exitOf(child);
    const said = text(child.stderr);
    child.stdout.once('data', () => child.stdout.destroy());
    expect([await ended, await said]).toEqual([0, 'reader gone\n']);
  });

  it('waits for a slow reader and loses nothing', async () => {
    const { stdout } = await run('bash', [
      '-c',
      '"$0" "$1" 500 | (sleep 0.3; wc -c)',
      process.execPath,
      program,
    ]);
    expect(Number(stdout)).toBe(5_000_000);
  });

  it.runIf(existsSync('/dev/full'))('fails with 74 on a full device', async () => {
    const child = spawn('bash', ['-c', 'exec "$0" "$1" 3 >/dev/full', process.execPath, program], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = exitOf(child);
    const said = text(child.stderr);
    expect(await ended).toBe(74);
    expect(await said).toBe('Error: could not write to stdout: no space is left on the device (ENOSPC)\n');
  });

  it('fails with 74 where only half of a file fits, instead of cutting it without a word', async () => {
    const file = join(folder, 'half');
    const child = spawn(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f 16; exec "$0" "$1" 2 >"$2"`, process.execPath, program, file],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = exitOf(child);
    const said = text(child.stderr);
    expect(await ended).toBe(74);
    expect(await said).toContain('file too large (EFBIG)');
    expect((await stat(file)).size).toBe(16 * 1024);
  });

  it('does not mind a stderr that is closed', async () => {
    const { stdout } = await run('bash', [
      '-c',
      `"$0" "$1" 1 2> >(exec true) | wc -c; echo "\${PIPESTATUS[0]}"`,
      process.execPath,
      program,
    ]);
    expect(stdout.trim().split(/\s+/)).toEqual(['10000', '0']);
  });
});

describe('what a person is told', () => {
  it('goes to stderr, in order, sanitised, and to stdout not at all', async () => {
    const test = createTestTerminal({ isTTY: { stderr: true } });
    void test.terminal.warn('first\x1b[2J');
    void test.terminal.note('second\x07');
    void test.terminal.err('third\n');
    void test.terminal.error('fourth');
    await test.terminal.flush();
    expect(test.stderr()).toBe(
      '\x1b[1m\x1b[33mWarning:\x1b[39m\x1b[22m first\nsecond\nthird\n\x1b[1m\x1b[31mError:\x1b[39m\x1b[22m fourth\n',
    );
    expect(test.stdout()).toBe('');
  });

  it('leaves out notes with --quiet, never warnings and errors', async () => {
    const test = createTestTerminal({ flags: { quiet: true } });
    await test.terminal.note('note');
    await test.terminal.warn('warning');
    await test.terminal.error('error');
    expect(test.stderr()).toBe('Warning: warning\nError: error\n');
  });
});

describe('asking', () => {
  const cases: readonly [Env, TerminalFlags, object | boolean, boolean][] = [
    [{}, {}, true, true],
    [{}, {}, { stdin: true, stderr: true }, true],
    [{}, {}, { stdin: true, stdout: true }, false],
    [{}, {}, { stdout: true, stderr: true }, false],
    [{}, { input: false }, true, false],
    [{ CI: 'true' }, {}, true, false],
    [{ CI: '1' }, {}, true, false],
    [{ CI: 'false' }, {}, true, true],
    [{ CI: '' }, {}, true, true],
  ];
  it.each(cases)('with %j, %j and terminals %j is possible: %s', (env, flags, isTTY, expected) => {
    expect(createTestTerminal({ env, flags, isTTY }).terminal.canAsk).toBe(expected);
  });
});

describe('what is said on stderr', () => {
  const LONG =
    'Hidden columns: session status, elapsed. Select columns with --fields, or see all with -o tsv.';

  it('is broken between words in a terminal', async () => {
    const { terminal, stderr } = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    await terminal.note(LONG);
    await terminal.warn(LONG);
    const lines = stderr().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
    expect(lines.filter((line) => line.startsWith(' ')).every((line) => /^ {9}\S/.test(line))).toBe(true);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`${LONG} Warning: ${LONG}`);
  });

  it('keeps an indented line whole: it is there to be copied', async () => {
    const { terminal, stderr } = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    const line = `  sonde sessions wait ${'a'.repeat(36)} --timeout 10m`;
    await terminal.note(`To repeat this without prompts, run:\n${line}`);
    expect(stderr().split('\n')).toContain(line);
  });

  it('is styled after it was broken, so that a line to copy is known as one', async () => {
    const { terminal, stderr } = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    const line = `  sonde sessions wait ${'a'.repeat(36)}`;
    await terminal.lines(`${LONG}\n${line}`, (text) => text.toUpperCase());
    const lines = stderr().trimEnd().split('\n');
    expect(lines.pop()).toBe(line.toUpperCase());
    expect(lines.filter((each) => each.length > 40)).toEqual([]);
    expect(lines.join(' ')).toBe(LONG.toUpperCase());
  });

  it('keeps an indentation on every row', async () => {
    const { terminal, stderr } = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    await terminal.lines(LONG, undefined, '  ');
    const lines = stderr().trimEnd().split('\n');
    expect(lines.filter((each) => each.length > 40 || !/^ {2}\S/.test(each))).toEqual([]);
    expect(lines.map((each) => each.trim()).join(' ')).toBe(LONG);
  });

  it('has the rows of a long line stand further in, where that is wanted', async () => {
    const { terminal, stderr } = createTestTerminal({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    await terminal.lines(`${LONG}\n${LONG}`, undefined, '  ', '    ');
    const lines = stderr().trimEnd().split('\n');
    expect(lines.filter((line) => /^ {2}\S/.test(line))).toHaveLength(2);
    expect(lines.filter((line) => line.length <= 40 && /^ {2}(?: {2})?\S/.test(line))).toEqual(lines);
  });

  it.each([
    ['rows', Array.from({ length: 10_000 }, (_, index) => `row ${index}`).join('\n')],
    ['words', 'word '.repeat(200_000)],
    ['one word', 'x'.repeat(1_000_000)],
    ['wide letters', '漢'.repeat(1_000_000)],
  ])('does not flood a terminal with %s, and does a pipe', async (_what, text) => {
    const { terminal, stderr } = createTestTerminal({
      isTTY: true,
      columns: 80,
      rows: 1000,
      env: { NO_COLOR: '1' },
    });
    await terminal.note(text);
    await terminal.warn(text);
    await terminal.lines(text);
    expect(stderr().length).toBeLessThan(3 * 4100);
    expect(stderr().split('\n').length).toBeLessThanOrEqual(3 * 21 + 1);
    expect(stderr().match(/… \(\d+ more characters\)$/gm)).toHaveLength(3);
    const piped = createTestTerminal();
    await piped.terminal.note(text);
    expect(piped.stderr()).toBe(`${text}\n`);
  });

  it('is left in one line for programs', async () => {
    const { terminal, stderr } = createTestTerminal({ columns: 40 });
    await terminal.note(LONG);
    expect(stderr()).toBe(`${LONG}\n`);
  });
});
