/** Prints a result for programs: JSON, JSON lines, YAML, CSV and tab-separated text. */
import { OutputError } from '../base/errors.ts';
import type { Column } from './columns.ts';
import { csvHeader, csvRow, tsvItem, tsvRow } from './delimited.ts';
import { checkFields, pick } from './fields.ts';
import { escapeJson, toJson } from './json.ts';
import type { JqFilter } from './lazy/jq.ts';
import type { ExtraFormat, OutputFormat } from './output.ts';
import { sanitizeBlock } from './sanitize.ts';
import type { Terminal } from './terminal.ts';
import { columnsFor, gather, knownNames, type Rows, type View } from './view.ts';

/** The forms that are the same whoever reads them. */
export type MachineFormat = Exclude<OutputFormat, 'table' | ExtraFormat>;

/** Prints rows in a form for programs; see `render`. */
export async function printForPrograms<T>(
  terminal: Terminal,
  view: View<T>,
  rows: Rows<T>,
  format: MachineFormat,
): Promise<void> {
  if ('many' in rows && (format === 'tsv' || format === 'csv' || format === 'jsonl')) {
    return stream(terminal, view, rows.many, format);
  }
  const all = 'one' in rows ? [rows.one] : await gather(rows.many);
  const chosen = view.output.fields;
  if (chosen) checkFields(chosen, knownNames(view), all);
  const data: unknown = 'one' in rows ? rows.one : all;
  const body = chosen ? pick(data, chosen) : data;

  switch (format) {
    case 'json':
      return view.output.jq
        ? printJq(terminal, view.output.jq, body)
        : terminal.out(`${toJson(body, { pretty: terminal.stdoutIsTTY })}\n`);
    case 'jsonl':
      return terminal.out(`${toJson(body)}\n`);
    case 'yaml': {
      const { toYaml } = await import('./lazy/yaml.ts');
      return terminal.out(toYaml(body));
    }
    case 'csv': {
      const columns = columnsFor(view, all);
      return terminal.out(csvHeader(columns) + all.map((row) => csvRow(row, columns)).join(''));
    }
    case 'tsv':
      return terminal.out(all.map((row) => tsvItem(row, columnsFor(view, all))).join(''));
    default:
      return format satisfies never;
  }
}

/** Rows are joined up to this many characters before they are written. */
const CHUNK = 64 * 1024;

async function stream<T>(
  terminal: Terminal,
  view: View<T>,
  rows: Iterable<T> | AsyncIterable<T>,
  format: Extract<MachineFormat, 'tsv' | 'csv' | 'jsonl'>,
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
