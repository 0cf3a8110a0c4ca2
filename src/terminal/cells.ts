/** Converts columns and values to the headings and cells of a table. */
import type { Styles } from './color.ts';
import {
  type Column,
  type ColumnKind,
  cellTone,
  columnHeading,
  formatForPerson,
  type TimeOptions,
} from './columns.ts';
import type { Cell, TableColumn } from './table.ts';

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
