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
  return { lines: [...head, ...rows.flatMap((row) => line(row))], hidden, shortened: [...shortened] };
}

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
  const widths = fitted(columns, natural, limit);
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

const NONE: Cell = { text: '' };

/** The text with an ellipsis, though it may have found room itself: more follows it. */
const cutShort = (text: string, width: number, measure: Measure): string =>
  measure.width(text) < width ? `${text}…` : measure.cut(`${text}…`, width);

/** The widths of the columns that are shown, by index. */
function fitted(
  columns: readonly TableColumn[],
  natural: readonly number[],
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

  while (widths.size > 1 && total(least) > limit) {
    const leastWanted = [...widths.keys()].reduce((worst, index) =>
      (columns[index]?.priority ?? 0) <= (columns[worst]?.priority ?? 0) ? index : worst,
    );
    widths.delete(leastWanted);
  }
  for (let over = total((index) => widths.get(index) ?? 0) - limit; over > 0; over -= 1) {
    const shrinkable = [...widths.keys()].filter((index) => (widths.get(index) ?? 0) > least(index));
    const candidates = shrinkable.length > 0 ? shrinkable : [...widths.keys()];
    const widest = candidates.reduce((best, index) =>
      (widths.get(index) ?? 0) > (widths.get(best) ?? 0) ? index : best,
    );
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
  }
  return widths;
}
