/** Lays out labelled values, one per line, for the view of one item and the facts of a card. */
import type { ColumnKind } from './columns.ts';
import { fold } from './fold.ts';
import { type Canvas, type Cell, GAP, isProse } from './table.ts';
import { paintCell } from './tone.ts';

/** A labelled value. */
export interface Entry extends Cell {
  readonly label: string;
  readonly kind?: ColumnKind | undefined;
}

/** Columns that values need before wrapping helps. */
const MIN_FOLD_WIDTH = 24;
/** Longer lines are hard to read, even in a wide window. */
const MAX_LINE_WIDTH = 100;

/** Returns one line per label and value. Long prose is wrapped beside its label. */
export function layoutEntries(entries: readonly Entry[], canvas: Canvas): readonly string[] {
  const { measure, styles } = canvas;
  const indent = entries.reduce((widest, entry) => Math.max(widest, measure.width(entry.label)), 0);
  const room = canvas.width - indent - GAP.length;

  return entries.flatMap(({ label, text, kind, ...cell }) => {
    const value = text.replaceAll('\t', '    ');
    const folds = isProse(kind) && room >= MIN_FOLD_WIDTH && room !== Number.POSITIVE_INFINITY;
    const lines = folds
      ? fold(value, Math.min(room, MAX_LINE_WIDTH), { ...measure, breaksAll: false })
      : value.split('\n');
    return lines.map((line, index) => {
      const lead = index === 0 ? label : '';
      const padding = ' '.repeat(indent - measure.width(lead) + GAP.length);
      if (line === '') return styles.bold(lead);
      return `${lead === '' ? '' : styles.bold(lead)}${padding}${paintCell(line, cell, styles)}`;
    });
  });
}
