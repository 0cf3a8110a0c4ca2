/** Keeps what is said from flooding a terminal, loaded only for what is longer than a row. */
import { wrapWords } from './wrap.ts';

/** More than that nobody reads of one message; the program that reads JSON gets all. */
const MOST_ROWS = 20;
const MOST_CHARACTERS = 4000;

export interface Rows {
  readonly columns: number;
  /** Stands before the first row of a line. */
  readonly indent: string;
  /** Stands before its others. */
  readonly hanging: string;
  /** How all of it can be seen, after what says that something was left out: `; --json shows all`. */
  readonly all: string;
}

/** The rows of a text's lines, and how much more there was. A line that begins with a blank is there to be copied, and stays. */
export function shortened(lines: readonly string[], { columns, indent, hanging, all }: Rows): string[] {
  const rows: string[] = [];
  let shown = 0;
  for (const line of lines) {
    if (rows.length >= MOST_ROWS || shown >= MOST_CHARACTERS) break;
    const kept = whole(line.slice(0, MOST_CHARACTERS - shown));
    const broken = kept.startsWith(' ') ? [kept] : wrapWords(kept, columns);
    const taken = broken.slice(0, MOST_ROWS - rows.length);
    // Blanks at which it was broken count as shown, too.
    shown += taken.length === broken.length ? kept.length : taken.join(' ').length;
    rows.push(...taken.map((row, index) => (index === 0 ? indent : hanging) + row));
  }
  const left = lines.reduce((sum, line) => sum + line.length, 0) - shown;
  return left > 0 ? [...rows, `${hanging}… (${left} more characters${all})`] : rows;
}

/** Without half a character at its end. */
const whole = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');
