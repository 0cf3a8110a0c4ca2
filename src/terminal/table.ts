/** Lays out tables for people, without boxes or rules, fitted to the width. */
import type { Styles } from './color.ts';
import type { ColumnKind } from './columns.ts';
import { fold } from './fold.ts';
import { isNarrow, type Measure } from './measure.ts';
import { type CellStyle, paintCell } from './tone.ts';

export interface TableColumn {
  readonly heading: string;
  readonly kind: ColumnKind | undefined;
  readonly align: 'left' | 'right';
  readonly priority: number;
  readonly minWidth: number;
  /** The most lines of a text that is too wide, which is wrapped instead of cut. */
  readonly lines?: number | undefined;
}

export interface Cell extends CellStyle {
  readonly text: string;
}

export interface Canvas {
  /** The number of columns available; Infinity if nothing may be cut. */
  readonly width: number;
  readonly measure: Measure;
  readonly styles: Styles;
  /**
   * The column of the window, from 0, at which lines begin, if they are drawn in a terminal. Cells that follow a text
   * of ambiguous width are then positioned absolutely.
   */
  readonly startColumn?: number;
}

export interface Table {
  readonly lines: readonly string[];
  /** The headings of hidden columns. */
  readonly hidden: readonly string[];
  /** The headings of wrapped columns that were still truncated. */
  readonly shortened: readonly string[];
}

export const GAP = '  ';

/** Returns whether a value may be shortened. Part of a number, time or state would be wrong. */
export const isProse = (kind: ColumnKind | undefined): boolean =>
  kind === undefined || kind === 'text' || kind === 'list';

/** Lays out a table. Columns shrink to their minimum, then the least important are hidden, and IDs are cut last. */
export function layoutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): Table {
  const heads = columns.map((column) => ({ text: column.heading.toUpperCase() }));
  const { line, hidden, shortened } = fitRows(columns, [heads, ...rows], canvas);
  const head = line(heads, (text) => canvas.styles.bold(text));
  const body = rows.flatMap((row) =>
    canvas.startColumn === undefined || row.every(({ text }) => isNarrow(text))
      ? line(row)
      : line(row).map((each) => CUT + each + WRAP),
  );
  return { lines: [...head, ...body], hidden, shortened: [...shortened] };
}

/** A terminal that renders a text wider than measured cuts it instead of wrapping the row. */
const CUT = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** Lays out the rows of a table without headings. */
export function layoutRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): readonly string[] {
  const { line } = fitRows(columns, rows, canvas);
  return rows.flatMap((row) => line(row));
}

type Style = (text: string, cell: Cell) => string;

interface RowLayout {
  /** Lays out a row in one line, or in several if a column is wrapped. */
  readonly line: (cells: readonly Cell[], style?: Style) => readonly string[];
  readonly hidden: readonly string[];
  /** Grows as rows are laid out. */
  readonly shortened: ReadonlySet<string>;
}

function fitRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  { width: limit, measure, styles, startColumn }: Canvas,
): RowLayout {
  const naturalWidths = columns.map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, measure.width(row[index]?.text ?? '')), 0),
  );
  const longestWords = columns.map((column, index) =>
    column.lines === undefined || limit === Number.POSITIVE_INFINITY
      ? 0
      : longestWord(
          rows.flatMap((row) => row[index]?.text ?? []),
          measure,
        ),
  );
  const widths = fitWidths(columns, naturalWidths, longestWords, limit);
  const shown = [...widths.keys()].sort((a, b) => a - b);
  const shortened = new Set<string>();
  const startOf = (position: number): number =>
    shown.slice(0, position).reduce((sum, index) => sum + (widths.get(index) ?? 0) + GAP.length, 0);

  /** Returns the lines of a cell. */
  const linesOf = ({ text }: Cell, index: number): readonly string[] => {
    const width = widths.get(index) ?? 0;
    const most = columns[index]?.lines ?? 1;
    if (most === 1 || measure.width(text) <= width) return [measure.cut(text, width)];
    const lines = fold(text, width, { ...measure, breaksAll: true });
    if (lines.length <= most) return lines;
    shortened.add(columns[index]?.heading ?? '');
    return [...lines.slice(0, most - 1), ellipsize(lines[most - 1] ?? '', width, measure)];
  };
  const drawLine = (texts: readonly string[], cells: readonly Cell[], style: Style): string => {
    let line = '';
    // Blanks are written only before further text, so that lines have no trailing blanks.
    let blanks = '';
    let isPlaced = true;
    for (const [position, index] of shown.entries()) {
      const text = texts[index] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths.get(index) ?? 0) - measure.width(text)));
      if (position > 0) {
        blanks +=
          isPlaced || startColumn === undefined ? GAP : `${GAP}\x1b[${startOf(position) + startColumn + 1}G`;
      }
      if (text === '') {
        blanks += padding;
        continue;
      }
      const styled = style(text, cells[index] ?? EMPTY_CELL);
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
        widths.has(index) ? linesOf(cells[index] ?? EMPTY_CELL, index) : [],
      );
      const height = Math.max(1, ...texts.map((lines) => lines.length));
      return Array.from({ length: height }, (_, row) =>
        drawLine(
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

const EMPTY_CELL: Cell = { text: '' };

/** Returns the text with an ellipsis, even if the text itself fits, since more follows it. */
const ellipsize = (text: string, width: number, measure: Measure): string =>
  measure.width(text) < width ? `${text}…` : measure.cut(`${text}…`, width);

/**
 * Returns the widths of the visible columns by index. `words` is the longest word of each wrapped column, which stays
 * whole while another column can shrink.
 */
function fitWidths(
  columns: readonly TableColumn[],
  naturalWidths: readonly number[],
  longestWords: readonly number[],
  limit: number,
): Map<number, number> {
  const widths = new Map(naturalWidths.map((width, index) => [index, width]));
  const least = (index: number): number => {
    const column = columns[index];
    const full = naturalWidths[index] ?? 0;
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
    const [whole, broken] = [
      above((index) => Math.max(least(index), longestWords[index] ?? 0)),
      above(least),
    ];
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
