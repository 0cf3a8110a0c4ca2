/** A window of a real terminal, tmux, for tests of what a screen shows: also after the window was resized. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { BINARY } from './binary.ts';
import { eventually } from './eventually.ts';
import { needs } from './needs.ts';

const run = promisify(execFile);

export const needsTmux = needs('tmux');

/** Each look is a process of its own, which costs much more than the wait. */
const LOOK_MS = 100;

/** Passes once nothing runs of the session that this process leads. */
async function expectGone(leader: string): Promise<void> {
  const { stdout } = await run('ps', ['-s', leader, '-o', 'args=']).catch(() => ({ stdout: '' }));
  expect(stdout).toBe('');
}

export interface Window {
  /** The rows of the screen, without blanks at their ends and without empty rows at its end. */
  screen(): Promise<readonly string[]>;
  /** The same with its colours. */
  colours(): Promise<string>;
  isCursorShown(): Promise<boolean>;
  resize(columns: number, rows?: number): Promise<void>;
  /** Presses keys, in tmux's names: `C-c`, `Enter`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits until the screen is as it should be. Gives it. */
  shows(isRight: (screen: readonly string[]) => boolean): Promise<readonly string[]>;
}

export interface WindowOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Instead of bash without its files. */
  readonly shell?: readonly string[];
}

const BASH = ['bash', '--noprofile', '--norc', '-i'];

/** Opens a window with an interactive shell in which `sonde` is the binary. It is closed with its test. */
export async function openWindow({
  env,
  columns = 80,
  rows = 24,
  shell = BASH,
}: WindowOptions): Promise<Window> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-tmux-'));
  const tmux = async (...args: readonly string[]): Promise<string> => {
    // tmux itself is to know nothing of the session that the tests may run in.
    const options = { env: { PATH: env.PATH, HOME: folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' } };
    return (await run('tmux', ['-S', join(folder, 'socket'), '-u', '-f', '/dev/null', ...args], options))
      .stdout;
  };
  onTestFinished(async () => {
    const shell = await tmux('display-message', '-p', '#{pane_pid}').catch(() => '');
    await tmux('kill-server').catch(() => {});
    // What was hung up may write a last word into its home, which goes next.
    if (shell.trim() !== '') await eventually(() => expectGone(shell.trim()), LOOK_MS);
    await rm(folder, { recursive: true, force: true });
  });
  const variables = {
    TERM: 'tmux-256color',
    PS1: '$ ',
    ...env,
    'BASH_FUNC_sonde%%': `() { "${process.execPath}" "${BINARY}" "$@"\n}`,
  };
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', ...size, 'env', '-i', ...assigned, ...shell);
  await tmux('set', '-g', 'status', 'off', ';', 'resize-window', ...size);

  const screen = async () => (await tmux('capture-pane', '-p')).trimEnd().split('\n');
  return {
    screen,
    colours: () => tmux('capture-pane', '-p', '-e'),
    isCursorShown: async () => (await tmux('display-message', '-p', '#{cursor_flag}')).trim() === '1',
    async resize(toColumns, toRows = rows) {
      await tmux('resize-window', '-x', String(toColumns), '-y', String(toRows));
    },
    async press(...keys) {
      await tmux('send-keys', ...keys);
    },
    async shows(isRight) {
      let seen: readonly string[] = [];
      const look = async () => {
        seen = await screen();
        // What it shows instead is what one wants to read where it stays so.
        return isRight(seen) ? 'as it should be' : seen.join('\n');
      };
      await eventually(async () => expect(await look()).toBe('as it should be'), LOOK_MS);
      return seen;
    },
  };
}
