/** Turns columns and values into heads and cells, as a person reads them. */
import type { Styles } from './color.ts';
import { type Column, type ColumnKind, cellTone, heading, personText, type Reading } from './columns.ts';
import type { Cell, TableColumn } from './table.ts';

/** What a value is read for, and what it is shown with. */
export interface Showing extends Reading {
  readonly styles: Styles;
  /** Who listens instead of looking: there are no swatches. */
  readonly plain: boolean;
}

/** The head of a column, with what goes without saying. */
export const headOf = <T>(column: Column<T>): TableColumn => ({
  heading: heading(column),
  kind: column.kind,
  align: column.align ?? (column.kind === 'number' || column.kind === 'duration' ? 'right' : 'left'),
  priority: column.priority ?? (column.kind === 'id' ? 100 : column.kind === 'status' ? 80 : 50),
  minWidth: column.minWidth ?? 12,
  lines: column.lines,
});

const COLOR = /^#(?:[\da-f]{3}){1,2}$/i;

/** A value in a list, or of the one item looked at. */
export function cellOf(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  showing: Showing,
): Cell {
  const text = personText(value, kind, reader, showing);
  if (kind === 'color' && showing.styles.swatch && !showing.plain && COLOR.test(text)) {
    return { text: `██ ${text}`, swatch: text };
  }
  return { text, tone: cellTone(value, kind) };
}
