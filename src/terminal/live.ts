/** Lines at the end of a terminal's output that move while work lasts, and cost nothing where it is over in a moment. */
import type { Clock } from '../base/clock.ts';
import type { OutputStream } from './channel.ts';
import type { Env, Styles } from './color.ts';
import type { LiveLine, Region } from './lazy/region.ts';
import type { Canvas } from './table.ts';

export type { LiveLine };

/** What lines are drawn on: the window as it is now. */
export interface LiveCanvas extends Canvas {
  /** Rows of the window. */
  readonly rows: number;
  /** The mark of what goes on, of one column: another each tenth of a second. */
  readonly turning: string;
}

/** What is to be seen now: asked ten times a second, so it must be cheap. */
export type Draw = (canvas: LiveCanvas) => readonly LiveLine[];

export interface Live {
  /** Clears the lines. Resolves when nothing more will be drawn. May be called more than once. */
  stop(): Promise<void>;
}

export interface DrawnLive extends Live {
  /** Clears the lines for as long as something else is written, and draws them below it. */
  aside<T>(write: () => Promise<T>): Promise<T>;
  /** Clears the lines at once and gives the cursor back, until `back`: the process ends or is suspended. */
  leave(): void;
  back(): void;
}

export interface LiveOptions {
  readonly stream: OutputStream;
  readonly env: Env;
  readonly clock: Clock;
  readonly styles: () => Promise<Styles>;
}

/** Work that is over sooner shows nothing, and loads nothing. Milliseconds. */
export const PATIENCE = 150;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** For the console of Linux, whose font has no others. */
const PLAIN_FRAMES = ['|', '/', '-', '\\'];

/** Starts drawing on a terminal, once the work has lasted a moment. */
export function startLive({ stream, env, clock, styles }: LiveOptions, draw: Draw): DrawnLive {
  const over = new AbortController();
  const frames = env.TERM === 'linux' ? PLAIN_FRAMES : FRAMES;
  let show = (_anew: boolean): void => {};
  let region: Region | undefined;
  let others = 0;
  let isAway = false;

  const load = async () => {
    await clock.sleep(PATIENCE, over.signal);
    const [{ openRegion }, { wide }, styled] = await Promise.all([
      import('./lazy/region.ts'),
      import('./lazy/width.ts'),
      styles(),
    ]);
    if (over.signal.aborted) return;
    const opened = openRegion((text) => void stream.write(text));
    region = opened;
    const began = clock.monotonic();
    show = (anew) => {
      if (others > 0 || isAway) return;
      const rows = stream.rows || 24;
      const turning = frames[Math.floor((clock.monotonic() - began) / FRAME_MS) % frames.length] ?? '';
      // The last column stays free: a terminal in whose last column something stands is about to break the line.
      const width = Math.max(1, (stream.columns || 80) - 1);
      const lines = draw({ width, rows, turning, measure: wide, styles: styled });
      opened.draw(lines.slice(0, Math.max(1, rows - 1)), anew);
    };
    stream.on('resize', resized);
    for (;;) {
      show(false);
      await clock.sleep(FRAME_MS, over.signal);
    }
  };
  const resized = () => show(true);
  const drawing = load().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });

  return {
    async aside(write) {
      others += 1;
      region?.erase();
      try {
        return await write();
      } finally {
        others -= 1;
        show(false);
      }
    },
    leave() {
      isAway = true;
      region?.close();
    },
    back() {
      isAway = false;
      show(true);
    },
    async stop() {
      over.abort();
      show = () => {};
      stream.off('resize', resized);
      region?.close();
      await drawing;
    },
  };
}
