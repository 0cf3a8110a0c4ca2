/** EQUALS over an answer of several records: the target's lines against the records, whatever their order. */
import type { RecordForms } from './types.ts';

/**
 * True when the target's lines name each record exactly once and nothing else. A line may write its record in any
 * of the record's forms; empty lines and the white space around a line do not count.
 */
export function equalsRecords(
  records: readonly RecordForms[],
  target: string,
  fold: (text: string) => string,
): boolean {
  const lines = target
    .split(/\r?\n/)
    .map((line) => fold(line.trim()))
    .filter((line) => line !== '');
  if (lines.length !== records.length) return false;
  const unmatched = new Set(records);
  // The longest lines say the most about their record, so they choose before a short one takes it from them.
  for (const line of lines.sort((left, right) => right.length - left.length)) {
    const match = [...unmatched].find((record) => matchesLine(record, line, fold));
    if (match === undefined) return false;
    unmatched.delete(match);
  }
  return true;
}

function matchesLine(record: RecordForms, line: string, fold: (text: string) => string): boolean {
  if (!record.ignoreCase) return record.forms.some((form) => fold(form) === line);
  const lower = line.toLowerCase();
  return record.forms.some((form) => fold(form).toLowerCase() === lower);
}
