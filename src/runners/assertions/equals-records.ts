/** Compares an answer of several records with the lines of a target, in any order. */
import type { RecordForms } from './types.ts';

/**
 * Returns whether the lines of the target match each record exactly once. A line may use any form of its record;
 * empty lines and surrounding white space are ignored.
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
  // The longest lines are the most specific, so they are matched first.
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
