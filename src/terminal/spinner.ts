/** Shows progress on stderr in one live line, or in permanent lines. */
import type { Clock } from '../base/clock.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { type Draw, type Live, START_DELAY } from './live.ts';

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
