/** What a column is, and how its values read in a table, in the view of one item, and in a pipe. */
import { getLossyNumber, stringifyExact } from '../base/exact-numbers.ts';
import { bounded } from './bounded.ts';
import { valueAt } from './fields.ts';
import { sanitizeBlock, sanitizeLine } from './sanitize.ts';
import { absoluteTime, duration, isoTime, relativeTime, toInstant } from './time.ts';
import { statusTone, type Tone } from './tone.ts';

/**
 * How a value is meant. `time`: ISO 8601, milliseconds since the epoch or a Date; `duration`: milliseconds; `id`: never
 * cut while it fits, and so for whatever is to be copied; `number`: aligned to the right; `color`: `#RGB` or `#RRGGBB`,
 * shown beside its code where the terminal can.
 */
export type ColumnKind =
  | 'text'
  | 'time'
  | 'duration'
  | 'status'
  | 'boolean'
  | 'id'
  | 'list'
  | 'number'
  | 'color';

export interface Column<T> {
  /** The field's path in the API's spelling: what `--fields` names and what stands before the tab of an item. */
  readonly key: string;
  /** What a person reads above it; by default the key in words. */
  readonly header?: string;
  /** The value; by default the one at `key`. */
  readonly value?: (row: T) => unknown;
  readonly kind?: ColumnKind;
  /**
   * IDs that commands understand by their beginnings: on a screen a list shows as much of each as tells it from the others of the
   * list, unless the column was chosen.
   */
  readonly isShort?: boolean;
  readonly align?: 'left' | 'right';
  /** Where not all columns fit, those of the lowest priority go first. By default 100 for ids, 80 for states, else 50. */
  readonly priority?: number;
  /** Told elsewhere, too: where it finds no room nobody is told, unless it was chosen. */
  readonly spare?: boolean;
  /** How narrow a text may become before columns are left out; by default 12. */
  readonly minWidth?: number;
  /** A text that finds no room is broken into so many lines at most, instead of being cut. */
  readonly lines?: number;
}

/** For whom a value is written: a row among others, the one item looked at, a program. */
export type Reader = 'list' | 'item' | 'program';

export interface Reading {
  readonly now: number;
  readonly utc: boolean;
}

/** What stands where a person looks for a value and there is none. */
export const NOTHING = '—';

/** Whether there is no value to read. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? stringifyExact(value) : String(value);

/** The items of a list that is no deeper, with commas. */
const listText = (items: readonly unknown[], between: string): string =>
  items.map((item, index) => getLossyNumber(items, String(index)) ?? item).join(between);

/** A row's value in a column. */
export const columnValue = <T>(column: Column<T>, row: T): unknown =>
  column.value ? column.value(row) : valueAt(row, column.key);

/** A value as a program reads it: ISO times, milliseconds, true and false, lists with commas, JSON for objects. Unsanitised. */
export function programText(value: unknown, kind: ColumnKind | undefined): string {
  if (isNothing(value)) return '';
  if (kind === 'time') return isoTime(value) ?? plain(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return listText(value, ',');
  return plain(value);
}

/** A value as a person reads it, sanitised; an item's may have several lines. */
export function personText(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  reading: Reading,
): string {
  if (isNothing(value)) return NOTHING;
  const text = words(value, kind, reader, reading);
  return (reader === 'list' ? sanitizeLine(text).trim() : bounded(sanitizeBlock(text).trimEnd())) || NOTHING;
}

/** Milliseconds. In a list, tenths of longer ones would only keep the eye from comparing them. */
const TENTHS_BELOW = 10;

function words(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  reading: Reading,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (kind === 'duration' && typeof value === 'number') {
    return duration(reader === 'list' && value >= TENTHS_BELOW ? Math.round(value) : value);
  }
  if (kind === 'time') {
    const instant = toInstant(value);
    const absolute = absoluteTime(value, { utc: reading.utc });
    if (instant === undefined || absolute === undefined) return plain(value);
    const relative = relativeTime(instant, reading.now);
    return reader === 'list' ? relative : `${absolute} (${relative})`;
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return listText(value, ', ');
  return plain(value);
}

/** The tone of a cell. */
export function cellTone(value: unknown, kind: ColumnKind | undefined): Tone | undefined {
  if (isNothing(value)) return 'faint';
  return kind === 'status' ? statusTone(value) : undefined;
}

/** A column's heading: as declared, or its key in words (`request.startedAt` → `request started at`). */
export function heading<T>({ key, header }: Column<T>): string {
  const words =
    header ??
    key
      .replace(/[._]/g, ' ')
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase();
  return words.replace(/\b(?:id|url|api|dns|ssl)\b/g, (word) => word.toUpperCase());
}

/** A column's heading as it stands before the value of one item. */
export function labelOf<T>(column: Column<T>): string {
  const words = heading(column);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A column for a field that nobody declared, its kind read off its name and first value. */
export function guessColumn<T>(key: string, rows: readonly T[]): Column<T> {
  const sample = rows.map((row) => valueAt(row, key)).find((value) => !isNothing(value));
  const name = key.slice(key.lastIndexOf('.') + 1);
  return { key, kind: guessKind(name, sample) };
}

function guessKind(name: string, sample: unknown): ColumnKind {
  if (/(?:At|_at)$/.test(name) && toInstant(sample) !== undefined) return 'time';
  if (/^(?:id|key)$|Id$/.test(name)) return 'id';
  if (name === 'status') return 'status';
  if (Array.isArray(sample)) return 'list';
  if (typeof sample === 'boolean') return 'boolean';
  return typeof sample === 'number' ? 'number' : 'text';
}
