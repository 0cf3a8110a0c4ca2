/** A spinner on stderr: one live line that says what goes on. */
import type { Draw, Live } from './live.ts';
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
