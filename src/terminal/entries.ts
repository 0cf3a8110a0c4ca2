/** Lays out labelled values, one below the other: the view of one item, and the facts of a card. */
import type { ColumnKind } from './columns.ts';
import { fold } from './fold.ts';
import { type Canvas, type Cell, GAP, isProse } from './table.ts';
import { paintCell } from './tone.ts';

/** One labelled value. */
export interface Entry extends Cell {
  readonly label: string;
  readonly kind?: ColumnKind | undefined;
}

/** How narrow a column of values may be before breaking them does more harm than good. */
const FOLD_FROM = 24;
/** Lines that are longer are hard to read, however wide the window is. */
const MOST_COLUMNS = 100;

/** A label and its value a line; long prose is broken between words beside its label. */
export function layoutEntries(entries: readonly Entry[], canvas: Canvas): readonly string[] {
  const { measure, styles } = canvas;
  const indent = entries.reduce((widest, entry) => Math.max(widest, measure.width(entry.label)), 0);
  const room = canvas.width - indent - GAP.length;

  return entries.flatMap(({ label, text, kind, ...cell }) => {
    const value = text.replaceAll('\t', '    ');
    const folds = isProse(kind) && room >= FOLD_FROM && room !== Number.POSITIVE_INFINITY;
    const lines = folds
      ? fold(value, Math.min(room, MOST_COLUMNS), { ...measure, breaksAll: false })
      : value.split('\n');
    return lines.map((line, index) => {
      const lead = index === 0 ? label : '';
      const padding = ' '.repeat(indent - measure.width(lead) + GAP.length);
      if (line === '') return styles.bold(lead);
      return `${lead === '' ? '' : styles.bold(lead)}${padding}${paintCell(line, cell, styles)}`;
    });
  });
}
