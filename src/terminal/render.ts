/** Prints a result on stdout in the form that was asked for, or the one that suits its reader. */
import { OutputError } from '../base/errors.ts';
import {
  type Column,
  cellTone,
  columnValue,
  guessColumn,
  heading,
  personText,
  type Reading,
} from './columns.ts';
import { csvHeader, csvRow, tsvItem, tsvRow } from './delimited.ts';
import { checkFields, pick } from './fields.ts';
import { escapeJson, toJson } from './json.ts';
import type { JqFilter } from './lazy/jq.ts';
import { measureFor } from './measure.ts';
import type { ExtraFormat, OutputFormat, OutputOptions } from './output.ts';
import { sanitizeBlock } from './sanitize.ts';
import { type Canvas, type Entry, layoutItem, layoutTable } from './table.ts';
import type { Terminal } from './terminal.ts';

interface ViewBase<T> {
  /** What a person sees of it. Without any, every field of the data. */
  readonly columns?: readonly Column<T>[];
  readonly output: OutputOptions;
  /** The formats that only this command offers: each makes the whole text. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, () => string>>>;
  /** Further names that `--fields` may give, so that a field which no row happens to have isn't called unknown. */
  readonly knownFields?: readonly string[];
}

/** What is to be printed; `data` is the API's body (of a list, its rows), as it came. */
export type View<T> = ViewBase<T> &
  (
    | { readonly kind: 'item'; readonly data: T }
    /** Answers to several ids: for one the item itself, else a list. */
    | { readonly kind: 'items'; readonly data: readonly T[] }
    /** `empty` is said on stderr where a table would have no rows. */
    | { readonly kind: 'list'; readonly data: Iterable<T> | AsyncIterable<T>; readonly empty?: string }
  );

type Rows<T> = { readonly one: T } | { readonly many: Iterable<T> | AsyncIterable<T> };

/**
 * Prints a view. Lists in tsv, csv and jsonl are written as their rows arrive, in constant memory; the other formats
 * gather them first, so that `--json` prints a whole array or nothing. Throws UsageError for unknown `--fields`,
 * OutputError where stdout cannot be written or `--jq` fails on this result.
 */
export async function render<T>(terminal: Terminal, view: View<T>): Promise<void> {
  const { output } = view;
  const format = output.format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv');
  const extra = format === 'plain' || format === 'ical' ? view.formats?.[format] : undefined;
  if (extra) return terminal.out(endLine(terminal.stdoutIsTTY ? sanitizeBlock(extra()) : extra()));

  const rows = rowsOf(view);
  if ('many' in rows && (format === 'tsv' || format === 'csv' || format === 'jsonl')) {
    return stream(terminal, view, rows.many, format);
  }
  const all = 'one' in rows ? [rows.one] : await gather(rows.many);
  const chosen = output.fields;
  if (chosen) checkFields(chosen, knownNames(view), all);
  const data: unknown = 'one' in rows ? rows.one : all;

  switch (format) {
    case 'json': {
      const body = chosen ? pick(data, chosen) : data;
      if (output.jq) return printJq(terminal, output.jq, body);
      return terminal.out(`${toJson(body, { pretty: terminal.stdoutIsTTY })}\n`);
    }
    case 'jsonl':
      return terminal.out(`${toJson(chosen ? pick(data, chosen) : data)}\n`);
    case 'yaml': {
      const { toYaml } = await import('./lazy/yaml.ts');
      return terminal.out(toYaml(chosen ? pick(data, chosen) : data));
    }
    case 'csv': {
      const columns = columnsFor(view, all);
      return terminal.out(csvHeader(columns) + all.map((row) => csvRow(row, columns)).join(''));
    }
    case 'tsv':
      return terminal.out(all.map((row) => tsvItem(row, columnsFor(view, all))).join(''));
    default:
      return 'one' in rows
        ? terminal.out(await itemText(terminal, rows.one, columnsFor(view, all), output))
        : printTable(terminal, all, columnsFor(view, all), view);
  }
}

function rowsOf<T>(view: View<T>): Rows<T> {
  if (view.kind === 'item') return { one: view.data };
  if (view.kind === 'list') return { many: view.data };
  const [first] = view.data;
  return first !== undefined && view.data.length === 1 ? { one: first } : { many: view.data };
}

async function gather<T>(rows: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const knownNames = <T>(view: View<T>): string[] => [
  ...(view.columns ?? []).map((column) => column.key),
  ...(view.knownFields ?? []),
];

/** The columns to show: those chosen by `--fields`, else those declared, else all that the rows have. */
function columnsFor<T>(view: View<T>, rows: readonly T[]): readonly Column<T>[] {
  const declared = view.columns ?? [];
  const chosen = view.output.fields;
  if (chosen) {
    return chosen.map((key) => declared.find((column) => column.key === key) ?? guessColumn(key, rows));
  }
  if (declared.length > 0) return declared;
  const keys = new Set(
    rows.flatMap((row) => (typeof row === 'object' && row !== null ? Object.keys(row) : [])),
  );
  return [...keys].map((key) => guessColumn(key, rows));
}

/** Rows are joined up to this many characters before they are written. */
const CHUNK = 64 * 1024;

async function stream<T>(
  terminal: Terminal,
  view: View<T>,
  rows: Iterable<T> | AsyncIterable<T>,
  format: Extract<OutputFormat, 'tsv' | 'csv' | 'jsonl'>,
): Promise<void> {
  const { fields } = view.output;
  let columns: readonly Column<T>[] | undefined;
  let text = '';
  for await (const row of rows) {
    if (!columns) {
      if (fields) checkFields(fields, knownNames(view), [row]);
      columns = columnsFor(view, [row]);
      if (format === 'csv') text = csvHeader(columns);
    }
    if (format === 'jsonl') text += `${toJson(fields ? pick(row, fields) : row)}\n`;
    else text += format === 'csv' ? csvRow(row, columns) : tsvRow(row, columns);
    if (text.length < CHUNK) continue;
    await terminal.out(text);
    text = '';
    if (terminal.readerGone) return;
  }
  if (!columns && format === 'csv') text = csvHeader(columnsFor(view, []));
  await terminal.out(text);
}

/** Each value on lines of its own: a string as it is (in a terminal sanitised), anything else as JSON. */
async function printJq(terminal: Terminal, filter: JqFilter, body: unknown): Promise<void> {
  const answer = filter.run(JSON.stringify(body) ?? 'null');
  if (!answer.ok) {
    throw new OutputError(`--jq failed on this result: ${answer.complaint}`, {
      hint: 'the expression is well-formed but does not fit the data; --json alone shows what came',
    });
  }
  const lines = answer.values.map((json) => {
    if (json.startsWith('"')) {
      const text = String(JSON.parse(json));
      return terminal.stdoutIsTTY ? sanitizeBlock(text) : text;
    }
    return terminal.stdoutIsTTY ? toJson(JSON.parse(json), { pretty: true }) : escapeJson(json);
  });
  await terminal.out(lines.map((line) => `${line}\n`).join(''));
}

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
