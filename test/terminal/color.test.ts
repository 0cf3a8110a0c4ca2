/** Which stream gets colour. */
import { expect, it } from 'vitest';
import { type Env, wantsColor } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

const MATRIX: readonly [env: Env, inTerminal: boolean, inPipe: boolean][] = [
  [{}, true, false],
  [{ TERM: 'xterm-256color' }, true, false],
  [{ TERM: 'dumb' }, false, false],
  [{ NO_COLOR: '1' }, false, false],
  [{ NO_COLOR: '0' }, false, false],
  [{ NO_COLOR: '' }, true, false],
  [{ FORCE_COLOR: '1' }, true, true],
  [{ FORCE_COLOR: '' }, true, false],
  [{ NO_COLOR: '', FORCE_COLOR: '' }, true, false],
  [{ FORCE_COLOR: 'true' }, true, true],
  [{ FORCE_COLOR: '3' }, true, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ FORCE_COLOR: 'false' }, false, false],
  [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
  [{ CLICOLOR_FORCE: '1' }, true, true],
  [{ CLICOLOR_FORCE: '0' }, true, false],
  [{ CLICOLOR_FORCE: '1', NO_COLOR: '1' }, false, false],
  [{ CLICOLOR: '0' }, false, false],
  [{ CLICOLOR: '0', CLICOLOR_FORCE: '1' }, true, true],
];

it.each(MATRIX)('with %j colours a terminal: %s, a pipe: %s', (env, inTerminal, inPipe) => {
  expect(wantsColor(true, env, undefined)).toBe(inTerminal);
  expect(wantsColor(false, env, undefined)).toBe(inPipe);
  expect(wantsColor(true, env, false)).toBe(false);
});

it('decides for each stream by itself', async () => {
  const { terminal } = createTestTerminal({ isTTY: { stderr: true } });
  expect(terminal.color).toEqual({ stdout: false, stderr: true });
  expect((await terminal.styles('stdout')).red('x')).toBe('x');
  expect((await terminal.styles('stderr')).red('x')).toBe('\x1b[31mx\x1b[39m');
});
