/** Prints a result on stdout in the form that was asked for, or the one that suits its reader. */
import { type Column, cellTone, columnValue, heading, personText, type Reading } from './columns.ts';
import { checkFields } from './fields.ts';
import { printForPrograms } from './machine.ts';
import { measureFor } from './measure.ts';
import type { OutputOptions } from './output.ts';
import { sanitizeBlock } from './sanitize.ts';
import { type Canvas, type Entry, layoutItem, layoutTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, gather, knownNames, rowsOf, type View } from './view.ts';

/**
 * Prints a view. Lists in tsv, csv and jsonl are written as their rows arrive, in constant memory; the other formats
 * gather them first, so that `--json` prints a whole array or nothing. Throws UsageError for unknown `--fields`,
 * OutputError where stdout cannot be written or `--jq` fails on this result.
 */
export async function render<T>(terminal: Terminal, view: View<T>): Promise<void> {
  const { output } = view;
  const format = output.format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv');
  if (format === 'plain' || format === 'ical') {
    const text = view.formats?.[format]?.() ?? '';
    return terminal.out(endLine(terminal.stdoutIsTTY ? sanitizeBlock(text) : text));
  }

  const rows = rowsOf(view);
  if (format !== 'table') return printForPrograms(terminal, view, rows, format);
  const all = 'one' in rows ? [rows.one] : await gather(rows.many);
  const chosen = output.fields;
  if (chosen) checkFields(chosen, knownNames(view), all);
  return 'one' in rows
    ? terminal.out(await itemText(terminal, rows.one, columnsFor(view, all), output))
    : printTable(terminal, all, columnsFor(view, all), view);
}

const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

async function canvasFor(terminal: Terminal, texts: readonly string[]): Promise<Canvas> {
  return {
    width: terminal.stdoutIsTTY ? terminal.width : Number.POSITIVE_INFINITY,
    measure: await measureFor(texts),
    styles: await terminal.styles('stdout'),
  };
}

const readingFor = (terminal: Terminal, output: OutputOptions): Reading => ({
  now: terminal.clock.now(),
  utc: output.utc,
});

async function printTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
  view: View<T>,
): Promise<void> {
  if (rows.length === 0) {
    if (view.kind === 'list' && view.empty) await terminal.note(view.empty);
    return;
  }
  const reading = readingFor(terminal, view.output);
  const cells = rows.map((row) =>
    columns.map((column) => {
      const value = columnValue(column, row);
      return { text: personText(value, column.kind, 'list', reading), tone: cellTone(value, column.kind) };
    }),
  );
  const heads = columns.map((column) => ({
    heading: heading(column),
    kind: column.kind,
    align: column.align ?? (column.kind === 'number' || column.kind === 'duration' ? 'right' : 'left'),
    priority: column.priority ?? (column.kind === 'id' ? 100 : column.kind === 'status' ? 80 : 50),
    minWidth: column.minWidth ?? 12,
  }));
  const texts = [...heads.map((head) => head.heading), ...cells.flat().map((cell) => cell.text)];
  const table = layoutTable(heads, cells, await canvasFor(terminal, texts));
  await terminal.out(table.text);
  const spare = columns.filter((column) => column.spare && !view.output.fields).map(heading);
  const hidden = table.hidden.filter((each) => !spare.includes(each));
  if (hidden.length > 0) {
    await terminal.note(
      `No room for: ${hidden.join(', ')}. Choose columns with --fields, or see all with -o tsv.`,
    );
  }
}

async function itemText<T>(
  terminal: Terminal,
  item: T,
  columns: readonly Column<T>[],
  output: OutputOptions,
): Promise<string> {
  const reading = readingFor(terminal, output);
  const entries = columns.map((column): Entry => {
    const value = columnValue(column, item);
    const words = heading(column);
    return {
      label: words.charAt(0).toUpperCase() + words.slice(1),
      text: personText(value, column.kind, 'item', reading),
      tone: cellTone(value, column.kind),
      kind: column.kind,
    };
  });
  const texts = entries.flatMap((entry) => [entry.label, ...entry.text.split('\n')]);
  return layoutItem(entries, await canvasFor(terminal, texts));
}
