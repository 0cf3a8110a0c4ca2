/** What is written to keep lines that move at the end of a terminal's output, loaded only where they are drawn. */

/** One line of a region: a mark of one column that may turn, and what stands beside it. */
export interface LiveLine {
  readonly mark: string;
  /** One line, fitted to the width; it may be styled. */
  readonly text: string;
}

export interface Region {
  /** Draws the lines in place of the former ones; writes nothing where they are the same and `anew` is not given. */
  draw(lines: readonly LiveLine[], anew?: boolean): void;
  /** Clears it: what is written next stands in its place. */
  erase(): void;
  /** Clears it and gives the cursor back. */
  close(): void;
}

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
/** Where the terminal finds a text wider than we do it cuts it, instead of breaking it into a row that nobody counted. */
const CUT = '\x1b[?7l';
const WRAP = '\x1b[?7h';
const REST_OF_LINE = '\x1b[K';
const ALL_BELOW = '\x1b[J';
/** A blank first: from the very first cell tmux takes this for a screen that is to be kept in its history. */
const ERASE = `\r ${ALL_BELOW}\r`;
/** Back to the first line. */
const home = (lines: number): string => (lines > 1 ? `\r\x1b[${lines - 1}A` : '\r');

/**
 * Opens a region. Between two drawings the cursor rests at its first cell: when the window is resized the terminal breaks
 * lines as it likes, but carries the cursor along, so that all there is of the region is always what stands below.
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
