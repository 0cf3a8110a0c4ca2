/** Draws a region of live lines at the end of a terminal's output. Lazy-loaded for the first drawing. */

/** One line of a region: a mark of one column that may be animated, and a text. */
export interface LiveLine {
  readonly mark: string;
  /** One line, fitted to the width; it may be styled. */
  readonly text: string;
}

export interface Region {
  /** Draws the lines in place of the previous ones. Writes nothing if they are unchanged, unless `force` is set. */
  draw(lines: readonly LiveLine[], force?: boolean): void;
  /** Clears the region, so that other output can take its place. */
  erase(): void;
  /** Clears the region and shows the cursor. */
  close(): void;
}

export const HIDE = '\x1b[?25l';
export const SHOW = '\x1b[?25h';
/** A terminal that renders a text wider than measured cuts it instead of wrapping it into an uncounted row. */
export const CUT = '\x1b[?7l';
export const WRAP = '\x1b[?7h';
export const REST_OF_LINE = '\x1b[K';
const ALL_BELOW = '\x1b[J';
/** Starts with a blank: from the very first cell, tmux would save the cleared screen in its history. */
export const ERASE = `\r ${ALL_BELOW}\r`;
/** Moves the cursor back to the first line. */
const home = (lines: number): string => (lines > 1 ? `\r\x1b[${lines - 1}A` : '\r');

/**
 * Opens a region. Between drawings the cursor is at its first cell: a resized terminal rewraps lines but moves the
 * cursor with them, so the whole region is always below the cursor.
 */
export function openRegion(write: (text: string) => void): Region {
  let isOpen = false;
  let shown: { readonly marks: readonly string[]; readonly texts: string } | undefined;
  return {
    draw(lines, anew = false) {
      const former = anew ? undefined : shown;
      const marks = lines.map(({ mark }) => mark);
      const texts = lines.map(({ text }) => text).join('\n');
      shown = { marks, texts };
      if (former?.texts === texts) {
        const turned = marks.map((mark, index) => (mark === former.marks[index] ? '' : mark));
        if (turned.some((mark) => mark !== '')) write(`\r${turned.join('\r\n')}${home(lines.length)}`);
        return;
      }
      const frame = lines.map(({ mark, text }) => `${REST_OF_LINE}${mark} ${text}`).join('\r\n');
      write(`${isOpen ? '' : HIDE}\r${CUT}${frame}${ALL_BELOW}${WRAP}${home(lines.length)}`);
      isOpen = true;
    },
    erase() {
      if (shown) write(ERASE);
      shown = undefined;
    },
    close() {
      if (isOpen) write(`${ERASE}${SHOW}`);
      isOpen = false;
      shown = undefined;
    },
  };
}
