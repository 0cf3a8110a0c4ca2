/** A spinner on stderr that costs nothing to work that is over in a moment. */
import type { Clock } from '../base/clock.ts';
import type { OutputStream } from './channel.ts';
import { sanitizeBlock } from './sanitize.ts';

export interface Spinner {
  /** Replaces the text; it may have several lines. */
  update(text: string): void;
  /** Clears the spinner. Resolves when nothing more will be drawn. May be called more than once. */
  stop(): Promise<void>;
}

/** For streams that nobody watches. */
export const inertSpinner: Spinner = { update: () => {}, stop: async () => {} };

/** Work that is over sooner shows no spinner, and never loads one. Milliseconds. */
const PATIENCE = 150;

/** Starts a spinner on a terminal; it is drawn once the work has lasted a moment. */
export function startSpinner(stream: OutputStream, text: string, color: boolean, clock: Clock): Spinner {
  const stopping = new AbortController();
  let current = sanitizeBlock(text);
  let show = (_text: string): void => {};
  let clear = (): void => {};

  const drawing = (async () => {
    await clock.sleep(PATIENCE, stopping.signal).catch(() => {});
    if (stopping.signal.aborted) return;
    const { drawSpinner } = await import('./lazy/spinner.ts');
    if (stopping.signal.aborted) return;
    const drawn = drawSpinner(stream, current, color);
    show = drawn.show;
    clear = drawn.clear;
  })();

  return {
    update(next) {
      current = sanitizeBlock(next);
      show(current);
    },
    async stop() {
      stopping.abort();
      clear();
      clear = () => {};
      await drawing;
    },
  };
}
