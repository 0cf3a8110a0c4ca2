/** A terminal whose streams are buffers, for tests of everything that talks to a person. */
import { PassThrough, Writable } from 'node:stream';
import type { Clock } from '../../src/base/clock.ts';
import { createTerminal, type Env, type Terminal, type TerminalFlags } from '../../src/terminal/index.ts';

export interface TestTerminalOptions {
  /** All three streams at once, or each by itself. Default: none is a terminal. */
  readonly isTTY?: boolean | { stdin?: boolean; stdout?: boolean; stderr?: boolean };
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Env;
  readonly flags?: TerminalFlags;
  /** What stdin holds; it ends after it unless stdin is a terminal. */
  readonly input?: string;
  readonly clock?: Clock;
  readonly onLeave?: (leave: () => void, back: () => void) => void;
}

export interface TestTerminal {
  readonly terminal: Terminal;
  /** What was written to stdout so far. */
  stdout(): string;
  stderr(): string;
  /** Types keys. */
  type(keys: string | Buffer): void;
  /** Resolves once stderr holds the text. */
  saw(text: string): Promise<void>;
  resize(columns: number, rows?: number): void;
}

class Screen extends Writable {
  text = '';
  isTTY: boolean;
  columns: number;
  rows: number;
  waiting: { text: string; resolve: () => void }[] = [];

  constructor(isTTY: boolean, columns: number, rows: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    this.waiting = this.waiting.filter(({ text, resolve }) => {
      if (this.text.includes(text)) resolve();
      return !this.text.includes(text);
    });
    done();
  }

  /** A process's own streams cannot be ended: a prompt that pipes into one leaves it open. */
  override end(): this {
    return this;
  }

  saw(text: string): Promise<void> {
    if (this.text.includes(text)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ text, resolve }));
  }

  cursorTo(): boolean {
    return true;
  }

  clearLine(): boolean {
    return true;
  }

  moveCursor(): boolean {
    return true;
  }
}

/** Builds a terminal over buffers; see TestTerminal. */
export function createTestTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const { isTTY = false, columns = 80, rows = 24, env = {}, flags = {}, input, clock, onLeave } = options;
  const tty = typeof isTTY === 'boolean' ? { stdin: isTTY, stdout: isTTY, stderr: isTTY } : isTTY;
  const stdin = Object.assign(new PassThrough(), { isTTY: tty.stdin === true, setRawMode: () => stdin });
  if (input !== undefined) stdin.write(input);
  if (!tty.stdin) stdin.end();
  const stdout = new Screen(tty.stdout === true, columns, rows);
  const stderr = new Screen(tty.stderr === true, columns, rows);
  const terminal = createTerminal({
    ...{ stdin, stdout, stderr, env, flags },
    ...(clock ? { clock } : {}),
    ...(onLeave ? { onSuspend: onLeave } : {}),
  });
  return {
    terminal,
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    type: (keys) => stdin.write(keys),
    saw: (text) => stderr.saw(text),
    resize(next, nextRows = rows) {
      for (const screen of [stdout, stderr]) {
        Object.assign(screen, { columns: next, rows: nextRows });
        screen.emit('resize');
      }
    },
  };
}
