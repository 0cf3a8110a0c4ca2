/**
 * Draws one live line with ora, whose frames the caller turns: `start` of ora would use its own timer, replace
 * `process.stdout.write` and hide the cursor with handlers for signals. `region.ts` draws several lines, which ora
 * does not. Lazy-loaded for the first drawing.
 */
import ora from 'ora';
import { CUT, ERASE, HIDE, REST_OF_LINE, type Region, SHOW, WRAP } from './region.ts';

/** Opens a region of one line. */
export function openSpinnerLine(write: (text: string) => void): Region {
  const stream = {
    isTTY: true,
    // The line never wraps, so ora must count one line, however narrow the window is.
    columns: Number.MAX_SAFE_INTEGER,
    write,
    cursorTo: () => write('\r'),
    moveCursor: () => {},
    clearLine: () => write(REST_OF_LINE),
  };
  const spinner = ora({
    stream: stream as unknown as NodeJS.WriteStream,
    isEnabled: true,
    color: false,
    discardStdin: false,
    hideCursor: false,
  });
  let isOpen = false;
  let isShown = false;
  return {
    draw([line]) {
      if (line === undefined) return;
      if (!isOpen) write(HIDE);
      isOpen = true;
      isShown = true;
      spinner.spinner = { frames: [CUT + line.mark] };
      // The cursor returns to the first cell, with which a resized terminal moves it.
      spinner.text = `${line.text}${WRAP}\r`;
      spinner.render();
    },
    erase() {
      if (isShown) write(ERASE);
      isShown = false;
    },
    close() {
      if (isOpen) write(`${ERASE}${SHOW}`);
      isOpen = false;
      isShown = false;
    },
  };
}
