/** Draws a table that changes in place, with lines below it. */
import { type Cell, type TableColumn, toTableColumn } from './cells.ts';
import type { Column } from './columns.ts';
import type { Draw, LiveLine } from './live.ts';
import type { OutputOptions } from './output.ts';
import { createCellOptions, toCells } from './render.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor } from './view.ts';

export interface LiveTable<T> {
  /** Replaces the rows and the lines below them. */
  update(rows: readonly T[], footer: readonly string[]): Promise<void>;
  /** Clears the table. */
  stop(): Promise<void>;
}

interface Content {
  readonly columns: readonly TableColumn[];
  readonly cells: readonly (readonly Cell[])[];
  readonly footer: readonly string[];
}

/** The mark of each line and the blank after it. */
const MARK_WIDTH = 2;
/** The cursor needs a line of its own. */
const CURSOR_LINES = 1;

/** Starts a live table; `columns` as in a view. A line below it counts the rows that exceed the window. */
export async function startLiveTable<T>(
  terminal: Terminal,
  columns: readonly Column<T>[],
  output: OutputOptions,
): Promise<LiveTable<T>> {
  const { layoutTable } = await import('./lazy/table.ts');
  let content: Content = { columns: [], cells: [], footer: [] };
  let drawn: { readonly size: string; readonly lines: readonly LiveLine[] } | undefined;

  const draw: Draw = ({ width: columnCount, rows, measure, styles }) => {
    const size = `${columnCount} ${rows}`;
    if (drawn?.size === size) return drawn.lines;
    const { columns: heads, cells, footer } = content;
    const width = columnCount - MARK_WIDTH;
    const table = cells.length === 0 ? [] : layoutTable(heads, cells, { width, measure, styles }).lines;
    const room = Math.max(2, rows - footer.length - CURSOR_LINES);
    const hidden = table.length - room + 1;
    const shown = table.length > room ? [...table.slice(0, room - 1), `… ${hidden} more`] : table;
    const below = footer.map((line) => styles.dim(measure.cut(line, width)));
    const lines = [...shown, ...below].map((text) => ({ mark: ' ', text }));
    drawn = { size, lines };
    return lines;
  };
  const live = terminal.live(draw);
  return {
    async update(rows, footer) {
      const all = columnsFor({ kind: 'list', data: rows, columns, output }, rows);
      const cells = toCells(rows, all, await createCellOptions(terminal, output), !output.fields);
      content = { columns: all.map(toTableColumn), cells, footer };
      drawn = undefined;
    },
    stop: live.stop,
  };
}
