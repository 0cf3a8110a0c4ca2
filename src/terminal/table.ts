/** Lays out tables for a person: no box, no rules, fitted to the width. */
import type { Styles } from './color.ts';
import type { ColumnKind } from './columns.ts';
import { fold } from './fold.ts';
import { isNarrow, type Measure } from './measure.ts';
import { type Painted, paintCell } from './tone.ts';

export interface TableColumn {
  readonly heading: string;
  readonly kind: ColumnKind | undefined;
  readonly align: 'left' | 'right';
  readonly priority: number;
  readonly minWidth: number;
  /** A text that finds no room is broken into so many lines at most, instead of being cut. */
  readonly lines?: number | undefined;
}

export interface Cell extends Painted {
  readonly text: string;
}

export interface Canvas {
  /** Columns to stay within; Infinity where nothing may be cut. */
  readonly width: number;
  readonly measure: Measure;
  readonly styles: Styles;
  /**
   * The window's column that lines begin at, counted from 0, where they are drawn on it: what follows a text that
   * terminals find now wider, now narrower is then put in its place.
   */
  readonly from?: number;
}

export interface Table {
  readonly lines: readonly string[];
  /** The headings that found no room. */
  readonly hidden: readonly string[];
  /** The headings of columns that were broken into lines, and yet found no room for all of it. */
  readonly shortened: readonly string[];
}

export const GAP = '  ';

/** Only prose may be shortened: half a number, time or state would be a wrong one. */
export const isProse = (kind: ColumnKind | undefined): boolean =>
  kind === undefined || kind === 'text' || kind === 'list';

/** A table; columns shrink as far as they may, then the least important are left out, and an id is cut last of all. */
export function layoutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): Table {
  const heads = columns.map((column) => ({ text: column.heading.toUpperCase() }));
  const { line, hidden, shortened } = layOut(columns, [heads, ...rows], canvas);
  const head = line(heads, (text) => canvas.styles.bold(text));
  const body = rows.flatMap((row) =>
    canvas.from === undefined || row.every(({ text }) => isNarrow(text))
      ? line(row)
      : line(row).map((each) => CUT + each + WRAP),
  );
  return { lines: [...head, ...body], hidden, shortened: [...shortened] };
}

/** Where the terminal finds a text wider than we do it cuts it, instead of breaking the row. */
const CUT = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** The rows of a table without its head, a line each. */
export function layoutRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): readonly string[] {
  const { line } = layOut(columns, rows, canvas);
  return rows.flatMap((row) => line(row));
}

type Style = (text: string, cell: Cell) => string;

interface Fitted {
  /** A row: one line, or several where a column is broken into them. */
  readonly line: (cells: readonly Cell[], style?: Style) => readonly string[];
  readonly hidden: readonly string[];
  /** Grows with the rows that were laid out. */
  readonly shortened: ReadonlySet<string>;
}

function layOut(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  { width: limit, measure, styles, from }: Canvas,
): Fitted {
  const natural = columns.map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, measure.width(row[index]?.text ?? '')), 0),
  );
  const words = columns.map((column, index) =>
    column.lines === undefined || limit === Number.POSITIVE_INFINITY
      ? 0
      : longestWord(
          rows.flatMap((row) => row[index]?.text ?? []),
          measure,
        ),
  );
  const widths = fitted(columns, natural, words, limit);
  const shown = [...widths.keys()].sort((a, b) => a - b);
  const shortened = new Set<string>();
  const startOf = (position: number): number =>
    shown.slice(0, position).reduce((sum, index) => sum + (widths.get(index) ?? 0) + GAP.length, 0);

  /** The texts of a cell, a line each. */
  const linesOf = ({ text }: Cell, index: number): readonly string[] => {
    const width = widths.get(index) ?? 0;
    const most = columns[index]?.lines ?? 1;
    if (most === 1 || measure.width(text) <= width) return [measure.cut(text, width)];
    const lines = fold(text, width, { ...measure, breaksAll: true });
    if (lines.length <= most) return lines;
    shortened.add(columns[index]?.heading ?? '');
    return [...lines.slice(0, most - 1), cutShort(lines[most - 1] ?? '', width, measure)];
  };
  const drawn = (texts: readonly string[], cells: readonly Cell[], style: Style): string => {
    let line = '';
    // Written only once something follows: a line ends with its last letter.
    let blanks = '';
    let isPlaced = true;
    for (const [position, index] of shown.entries()) {
      const text = texts[index] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths.get(index) ?? 0) - measure.width(text)));
      if (position > 0) {
        blanks += isPlaced || from === undefined ? GAP : `${GAP}\x1b[${startOf(position) + from + 1}G`;
      }
      if (text === '') {
        blanks += padding;
        continue;
      }
      const styled = style(text, cells[index] ?? NONE);
      const isRight = columns[index]?.align === 'right';
      line += blanks + (isRight ? padding : '') + styled;
      blanks = isRight ? '' : padding;
      isPlaced &&= isNarrow(text);
    }
    return line;
  };
  return {
    line: (cells, style = (text, cell) => paintCell(text, cell, styles)) => {
      const texts = columns.map((_, index) =>
        widths.has(index) ? linesOf(cells[index] ?? NONE, index) : [],
      );
      const height = Math.max(1, ...texts.map((lines) => lines.length));
      return Array.from({ length: height }, (_, row) =>
        drawn(
          texts.map((lines) => lines[row] ?? ''),
          cells,
          style,
        ),
      );
    },
    hidden: columns.filter((_, index) => !widths.has(index)).map((column) => column.heading),
    shortened,
  };
}

const longestWord = (texts: readonly string[], { width }: Measure): number =>
  texts.reduce(
    (most, text) => text.split(' ').reduce((longest, word) => Math.max(longest, width(word)), most),
    0,
  );

const NONE: Cell = { text: '' };

/** The text with an ellipsis, though it may have found room itself: more follows it. */
const cutShort = (text: string, width: number, measure: Measure): string =>
  measure.width(text) < width ? `${text}…` : measure.cut(`${text}…`, width);

/**
 * The widths of the columns that are shown, by index. `words`: the longest word of each column that is broken into lines;
 * it stays whole while another column has something to give.
 */
function fitted(
  columns: readonly TableColumn[],
  natural: readonly number[],
  words: readonly number[],
  limit: number,
): Map<number, number> {
  const widths = new Map(natural.map((width, index) => [index, width]));
  const least = (index: number): number => {
    const column = columns[index];
    const full = natural[index] ?? 0;
    return column && isProse(column.kind) ? Math.min(full, column.minWidth) : full;
  };
  const total = (width: (index: number) => number): number =>
    [...widths.keys()].reduce((sum, index) => sum + width(index), GAP.length * (widths.size - 1));

  const leastWanted = (worst: number, index: number): number =>
    (columns[index]?.priority ?? 0) <= (columns[worst]?.priority ?? 0) ? index : worst;

  while (widths.size > 1 && total(least) > limit) {
    widths.delete([...widths.keys()].reduce(leastWanted));
  }
  const above = (floor: (index: number) => number): number[] =>
    [...widths.keys()].filter((index) => (widths.get(index) ?? 0) > floor(index));
  const widest = (best: number, index: number): number =>
    (widths.get(index) ?? 0) > (widths.get(best) ?? 0) ? index : best;
  for (let over = total((index) => widths.get(index) ?? 0) - limit; over > 0; over -= 1) {
    const [whole, broken] = [above((index) => Math.max(least(index), words[index] ?? 0)), above(least)];
    const index =
      whole.length > 0
        ? whole.reduce(widest)
        : broken.length > 0
          ? broken.reduce(leastWanted)
          : [...widths.keys()].reduce(widest);
    widths.set(index, (widths.get(index) ?? 0) - 1);
  }
  return widths;
}
