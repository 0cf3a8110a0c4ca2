/** Draws live lines and spinners at the end of a terminal's output while work lasts. Short work draws and loads nothing. */
import type { Clock } from '../base/clock.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Canvas } from './cells.ts';
import type { OutputStream } from './channel.ts';
import type { Env, Styles } from './color.ts';
import type { LiveLine, Region } from './lazy/region.ts';
import type { layoutRows } from './lazy/table.ts';

export type { LiveLine };

/** The current window, on which lines are drawn. */
export interface LiveCanvas extends Canvas {
  /** The number of rows of the window. */
  readonly rows: number;
  /** The current frame of the spinner, one column wide. It changes every tenth of a second. */
  readonly spinnerFrame: string;
  readonly layoutRows: typeof layoutRows;
}

/** Returns the current lines. It is called ten times a second, so it must be cheap. */
export type Draw = (canvas: LiveCanvas) => readonly LiveLine[];

export interface Live {
  /** Clears the lines. Resolves when drawing has ended. It can be called several times. */
  stop(): Promise<void>;
}

export interface DrawnLive extends Live {
  /** Clears the lines during other output, and draws them again below it. */
  writeAbove<T>(write: () => Promise<T>): Promise<T>;
  /** Clears the lines at once and shows the cursor until `resume`, because the process ends or is suspended. */
  suspend(): void;
  resume(): void;
}

export interface LiveOptions {
  readonly stream: OutputStream;
  readonly env: Env;
  readonly clock: Clock;
  readonly styles: () => Promise<Styles>;
  /** Draws only the first line, with ora. */
  readonly isOneLine?: boolean;
}

/** Shorter work draws and loads nothing. Milliseconds. */
export const START_DELAY = 150;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** For the Linux console, whose font lacks the others. */
const PLAIN_FRAMES = ['|', '/', '-', '\\'];

/** Starts drawing on a terminal after a delay. */
export function startLive({ stream, env, clock, styles, isOneLine }: LiveOptions, draw: Draw): DrawnLive {
  const stopped = new AbortController();
  const frames = env.TERM === 'linux' ? PLAIN_FRAMES : FRAMES;
  let redraw = (_anew: boolean): void => {};
  let region: Region | undefined;
  let pendingWrites = 0;
  let isSuspended = false;

  const columns = (): number => stream.columns || 80;
  const loadRegion = async () =>
    isOneLine
      ? (await import('./lazy/spinner-line.ts')).openSpinnerLine
      : (await import('./lazy/region.ts')).openRegion;
  const load = async () => {
    await clock.sleep(START_DELAY, stopped.signal);
    const [open, { layoutRows }, { wide }, styled] = await Promise.all([
      loadRegion(),
      import('./lazy/table.ts'),
      import('./lazy/width.ts'),
      styles(),
    ]);
    if (stopped.signal.aborted) return;
    const newRegion = open((text) => void stream.write(text));
    region = newRegion;
    const startedAt = clock.monotonic();
    redraw = (force) => {
      if (pendingWrites > 0 || isSuspended) return;
      const rows = stream.rows || 24;
      const spinnerFrame =
        frames[Math.floor((clock.monotonic() - startedAt) / FRAME_MS) % frames.length] ?? '';
      // The last column stays free: a terminal wraps the line after a character there.
      const width = Math.max(1, columns() - 1);
      const lines = draw({ width, rows, spinnerFrame, layoutRows, measure: wide, styles: styled });
      newRegion.draw(lines.slice(0, Math.max(1, rows - 1)), force);
    };
    stream.on('resize', resized);
    for (;;) {
      redraw(false);
      await clock.sleep(FRAME_MS, stopped.signal);
    }
  };
  const resized = () => redraw(true);
  const drawing = load().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });

  return {
    async writeAbove(write) {
      pendingWrites += 1;
      region?.erase();
      try {
        return await write();
      } finally {
        pendingWrites -= 1;
        redraw(false);
      }
    },
    suspend() {
      isSuspended = true;
      region?.close();
    },
    resume() {
      isSuspended = false;
      redraw(true);
    },
    async stop() {
      stopped.abort();
      redraw = () => {};
      stream.off('resize', resized);
      region?.close();
      await drawing;
    },
  };
}

export interface Spinner extends Live {
  /** Replaces the text. */
  update(text: string): void;
}

/** Starts a spinner of one line, cut to the width of the window; `start` draws it. */
export function startSpinner(text: string, start: (draw: Draw) => Live): Spinner {
  let current = sanitizeLine(text);
  const live = start(({ width, spinnerFrame, measure, styles }) => [
    { mark: styles.cyan(spinnerFrame), text: measure.cut(current, width - 2) },
  ]);
  return {
    update(next) {
      current = sanitizeLine(next);
    },
    stop: live.stop,
  };
}

/** Starts a spinner of permanent lines. It prints the text after a delay, and again when the text changes. */
export function startPlainSpinner(
  text: string,
  note: (line: string) => Promise<void>,
  clock: Clock,
): Spinner {
  const stopped = new AbortController();
  let current = text;
  let isPrinted = false;
  const print = () => {
    isPrinted = true;
    void note(`${current}…`);
  };
  clock.sleep(START_DELAY, stopped.signal).then(print, () => {});
  return {
    update(next) {
      if (next === current) return;
      current = next;
      if (isPrinted && !stopped.signal.aborted) print();
    },
    async stop() {
      stopped.abort();
    },
  };
}
