/** Rows as text for programs: tab-separated and comma-separated. */
import { type Column, columnValue, programText } from './columns.ts';
import { sanitizeBlock, sanitizeLine } from './sanitize.ts';

/** One row, tab-separated, with its line break. */
export function tsvRow<T>(row: T, columns: readonly Column<T>[]): string {
  const cells = columns.map((column) => sanitizeLine(programText(columnValue(column, row), column.kind)));
  return `${cells.join('\t')}\n`;
}

/** One item, a `key<TAB>value` line a field. */
export function tsvItem<T>(item: T, columns: readonly Column<T>[]): string {
  return columns
    .map((column) => {
      const text = programText(columnValue(column, item), column.kind);
      return `${sanitizeLine(column.key)}\t${sanitizeLine(text)}\n`;
    })
    .join('');
}

/** What a spreadsheet takes for a formula, in either width; some skip what is blank before it. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

function csvLine(cells: readonly string[]): string {
  // A line with nothing on it is no row to those who read it.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map((cell) => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

function csvCell(value: unknown, kind: Column<never>['kind']): string {
  // What is judged is what will stand there.
  const text = sanitizeBlock(programText(value, kind));
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** The header of a CSV file: the columns' keys. */
export function csvHeader<T>(columns: readonly Column<T>[]): string {
  return csvLine(columns.map((column) => csvCell(column.key, 'text')));
}

/** One row of CSV as in RFC 4180; text that a spreadsheet would run as a formula is led by an apostrophe. */
export function csvRow<T>(row: T, columns: readonly Column<T>[]): string {
  return csvLine(columns.map((column) => csvCell(columnValue(column, row), column.kind)));
}
