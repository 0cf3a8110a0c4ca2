/** Prints a result on stdout in the form that was asked for, or the one that suits its reader. */
import { createIdShortener } from '../base/short-id.ts';
import type { Card } from './card/card.ts';
import { cellOf, headOf, type Showing } from './cells.ts';
import { type Column, columnValue, heading, labelOf } from './columns.ts';
import { type Entry, layoutEntries } from './entries.ts';
import { checkFields } from './fields.ts';
import { printForPrograms } from './machine.ts';
import { measureFor } from './measure.ts';
import type { OutputOptions } from './output.ts';
import { sanitizeBlock } from './sanitize.ts';
import { type Canvas, layoutTable, type Table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, gather, knownNames, rowsOf, type View } from './view.ts';

/**
 * Prints a view. Lists are printed in constant memory: in tsv, csv and jsonl as their rows arrive, in JSON and YAML once
 * all are there, so that `--json` prints a whole array or nothing. A table and `--jq` gather the rows. Throws UsageError
 * for unknown `--fields`, OutputError where stdout cannot be written or `--jq` fails on this result.
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
  if (view.kind === 'item' && view.card && !chosen) {
    return terminal.out(await cardText(terminal, await view.card(view.data), output));
  }
  return 'one' in rows
    ? terminal.out(await itemText(terminal, rows.one, columnsFor(view, all), output))
    : printTable(terminal, all, columnsFor(view, all), view);
}

const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Whether a result is laid out for a person, as a table or a card. */
export const isForPeople = (terminal: Terminal, { format }: OutputOptions): boolean =>
  (format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv')) === 'table';

/** Whether that person reads stderr on the same screen. */
export const isTableOnScreen = (terminal: Terminal, output: OutputOptions): boolean =>
  isForPeople(terminal, output) && terminal.stdoutIsTTY && terminal.stderrIsTTY;

async function canvasFor(terminal: Terminal, texts: readonly string[]): Promise<Canvas> {
  return {
    width: terminal.stdoutIsTTY ? terminal.width : Number.POSITIVE_INFINITY,
    measure: await measureFor(texts),
    styles: await terminal.styles('stdout'),
    ...(terminal.stdoutIsTTY && !terminal.plain ? { from: 0 } : {}),
  };
}

async function showingFor(terminal: Terminal, { utc }: OutputOptions): Promise<Showing> {
  const { clock, plain } = terminal;
  return { now: clock.now(), utc, plain, styles: await terminal.styles('stdout') };
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

async function printTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
  view: View<T>,
): Promise<void> {
  const { empty, summary, whole } = view.kind === 'list' ? view : NO_WORDS;
  if (rows.length === 0) {
    if (empty) await terminal.note(empty);
    return;
  }
  const showing = await showingFor(terminal, view.output);
  const isShort = terminal.stdoutIsTTY && !view.output.fields;
  const values = columns.map((column): readonly unknown[] => {
    const all = rows.map((row) => columnValue(column, row));
    return isShort && column.isShort ? all.map(createIdShortener(all)) : all;
  });
  const cells = rows.map((_, index) =>
    columns.map((column, at) => cellOf(values[at]?.[index], column.kind, 'list', showing)),
  );
  const heads = columns.map(headOf);
  const texts = [...heads.map((head) => head.heading), ...cells.flat().map((cell) => cell.text)];
  const { lines, ...left } = layoutTable(heads, cells, await canvasFor(terminal, texts));
  await terminal.out(joined(lines));
  const spare = columns.filter((column) => column.spare && !view.output.fields).map(heading);
  const words = [
    isTableOnScreen(terminal, view.output) ? summary?.(rows) : undefined,
    leftOut({ ...left, hidden: left.hidden.filter((each) => !spare.includes(each)) }, whole),
  ].filter((each) => each !== undefined);
  if (words.length > 0) await terminal.note(words.join(' '));
}

const NO_WORDS = { empty: undefined, summary: undefined, whole: undefined };

/** What of a table is not to be seen, and how it can be. */
function leftOut(
  { hidden, shortened }: Pick<Table, 'hidden' | 'shortened'>,
  whole = '-o tsv',
): string | undefined {
  const told = [
    hidden.length > 0 ? `Hidden columns: ${hidden.join(', ')}.` : '',
    shortened.length > 0 ? `Truncated columns: ${shortened.join(', ')}.` : '',
  ].filter(Boolean);
  if (told.length === 0) return undefined;
  const choose = hidden.length > 0 ? 'Select columns with --fields, or see' : 'See';
  return `${told.join(' ')} ${choose} all with ${whole}.`;
}

async function itemText<T>(
  terminal: Terminal,
  item: T,
  columns: readonly Column<T>[],
  output: OutputOptions,
): Promise<string> {
  const showing = await showingFor(terminal, output);
  const entries = columns.map(
    (column): Entry => ({
      label: labelOf(column),
      kind: column.kind,
      ...cellOf(columnValue(column, item), column.kind, 'item', showing),
    }),
  );
  const texts = entries.flatMap((entry) => [entry.label, ...entry.text.split('\n')]);
  return joined(layoutEntries(entries, await canvasFor(terminal, texts)));
}

/** All of it is loaded now: programs have no cards. */
async function cardText(terminal: Terminal, card: Card, output: OutputOptions): Promise<string> {
  const { layoutCard } = await import('./card/layout.ts');
  const { wide } = await import('./lazy/width.ts');
  const canvas = { ...(await canvasFor(terminal, [])), measure: wide };
  const showing = await showingFor(terminal, output);
  return joined(layoutCard(card, { ...canvas, showing }));
}
