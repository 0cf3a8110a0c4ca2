/** Formats rows as tab-separated and comma-separated text. */

import { sanitizeBlock, sanitizeLine } from '../base/sanitize.ts';
import { type Column, columnValue, formatForProgram } from './columns.ts';

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
