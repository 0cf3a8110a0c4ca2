/** Prints a view on stdout in the requested format: by default a table in a terminal, tab-separated text in a pipe. */

import { sanitizeBlock } from '../base/sanitize.ts';
import { createIdShortener } from '../base/short-id.ts';
import type { Card } from './card/card.ts';
import { type Canvas, type Cell, type CellOptions, type Table, toCell, toTableColumn } from './cells.ts';
import { type Column, columnHeading, columnLabel, columnValue } from './columns.ts';
import { validateFields } from './fields.ts';
import { measureFor } from './measure.ts';
import type { OutputOptions } from './output.ts';
import { printMachineFormat } from './print-machine-format.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, knownNames, toArray, toItemOrRows, type View } from './view.ts';

/**
 * Prints a view. Lists need constant memory: tsv, csv and jsonl are printed as their rows arrive, JSON and YAML after
 * the last row, so that `--json` prints a whole array or nothing. A table and `--jq` hold all rows in memory. Throws
 * UsageError for unknown `--fields`, OutputError if stdout cannot be written or `--jq` fails on this result.
 */
export async function render<T>(terminal: Terminal, view: View<T>): Promise<void> {
  const { output } = view;
  const format = output.format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv');
  if (format === 'plain' || format === 'ical') {
    const text = view.formats?.[format]?.() ?? '';
    return terminal.out(endWithNewline(terminal.stdoutIsTTY ? sanitizeBlock(text) : text));
  }

  const rows = toItemOrRows(view);
  if (format !== 'table') return printMachineFormat(terminal, view, rows, format);
  const all = 'one' in rows ? [rows.one] : await toArray(rows.many);
  const chosen = output.fields;
  if (chosen) validateFields(chosen, knownNames(view), all);
  if (view.kind === 'item' && view.card && !chosen) {
    return terminal.out(await formatCard(terminal, await view.card(view.data), output), 'people');
  }
  return 'one' in rows
    ? terminal.out(await formatItem(terminal, rows.one, columnsFor(view, all), output), 'people')
    : printTable(terminal, all, columnsFor(view, all), view);
}

const endWithNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Returns whether a result is printed as a table or a card. */
export const isHumanReadable = (terminal: Terminal, { format }: OutputOptions): boolean =>
  (format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv')) === 'table';

/** Returns whether a table and stderr are on the same screen. */
export const isTableOnScreen = (terminal: Terminal, output: OutputOptions): boolean =>
  isHumanReadable(terminal, output) && terminal.stdoutIsTTY && terminal.stderrIsTTY;

async function createCanvas(terminal: Terminal, texts: readonly string[]): Promise<Canvas> {
  return {
    width: terminal.stdoutIsTTY ? terminal.width : Number.POSITIVE_INFINITY,
    measure: await measureFor(texts),
    styles: await terminal.styles('stdout'),
    ...(terminal.stdoutIsTTY && !terminal.plain ? { startColumn: 0 } : {}),
  };
}

export async function createCellOptions(terminal: Terminal, { utc }: OutputOptions): Promise<CellOptions> {
  const { clock, plain } = terminal;
  return { now: clock.now(), utc, plain, styles: await terminal.styles('stdout') };
}

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

async function printTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
  view: View<T>,
): Promise<void> {
  const { empty, summary, fullOutput } = view.kind === 'list' ? view : NO_LIST_OPTIONS;
  if (rows.length === 0) {
    if (empty) await terminal.note(empty);
    return;
  }
  const options = await createCellOptions(terminal, view.output);
  const cells = toCells(rows, columns, options, terminal.stdoutIsTTY && !view.output.fields);
  const heads = columns.map(toTableColumn);
  const texts = [...heads.map((head) => head.heading), ...cells.flat().map((cell) => cell.text)];
  const { layoutTable } = await import('./lazy/table.ts');
  const { lines, ...omitted } = layoutTable(heads, cells, await createCanvas(terminal, texts));
  await terminal.out(joinLines(lines), 'people');
  const redundant = columns.filter((column) => column.isRedundant && !view.output.fields).map(columnHeading);
  const notes = [
    isTableOnScreen(terminal, view.output) ? summary?.(rows) : undefined,
    formatOmissions(
      { ...omitted, hidden: omitted.hidden.filter((each) => !redundant.includes(each)) },
      fullOutput,
    ),
  ].filter((each) => each !== undefined);
  if (notes.length > 0) await terminal.note(notes.join(' '));
}

/** Returns the cells of each row. `isShort`: IDs are abbreviated. */
export function toCells<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: CellOptions,
  isShort: boolean,
): readonly (readonly Cell[])[] {
  const values = columns.map((column): readonly unknown[] => {
    const all = rows.map((row) => columnValue(column, row));
    return isShort && column.isShort ? all.map(createIdShortener(all)) : all;
  });
  return rows.map((_, index) =>
    columns.map((column, at) => toCell(values[at]?.[index], column.kind, 'list', options)),
  );
}

const NO_LIST_OPTIONS = { empty: undefined, summary: undefined, fullOutput: undefined };

/** Formats a note on hidden and truncated columns and how to see them. */
function formatOmissions(
  { hidden, shortened }: Pick<Table, 'hidden' | 'shortened'>,
  fullOutput = '-o tsv',
): string | undefined {
  const parts = [
    hidden.length > 0 ? `Hidden columns: ${hidden.join(', ')}.` : '',
    shortened.length > 0 ? `Truncated columns: ${shortened.join(', ')}.` : '',
  ].filter(Boolean);
  if (parts.length === 0) return undefined;
  const choose = hidden.length > 0 ? 'Select columns with --fields, or see' : 'See';
  return `${parts.join(' ')} ${choose} all with ${fullOutput}.`;
}

async function formatItem<T>(
  terminal: Terminal,
  item: T,
  columns: readonly Column<T>[],
  output: OutputOptions,
): Promise<string> {
  const options = await createCellOptions(terminal, output);
  const entries = columns.map((column) => ({
    label: columnLabel(column),
    kind: column.kind,
    ...toCell(columnValue(column, item), column.kind, 'item', options),
  }));
  const texts = entries.flatMap((entry) => [entry.label, ...entry.text.split('\n')]);
  const { layoutEntries } = await import('./lazy/table.ts');
  return joinLines(layoutEntries(entries, await createCanvas(terminal, texts)));
}

/** Formats a card. The layout is lazy-loaded, since output for programs never needs it. */
async function formatCard(terminal: Terminal, card: Card, output: OutputOptions): Promise<string> {
  const { layoutCard } = await import('./card/layout.ts');
  const { wide } = await import('./lazy/width.ts');
  const canvas = { ...(await createCanvas(terminal, [])), measure: wide };
  const options = await createCellOptions(terminal, output);
  return joinLines(layoutCard(card, { ...canvas, options }));
}
