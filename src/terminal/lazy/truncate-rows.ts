/** Wraps and truncates long messages for a terminal. Lazy-loaded for text longer than a row. */
import { wrapWords } from './wrap.ts';

/** The most rows of one message. JSON output is never truncated. */
const MAX_ROWS = 20;
const MAX_CHARACTERS = 4000;

export interface RowOptions {
  readonly columns: number;
  /** Precedes the first row of a line. */
  readonly indent: string;
  /** Precedes its other rows. */
  readonly hanging: string;
  /** Tells how to see all, after the number of omitted characters: `; --json shows all`. */
  readonly all: string;
}

/**
 * Returns the rows of lines, and how much was omitted. A line with a leading blank is meant for copying and is not
 * wrapped.
 */
export function truncateRows(
  lines: readonly string[],
  { columns, indent, hanging, all }: RowOptions,
): string[] {
  const rows: string[] = [];
  let shown = 0;
  for (const line of lines) {
    if (rows.length >= MAX_ROWS || shown >= MAX_CHARACTERS) break;
    const text = dropHalfCharacter(line.slice(0, MAX_CHARACTERS - shown));
    const wrapped = text.startsWith(' ') ? [text] : wrapWords(text, columns);
    const shownRows = wrapped.slice(0, MAX_ROWS - rows.length);
    // The blanks at line breaks count as shown.
    shown += shownRows.length === wrapped.length ? text.length : shownRows.join(' ').length;
    rows.push(...shownRows.map((row, index) => (index === 0 ? indent : hanging) + row));
  }
  const omitted = lines.reduce((sum, line) => sum + line.length, 0) - shown;
  return omitted > 0 ? [...rows, `${hanging}… (${omitted} more characters${all})`] : rows;
}

/** Removes half a surrogate pair at the end. */
const dropHalfCharacter = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');
