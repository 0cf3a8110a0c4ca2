/** Prints a result for programs: JSON, JSON lines, YAML, CSV and tab-separated text. */
import { tmpdir } from 'node:os';
import { parseExact } from '../base/exact-numbers.ts';
import { batchesOf } from './batches.ts';
import type { Column } from './columns.ts';
import { csvHeader, csvRow, tsvItem, tsvRow } from './delimited.ts';
import { createFieldCheck, pick } from './fields.ts';
import { escapeJson, toJson } from './json.ts';
import type { JqFilter } from './lazy/jq.ts';
import type { ExtraFormat, OutputFormat } from './output.ts';
import { sanitizeBlock } from './sanitize.ts';
import { openSpool, type Spool } from './spool.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, knownNames, type Rows, type View } from './view.ts';

/** The forms that are the same whoever reads them. */
export type MachineFormat = Exclude<OutputFormat, 'table' | ExtraFormat>;

/** How rows become the text of a list. */
interface Writer<T> {
  /** Comes before the first row; `rows` are those of the first batch, none of an empty list. */
  head?(rows: readonly T[]): string;
  /** `first`: how many rows came before. */
  rows(rows: readonly T[], first: number): string;
  tail?(count: number): string;
}

/** Prints rows in a form for programs; see `render`. */
export async function printForPrograms<T>(
  terminal: Terminal,
  view: View<T>,
  rows: Rows<T>,
  format: MachineFormat,
): Promise<void> {
  if ('one' in rows) return terminal.out(await itemText(terminal, view, rows.one, format));
  const { jq } = view.output;
  const writer = await writerFor(terminal, view, rows.many, format);
  if (format === 'json' && jq) {
    // jq takes the whole as one text.
    const pieces: string[] = [];
    await writeList(view, rows.many, writer, async (text) => void pieces.push(text));
    return terminal.out(jqText(terminal, jq, pieces.join('')));
  }
  if (format !== 'json' && format !== 'yaml') {
    return writeList(view, rows.many, writer, (text) => terminal.out(text), terminal);
  }
  // A part of an array is no array, and a part of a YAML list looks like a whole one: all of it or nothing.
  const spool = openSpool(tmpdir());
  try {
    await writeList(view, rows.many, writer, (text) => spool.write(text));
    await pour(spool, terminal);
  } finally {
    await spool.close();
  }
}

async function pour(spool: Spool, terminal: Terminal): Promise<void> {
  for await (const text of spool.read()) {
    await terminal.out(text);
    if (terminal.readerGone) return;
  }
}

/**
 * Writes a list batch by batch, so that no more of it is kept than a batch. `reader`: whom it is written to at once;
 * names that nothing of the first batch has are then refused before anything is written, else at the end.
 */
async function writeList<T>(
  view: View<T>,
  rows: Iterable<T> | AsyncIterable<T>,
  writer: Writer<T>,
  write: (text: string) => Promise<void>,
  reader?: Terminal,
): Promise<void> {
  const check = createFieldCheck(view.output.fields ?? [], knownNames(view));
  let count = 0;
  for await (const batch of batchesOf(rows)) {
    // Of rows that are all there, all are asked.
    if (count === 0 || !Array.isArray(rows)) check.see(Array.isArray(rows) ? rows : batch);
    if (reader && count === 0) check.judge();
    const head = count === 0 ? (writer.head?.(batch) ?? '') : '';
    await write(head + writer.rows(batch, count));
    if (reader?.readerGone) return;
    count += batch.length;
  }
  check.judge();
  const head = count === 0 ? (writer.head?.([]) ?? '') : '';
  await write(head + (writer.tail?.(count) ?? ''));
}

async function writerFor<T>(
  terminal: Terminal,
  view: View<T>,
  many: Iterable<T> | AsyncIterable<T>,
  format: MachineFormat,
): Promise<Writer<T>> {
  const { fields, jq } = view.output;
  const chosen = (row: T): unknown => (fields ? pick(row, fields) : row);
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
              return terminal.blocking(() => jq.each(texts, first)).join('');
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
      const [header, line] = format === 'csv' ? [csvHeader, csvRow] : [() => '', tsvRow];
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

async function itemText<T>(
  terminal: Terminal,
  view: View<T>,
  item: T,
  format: MachineFormat,
): Promise<string> {
  const { fields, jq } = view.output;
  if (fields) {
    const check = createFieldCheck(fields, knownNames(view));
    check.see([item]);
    check.judge();
  }
  const body = fields ? pick(item, fields) : item;
  switch (format) {
    case 'json':
      return jq ? jqText(terminal, jq, toJson(body)) : `${toJson(body, { pretty: terminal.stdoutIsTTY })}\n`;
    case 'jsonl':
      return jq ? terminal.blocking(() => jq.each([toJson(body)], 0)).join('') : `${toJson(body)}\n`;
    case 'yaml': {
      const { toYaml } = await import('./lazy/yaml.ts');
      return toYaml(body);
    }
    case 'csv': {
      const columns = columnsFor(view, [item]);
      return csvHeader(columns) + csvRow(item, columns);
    }
    case 'tsv':
      return tsvItem(item, columnsFor(view, [item]));
    default:
      return format satisfies never;
  }
}

/** Each value on lines of its own: a text as it is (in a terminal sanitised), anything else as JSON. */
function jqText(terminal: Terminal, filter: JqFilter, json: string): string {
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
