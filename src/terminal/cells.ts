/** Defines the columns and cells of tables, and converts values to them. */
import type { Styles } from './color.ts';
import {
  type Column,
  type ColumnKind,
  cellTone,
  columnHeading,
  formatForPerson,
  type TimeOptions,
} from './columns.ts';
import type { Measure } from './measure.ts';
import type { CellStyle } from './tone.ts';

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

/** Options to format and style cells. */
export interface CellOptions extends TimeOptions {
  readonly styles: Styles;
  /** Omits swatches, for screen readers. */
  readonly plain: boolean;
}

/** Returns the column of a table, with defaults. */
export const toTableColumn = <T>(column: Column<T>): TableColumn => ({
  heading: columnHeading(column),
  kind: column.kind,
  align: column.align ?? (column.kind === 'number' || column.kind === 'duration' ? 'right' : 'left'),
  priority: column.priority ?? (column.kind === 'id' ? 100 : column.kind === 'status' ? 80 : 50),
  minWidth: column.minWidth ?? 12,
  lines: column.lines,
});

const COLOR = /^#(?:[\da-f]{3}){1,2}$/i;

/** Returns the cell of a value, in a list or in the view of one item. */
export function toCell(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  options: CellOptions,
): Cell {
  const text = formatForPerson(value, kind, reader, options);
  if (kind === 'color' && options.styles.swatch && !options.plain && COLOR.test(text)) {
    return { text: `██ ${text}`, swatch: text };
  }
  return { text, tone: cellTone(value, kind) };
}
