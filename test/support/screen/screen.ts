/** Runs the binary in a real terminal, with a terminal emulator at its other end: what a person sees, cell by cell. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';
import { BINARY, bareEnv, type Env } from '../binary.ts';
import { rowText } from './tags.ts';

/** The instant that every screen is taken at. */
export const NOW = Date.parse('2026-11-21T12:00:00Z');

export interface ScreenOptions {
  readonly env?: Env;
  readonly columns?: number;
  readonly rows?: number;
  /** False sets NO_COLOR. */
  readonly colour?: boolean;
  /** Keys to press once the screen shows a text, in turn. */
  readonly keys?: readonly (readonly [shown: string, keys: string])[];
  /** Takes the screen once it shows this text, and ends the command; by default the screen is taken at its end. */
  readonly until?: string;
  /** The user's home: an empty one of its own where left out. */
  readonly home?: string;
}

export interface Screen {
  /** The rows without styles, and without empty ones at their end. */
  readonly rows: readonly string[];
  /** The same with their styles in words. */
  readonly styled: readonly string[];
  /** Null where the command was ended. */
  readonly code: number | null;
  /** What the command made of the window's title, if it did. */
  readonly title: string | undefined;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly isAlternate: boolean;
  /** Everything that was written, its sequences and all. */
  readonly written: string;
  /** What else a command may do to the one who looks: rings, texts for the clipboard, links. */
  readonly done: readonly ('bell' | 'clipboard' | 'link')[];
}

/** The number of a sequence that no program writes. */
const ENDED = 7770;
/**
 * Holds the terminal open after the command, whose end it tells within what was written: what is still on its way when the last
 * process ends would be lost on a busy machine.
 */
const HELD = `"$@"; printf '\\033]${ENDED};%s\\007' "$?"; read -r`;

async function emptyHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'sonde-screen-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** Runs `sonde` with these arguments and gives the screen. Its clock stands at `NOW`, its time zone is UTC. */
export async function screenOf(args: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
  const { columns = 80, rows = 60, colour = true, keys = [], until, env = {} } = options;
  const home = options.home ?? (await emptyHome());
  const emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  let title: string | undefined;
  emulator.onTitleChange((text) => {
    title = text;
  });
  const done: ('bell' | 'clipboard' | 'link')[] = [];
  emulator.onBell(() => done.push('bell'));
  for (const [number, what] of [
    [8, 'link'],
    [52, 'clipboard'],
  ] as const)
    emulator.parser.registerOscHandler(number, () => {
      done.push(what);
      return true;
    });
  const process_ = spawn('bash', ['-c', HELD, 'sonde', process.execPath, BINARY, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: home,
    env: bareEnv(home, {
      TERM: 'xterm-256color',
      TZ: 'UTC',
      SONDE_TEST_NOW: String(NOW),
      NODE_OPTIONS: `--require ${join(import.meta.dirname, 'still.cjs')}`,
      ...(colour ? {} : { NO_COLOR: '1' }),
      ...env,
    }),
  });
  const read = (styled: boolean): readonly string[] => {
    const { active } = emulator.buffer;
    const all = Array.from({ length: active.length }, (_, index) => {
      const line = active.getLine(index);
      return line ? rowText(line, styled) : '';
    });
    return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
  };
  let pressed = 0;
  let written = Promise.resolve();
  let all = '';
  const code = await new Promise<number | null>((resolve) => {
    let over = false;
    const look = (): void => {
      const shown = read(false).join('\n');
      const [text, press] = keys[pressed] ?? [];
      if (text !== undefined && press !== undefined) {
        if (!shown.includes(text)) return;
        pressed += 1;
        process_.write(press);
      } else if (until !== undefined && !over && shown.includes(until)) {
        over = true;
        resolve(null);
      }
    };
    // What the emulator answers (where the cursor is, which terminal it is) a program may have asked for.
    emulator.onData((answer) => process_.write(answer));
    process_.onData((data) => {
      all += data;
      written = new Promise((done) => {
        emulator.write(data, () => {
          look();
          done();
        });
      });
    });
    emulator.parser.registerOscHandler(ENDED, (data) => {
      resolve(Number(data));
      return true;
    });
    process_.onExit(({ exitCode }) => resolve(exitCode));
  });
  process_.kill('SIGKILL');
  await written;
  const { active } = emulator.buffer;
  const screen = {
    rows: read(false),
    styled: read(true),
    code,
    title,
    cursor: { x: active.cursorX, y: active.baseY + active.cursorY },
    isAlternate: active.type === 'alternate',
    written: all.slice(0, all.includes(`\x1b]${ENDED};`) ? all.indexOf(`\x1b]${ENDED};`) : undefined),
    done,
  };
  emulator.dispose();
  expect(pressed, `not every key was pressed; the screen:\n${screen.rows.join('\n')}`).toBe(keys.length);
  return screen;
}
