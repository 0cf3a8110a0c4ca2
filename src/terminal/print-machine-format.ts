/** Prints a result for programs: JSON, JSON lines, YAML, CSV and tab-separated text. */

import { tmpdir } from 'node:os';
import { parseExact } from '../base/exact-numbers.ts';
import { sanitizeBlock, sanitizeLine } from '../base/sanitize.ts';
import { type Column, columnValue, formatForProgram } from './columns.ts';
import { createFieldValidator, pickFields } from './fields.ts';
import { escapeJson, toJson } from './json.ts';
import type { JqFilter } from './lazy/jq.ts';
import type { ExtraFormat, OutputFormat } from './output.ts';
import { openSpool, type Spool } from './spool.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, type ItemOrRows, knownNames, type View } from './view.ts';

/** The formats for programs. */
export type MachineFormat = Exclude<OutputFormat, 'table' | ExtraFormat>;

/** Formats the rows of a list. */
interface Writer<T> {
  /** Returns the text before the first row; `rows` is the first batch, empty for an empty list. */
  head?(rows: readonly T[]): string;
  /** Formats rows; `first` is the number of rows before them. */
  rows(rows: readonly T[], first: number): string;
  tail?(count: number): string;
}

/** Prints rows in a format for programs; see `render`. */
export async function printMachineFormat<T>(
  terminal: Terminal,
  view: View<T>,
  rows: ItemOrRows<T>,
  format: MachineFormat,
): Promise<void> {
  const reader = view.output.format === undefined ? 'anyone' : 'programs';
  if ('one' in rows) return terminal.out(await formatItem(terminal, view, rows.one, format), reader);
  const { jq } = view.output;
  const writer = await createWriter(terminal, view, rows.many, format);
  if (format === 'json' && jq) {
    // jq reads the whole result as one text.
    const pieces: string[] = [];
    await writeList(view, rows.many, writer, async (text) => void pieces.push(text));
    return terminal.out(formatJqOutput(terminal, jq, pieces.join('')));
  }
  if (format !== 'json' && format !== 'yaml') {
    return writeList(view, rows.many, writer, (text) => terminal.out(text, reader), terminal);
  }
  // Part of a JSON array is invalid, and part of a YAML list looks complete, so the output is all or nothing.
  const spool = openSpool(tmpdir());
  try {
    await writeList(view, rows.many, writer, (text) => spool.write(text));
    await copyToStdout(spool, terminal);
  } finally {
    await spool.close();
  }
}

async function copyToStdout(spool: Spool, terminal: Terminal): Promise<void> {
  for await (const text of spool.read()) {
    await terminal.out(text);
    if (terminal.readerGone) return;
  }
}

/**
 * Writes a list with one batch in memory at a time. With `reader`, output is immediate, and fields that the first batch
 * lacks are rejected before any output; otherwise fields are validated at the end.
 */
async function writeList<T>(
  view: View<T>,
  rows: Iterable<T> | AsyncIterable<T>,
  writer: Writer<T>,
  write: (text: string) => Promise<void>,
  reader?: Terminal,
): Promise<void> {
  const check = createFieldValidator(view.output.fields ?? [], knownNames(view));
  let count = 0;
  for await (const batch of batchRows(rows)) {
    // An array is complete, so all its rows are examined at once.
    if (count === 0 || !Array.isArray(rows)) check.addRows(Array.isArray(rows) ? rows : batch);
    if (reader && count === 0) check.assertKnown();
    const head = count === 0 ? (writer.head?.(batch) ?? '') : '';
    await write(head + writer.rows(batch, count));
    if (reader?.readerGone) return;
    count += batch.length;
  }
  check.assertKnown();
  const head = count === 0 ? (writer.head?.([]) ?? '') : '';
  await write(head + (writer.tail?.(count) ?? ''));
}

async function createWriter<T>(
  terminal: Terminal,
  view: View<T>,
  many: Iterable<T> | AsyncIterable<T>,
  format: MachineFormat,
): Promise<Writer<T>> {
  const { fields, jq } = view.output;
  const chosen = (row: T): unknown => (fields ? pickFields(row, fields) : row);
  const joined = (rows: readonly T[], text: (row: T, index: number) => string): string =>
    rows.map(text).join('');
  switch (format) {
    case 'json': {
      const pretty = terminal.stdoutIsTTY && !jq;
      const [before, after] = pretty ? ['\n  ', '\n'] : ['', ''];
      const text = (row: T): string => {
        const json = toJson(chosen(row), { pretty });
        return pretty ? json.replaceAll('\n', '\n  ') : json;
      };
      return {
        head: () => '[',
        rows: (rows, first) =>
          joined(rows, (row, index) => `${first + index > 0 ? ',' : ''}${before}${text(row)}`),
        tail: (count) => `${count > 0 ? after : ''}]\n`,
      };
    }
    case 'jsonl':
      return jq
        ? {
            rows(rows, first) {
              const texts = rows.map((row) => toJson(chosen(row)));
              return terminal.blocking(() => jq.runEach(texts, first)).join('');
            },
          }
        : { rows: (rows) => joined(rows, (row) => `${toJson(chosen(row))}\n`) };
    case 'yaml': {
      const { toYaml } = await import('./lazy/yaml.ts');
      return {
        rows: (rows) => joined(rows, (row) => toYaml([chosen(row)])),
        tail: (count) => (count === 0 ? toYaml([]) : ''),
      };
    }
    case 'csv':
    case 'tsv': {
      const [header, line] = format === 'csv' ? [formatCsvHeader, formatCsvRow] : [() => '', formatTsvRow];
      let columns: readonly Column<T>[] = [];
      return {
        head(rows) {
          columns = columnsFor(view, Array.isArray(many) ? many : rows);
          return header(columns);
        },
        rows: (rows) => joined(rows, (row) => line(row, columns)),
      };
    }
    default:
      return format satisfies never;
  }
}

async function formatItem<T>(
  terminal: Terminal,
  view: View<T>,
  item: T,
  format: MachineFormat,
): Promise<string> {
  const { fields, jq } = view.output;
  if (fields) {
    const check = createFieldValidator(fields, knownNames(view));
    check.addRows([item]);
    check.assertKnown();
  }
  const body = fields ? pickFields(item, fields) : item;
  switch (format) {
    case 'json':
      return jq
        ? formatJqOutput(terminal, jq, toJson(body))
        : `${toJson(body, { pretty: terminal.stdoutIsTTY })}\n`;
    case 'jsonl':
      return jq ? terminal.blocking(() => jq.runEach([toJson(body)], 0)).join('') : `${toJson(body)}\n`;
    case 'yaml': {
      const { toYaml } = await import('./lazy/yaml.ts');
      return toYaml(body);
    }
    case 'csv': {
      const columns = columnsFor(view, [item]);
      return formatCsvHeader(columns) + formatCsvRow(item, columns);
    }
    case 'tsv':
      return formatTsvItem(item, columnsFor(view, [item]));
    default:
      return format satisfies never;
  }
}

/** Formats each jq value on its own lines: strings raw (sanitised in a terminal), other values as JSON. */
function formatJqOutput(terminal: Terminal, filter: JqFilter, json: string): string {
  const lines = terminal
    .blocking(() => filter.run(json))
    .map((value) => {
      if (value.startsWith('"')) {
        const text = String(JSON.parse(value));
        return terminal.stdoutIsTTY ? sanitizeBlock(text) : text;
      }
      return terminal.stdoutIsTTY ? toJson(parseExact(value), { pretty: true }) : escapeJson(value);
    });
  return lines.map((line) => `${line}\n`).join('');
}

/** The most rows in a batch. */
const MAX_ROWS = 500;

/** Yields batches of rows, none empty. A row never waits for a later one. */
export async function* batchRows<T>(rows: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let isDone = false;
  try {
    let batch: T[] = [];
    let idle = nextTurn();
    for (let next = Promise.resolve(iterator.next()); ; ) {
      const result = await Promise.race([next, idle]);
      if (result === undefined) {
        // No further row was ready within one turn of the event loop.
        if (batch.length > 0) yield batch;
        batch = [];
        await next;
        idle = nextTurn();
        continue;
      }
      isDone = result.done === true;
      if (result.done) break;
      batch.push(result.value);
      if (batch.length >= MAX_ROWS) {
        yield batch;
        batch = [];
        idle = nextTurn();
      }
      next = Promise.resolve(iterator.next());
    }
    if (batch.length > 0) yield batch;
  } finally {
    if (!isDone) await iterator.return?.();
  }
}

/** Resolves after all work that does not wait for I/O. */
const nextTurn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined));

/** Formats one tab-separated row, with its line break. */
export function formatTsvRow<T>(row: T, columns: readonly Column<T>[]): string {
  const cells = columns.map((column) =>
    sanitizeLine(formatForProgram(columnValue(column, row), column.kind)),
  );
  return `${cells.join('\t')}\n`;
}

/** Formats one item with a `key<TAB>value` line for each field. */
export function formatTsvItem<T>(item: T, columns: readonly Column<T>[]): string {
  return columns
    .map((column) => {
      const text = formatForProgram(columnValue(column, item), column.kind);
      return `${sanitizeLine(column.key)}\t${sanitizeLine(text)}\n`;
    })
    .join('');
}

/** Matches text that spreadsheets evaluate as a formula, in either width. Some skip leading blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

function formatCsvLine(cells: readonly string[]): string {
  // Readers skip an empty line, so a row with one empty cell is quoted.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map((cell) => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

function formatCsvCell(value: unknown, kind: Column<never>['kind']): string {
  // The check must see the sanitised text, which is the text that is written.
  const text = sanitizeBlock(formatForProgram(value, kind));
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** Formats the header of a CSV file from the keys of the columns. */
export function formatCsvHeader<T>(columns: readonly Column<T>[]): string {
  return formatCsvLine(columns.map((column) => formatCsvCell(column.key, 'text')));
}

/** Formats one CSV row (RFC 4180). An apostrophe precedes text that a spreadsheet would evaluate as a formula. */
export function formatCsvRow<T>(row: T, columns: readonly Column<T>[]): string {
  return formatCsvLine(columns.map((column) => formatCsvCell(columnValue(column, row), column.kind)));
}
