/** Lays out tables and the view of one item for a person: no box, no rules, fitted to the width. */
import type { Styles } from './color.ts';
import type { ColumnKind, Tone } from './columns.ts';
import { isNarrow, type Measure } from './measure.ts';

export interface TableColumn {
  readonly heading: string;
  readonly kind: ColumnKind | undefined;
  readonly align: 'left' | 'right';
  readonly priority: number;
  readonly minWidth: number;
}

export interface Cell {
  readonly text: string;
  readonly tone: Tone | undefined;
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
  readonly text: string;
  /** The headings that found no room. */
  readonly hidden: readonly string[];
}

const GAP = '  ';

/** Only prose may be shortened: half a number, time or state would be a wrong one. */
const isProse = (kind: ColumnKind | undefined): boolean =>
  kind === undefined || kind === 'text' || kind === 'list';

/** A table; columns shrink as far as they may, then the least important are left out, and an id is cut last of all. */
export function layoutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): Table {
  const heads = columns.map((column) => ({ text: column.heading, tone: undefined }));
  const { line, hidden } = layOut(columns, [heads, ...rows], canvas);
  const head = line(
    heads.map(({ text, tone }) => ({ text: text.toUpperCase(), tone })),
    (text) => canvas.styles.bold(text),
  );
  return { text: [head, ...rows.map((row) => line(row))].map((each) => `${each}\n`).join(''), hidden };
}

/** The rows of a table without its head, a line each. */
export function layoutRows(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  canvas: Canvas,
): readonly string[] {
  const { line } = layOut(columns, rows, canvas);
  return rows.map((row) => line(row));
}

interface Fitted {
  line(cells: readonly Cell[], style?: (text: string, tone: Tone | undefined) => string): string;
  readonly hidden: readonly string[];
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
  const gapBefore = (position: number, cells: readonly Cell[]): string => {
    const before = shown.slice(0, position);
    if (from === undefined || before.every((index) => isNarrow(cells[index]?.text ?? ''))) return GAP;
    const column = before.reduce((sum, index) => sum + (widths.get(index) ?? 0) + GAP.length, from + 1);
    return `${GAP}\x1b[${column}G`;
  };
  return {
    line: (cells, style = (text, tone) => paint(text, tone, styles)) =>
      shown
        .map((index, position) => {
          const width = widths.get(index) ?? 0;
          const text = measure.cut(cells[index]?.text ?? '', width);
          const padding = ' '.repeat(Math.max(0, width - measure.width(text)));
          const styled = style(text, cells[index]?.tone);
          if (columns[index]?.align === 'right') return padding + styled;
          return position === shown.length - 1 ? styled : styled + padding;
        })
        .reduce((line, cell, place) => (place === 0 ? cell : line + gapBefore(place, cells) + cell), ''),
    hidden: columns.filter((_, index) => !widths.has(index)).map((column) => column.heading),
  };
}

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

/** One labelled value of an item. */
export interface Entry extends Cell {
  readonly label: string;
  readonly kind: ColumnKind | undefined;
}

/** How narrow a column of values may be before wrapping it does more harm than good. */
const WRAP_FROM = 24;

/** The view of one item: a label and its value a line, long prose wrapped beside its label. */
export async function layoutItem(entries: readonly Entry[], canvas: Canvas): Promise<string> {
  const { measure, styles } = canvas;
  const indent = entries.reduce((widest, entry) => Math.max(widest, measure.width(entry.label)), 0);
  const room = canvas.width - indent - GAP.length;

  const blocks = entries.map(async ({ label, text, tone, kind }) => {
    const wraps = isProse(kind) && room >= WRAP_FROM && measure.width(text) > room;
    const lines = wraps ? (await import('./lazy/wrap.ts')).wrapWords(text, room) : text.split('\n');
    return lines.map((line, index) => {
      const lead = index === 0 ? label : '';
      const padding = ' '.repeat(indent - measure.width(lead));
      return `${styles.bold(lead)}${padding}${GAP}${paint(line, tone, styles)}`.trimEnd();
    });
  });
  return (await Promise.all(blocks))
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/** A text in the colour of its tone. */
export function paint(text: string, tone: Tone | undefined, styles: Styles): string {
  switch (tone) {
    case undefined:
      return text;
    case 'good':
      return styles.green(text);
    case 'bad':
      return styles.red(text);
    case 'poor':
      return styles.yellow(text);
    case 'busy':
      return styles.cyan(text);
    case 'faint':
      return styles.dim(text);
    default:
      return tone satisfies never;
  }
}
