/** A spinner on stderr: one live line that says what goes on, or the same in lines that stay. */
import type { Clock } from '../base/clock.ts';
import { type Draw, type Live, PATIENCE } from './live.ts';
import { sanitizeLine } from './sanitize.ts';

export interface Spinner extends Live {
  /** Replaces the text. */
  update(text: string): void;
}

/** A spinner of one line, cut to the window; `start` draws it. */
export function startSpinner(text: string, start: (draw: Draw) => Live): Spinner {
  let current = sanitizeLine(text);
  const live = start(({ width, turning, measure, styles }) => [
    { mark: styles.cyan(turning), text: measure.cut(current, width - 2) },
  ]);
  return {
    update(next) {
      current = sanitizeLine(next);
    },
    stop: live.stop,
  };
}

/** The same as lines that stay: what goes on is said once it has lasted a moment, and again where it becomes something else. */
export function startLines(text: string, note: (line: string) => Promise<void>, clock: Clock): Spinner {
  const over = new AbortController();
  let current = text;
  let isSaid = false;
  const say = () => {
    isSaid = true;
    void note(`${current}…`);
  };
  clock.sleep(PATIENCE, over.signal).then(say, () => {});
  return {
    update(next) {
      if (next === current) return;
      current = next;
      if (isSaid && !over.signal.aborted) say();
    },
    async stop() {
      over.abort();
    },
  };
}
