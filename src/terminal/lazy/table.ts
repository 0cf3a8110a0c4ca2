/**
 * Draws tables and labelled values for people with cli-table3, without boxes or rules. sonde decides which columns fit,
 * which cli-table3 does not. Lazy-loaded, since output for programs never needs it.
 */
import CliTable from 'cli-table3';
import { type Canvas, type Cell, GAP, isProse, type Table, type TableColumn } from '../cells.ts';
import type { ColumnKind } from '../columns.ts';
import { fold } from '../fold.ts';
import { isNarrow, type Measure } from '../measure.ts';
import { paintCell } from '../tone.ts';

const NO_BORDERS = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left middle right'
    .split(' ')
    .map((name) => [name, '']),
);

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
  const shown = columns.flatMap((column, index) => {
    const width = widths.get(index);
    return width === undefined ? [] : [{ column, index, width }];
  });
  const shortened = new Set<string>();

  /** Returns the lines of a cell. */
  const linesOf = (text: string, { heading, lines: most = 1 }: TableColumn, width: number) => {
    if (most === 1 || measure.width(text) <= width) return [measure.cut(text, width)];
    const lines = fold(text, width, { ...measure, breaksAll: true });
    if (lines.length <= most) return lines;
    shortened.add(heading);
    return [...lines.slice(0, most - 1), ellipsize(lines[most - 1] ?? '', width, measure)];
  };
  /** Positions a text absolutely if an earlier one in its line may be wider than measured. */
  const place = (text: string, styled: string, position: number): string => {
    if (startColumn === undefined) return styled;
    const before = shown.slice(0, position).reduce((sum, { width }) => sum + width + GAP.length, 0);
    const { column, width } = shown[position] ?? {};
    const padding = column?.align === 'right' ? (width ?? 0) - measure.width(text) : 0;
    return `\x1b[${before + startColumn + 1}G${' '.repeat(padding)}${styled}`;
  };
  return {
    line: (cells, style = (text, cell) => paintCell(text, cell, styles)) => {
      const texts = shown.map(({ column, index, width }) => linesOf(cells[index]?.text ?? '', column, width));
      const height = Math.max(1, ...texts.map((lines) => lines.length));
      const contents = texts.map((): string[] => []);
      for (let row = 0; row < height; row++) {
        let isPlaced = true;
        for (const [position, lines] of texts.entries()) {
          const text = lines[row] ?? '';
          const separated = isNarrow(text) ? text : [...measure.letters(text)].join(NO_STYLE);
          const styled = text === '' ? '' : style(separated, cells[shown[position]?.index ?? 0] ?? { text });
          contents[position]?.push(isPlaced ? styled : place(text, styled, position));
          isPlaced &&= isNarrow(text);
        }
      }
      const drawnColumns = shown.map(({ column: { align }, width }) => ({ align, width }));
      return drawRow(contents, drawnColumns);
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

/** Blanks, and positions for cells that are empty, at the end of a line. */
const TRAILING = /(?<! |\p{Cc}\[\d{1,9}G)(?: |\p{Cc}\[\d{1,9}G)+$/u;

/**
 * Separates letters for cli-table3. For its log, it shortens the text of each cell letter by letter, up to the next
 * style: without a style between letters, this would take a time quadratic in the length of a text that is not ASCII.
 */
const NO_STYLE = '\x1b[m';

/**
 * Draws one row, whose cells may have several lines, without trailing blanks. Each row is a separate table, because the
 * time of cli-table3 is quadratic in the number of rows.
 */
function drawRow(
  cells: readonly (readonly string[])[],
  columns: readonly { readonly width: number; readonly align: 'left' | 'right' }[],
): readonly string[] {
  if (cells.length === 0) return [''];
  const table = new CliTable({
    chars: NO_BORDERS,
    // The gap is part of the column, since cli-table3 draws no column without a width.
    colWidths: columns.map(({ width }) => width + GAP.length),
    colAligns: columns.map(({ align }) => align),
    style: { 'padding-left': 0, 'padding-right': GAP.length, head: [], border: [] },
  });
  table.push(cells.map((lines) => lines.join('\n')));
  return table
    .toString()
    .replaceAll(NO_STYLE, '')
    .split('\n')
    .map((line) => line.replace(TRAILING, ''));
}

/** A labelled value. */
export interface Entry extends Cell {
  readonly label: string;
  readonly kind?: ColumnKind | undefined;
}

/** Columns that values need before wrapping helps. */
const MIN_FOLD_WIDTH = 24;
/** Longer lines are hard to read, even in a wide window. */
export const MAX_LINE_WIDTH = 100;

/**
 * Lays out one line per label and value, for the view of one item and the facts of a card. Long prose is wrapped.
 * It does not use cli-table3, since values may be long and keep their trailing blanks.
 */
export function layoutEntries(entries: readonly Entry[], canvas: Canvas): readonly string[] {
  const { measure, styles } = canvas;
  const indent = entries.reduce((widest, entry) => Math.max(widest, measure.width(entry.label)), 0);
  const room = canvas.width - indent - GAP.length;
  return entries.flatMap(({ label, text, kind, ...cell }) => {
    const value = text.replaceAll('\t', '    ');
    const folds = isProse(kind) && room >= MIN_FOLD_WIDTH && room !== Number.POSITIVE_INFINITY;
    const lines = folds
      ? fold(value, Math.min(room, MAX_LINE_WIDTH), { ...measure, breaksAll: false })
      : value.split('\n');
    return lines.map((line, index) => {
      const lead = index === 0 ? label : '';
      const padding = ' '.repeat(indent - measure.width(lead) + GAP.length);
      const styledLead = lead === '' ? '' : styles.bold(lead);
      return line === '' ? styledLead : `${styledLead}${padding}${paintCell(line, cell, styles)}`;
    });
  });
}
