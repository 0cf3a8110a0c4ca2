/** Defines columns and formats their values for tables, for the view of one item, and for pipes. */
import { getLossyNumber, stringifyExact } from '../base/exact-numbers.ts';
import { formatDuration } from '../base/format-duration.ts';
import { sanitizeBlock, sanitizeLine } from '../base/sanitize.ts';
import { tolerate } from '../base/tolerate.ts';
import { valueAt } from './fields.ts';
import { formatAbsoluteTime, formatIsoTime, formatRelativeTime, toInstant } from './time.ts';
import { statusTone, type Tone } from './tone.ts';

/**
 * The type of a value. `time`: ISO 8601, milliseconds since the epoch or a Date; `duration`: milliseconds; `id`: an ID
 * or other text to copy, truncated last; `number`: aligned right; `color`: `#RGB` or `#RRGGBB`, with a swatch if the
 * terminal supports it.
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
  /** The path of the field in the API, as in `--fields` and in the tab-separated view of an item. */
  readonly key: string;
  /** The heading for people; by default derived from the key. */
  readonly header?: string;
  /** Returns the value; by default the value at `key`. */
  readonly value?: (row: T) => unknown;
  readonly kind?: ColumnKind;
  /**
   * Marks IDs that commands accept in short form. A list on a screen shows the shortest unique prefix, unless
   * `--fields` selects the column.
   */
  readonly isShort?: boolean;
  readonly align?: 'left' | 'right';
  /** Columns with the lowest priority are hidden first. By default 100 for IDs, 80 for states, else 50. */
  readonly priority?: number;
  /** Other output shows the value too, so a hidden column is not reported unless `--fields` selects it. */
  readonly isRedundant?: boolean;
  /** The minimum width of a text before columns are hidden; by default 12. */
  readonly minWidth?: number;
  /** The most lines of a text that is too wide, which is wrapped instead of cut. */
  readonly lines?: number;
}

/** For whom a value is written: a row among others, the one item looked at, a program. */
export type Reader = 'list' | 'item' | 'program';

export interface TimeOptions {
  readonly now: number;
  readonly utc: boolean;
}

/** Shown to people instead of an empty value. */
export const EMPTY_VALUE = '—';

/** Returns whether a value is empty. */
export const isEmptyValue = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const formatPlain = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? stringifyExact(value) : String(value);

/** Joins the items of a flat list. */
const formatList = (items: readonly unknown[], between: string): string =>
  items.map((item, index) => getLossyNumber(items, String(index)) ?? item).join(between);

/** Returns the value of a row in a column; undefined if the row lacks a field that the column needs. */
export const columnValue = <T>(column: Column<T>, row: T): unknown =>
  column.value ? tolerate(() => column.value?.(row)) : valueAt(row, column.key);

/**
 * Formats a value for programs: ISO times, milliseconds, true and false, lists with commas, JSON for objects. Not
 * sanitised.
 */
export function formatForProgram(value: unknown, kind: ColumnKind | undefined): string {
  if (isEmptyValue(value)) return '';
  if (kind === 'time') return formatIsoTime(value) ?? formatPlain(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return formatList(value, ',');
  return formatPlain(value);
}

/** Formats a value for people, sanitised. The value of an item can have several lines. */
export function formatForPerson(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  options: TimeOptions,
): string {
  if (isEmptyValue(value)) return EMPTY_VALUE;
  const text = formatValue(value, kind, reader, options);
  return (
    (reader === 'list' ? sanitizeLine(text).trim() : truncateValue(sanitizeBlock(text).trimEnd())) ||
    EMPTY_VALUE
  );
}

/** Longer durations (ms) have no tenths in lists, so that they are easier to compare. */
const TENTHS_BELOW = 10;

function formatValue(
  value: unknown,
  kind: ColumnKind | undefined,
  reader: 'list' | 'item',
  options: TimeOptions,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (kind === 'duration' && typeof value === 'number') {
    return formatDuration(reader === 'list' && value >= TENTHS_BELOW ? Math.round(value) : value);
  }
  if (kind === 'time') {
    const instant = toInstant(value);
    const absolute = formatAbsoluteTime(value, { utc: options.utc });
    if (instant === undefined || absolute === undefined) return formatPlain(value);
    const relative = formatRelativeTime(instant, options.now);
    return reader === 'list' ? relative : `${absolute} (${relative})`;
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return formatList(value, ', ');
  return formatPlain(value);
}

/** Returns the tone of a cell. */
export function cellTone(value: unknown, kind: ColumnKind | undefined): Tone | undefined {
  if (isEmptyValue(value)) return 'faint';
  return kind === 'status' ? statusTone(value) : undefined;
}

/** Returns the declared heading of a column, or one from its key (`request.startedAt` → `request started at`). */
export function columnHeading<T>({ key, header }: Column<T>): string {
  const text =
    header ??
    key
      .replace(/[._]/g, ' ')
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase();
  return text.replace(/\b(?:id|url|api|dns|ssl)\b/g, (word) => word.toUpperCase());
}

/** Returns the heading of a column as a label, with a capital letter. */
export function columnLabel<T>(column: Column<T>): string {
  const text = columnHeading(column);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a column for an undeclared field, with its kind inferred from its name and first value. */
export function inferColumn<T>(key: string, rows: readonly T[]): Column<T> {
  const sample = rows.map((row) => valueAt(row, key)).find((value) => !isEmptyValue(value));
  const name = key.slice(key.lastIndexOf('.') + 1);
  return { key, kind: inferKind(name, sample) };
}

function inferKind(name: string, sample: unknown): ColumnKind {
  if (/(?:At|_at)$/.test(name) && toInstant(sample) !== undefined) return 'time';
  if (/^(?:id|key)$|Id$/.test(name)) return 'id';
  if (name === 'status') return 'status';
  if (Array.isArray(sample)) return 'list';
  if (typeof sample === 'boolean') return 'boolean';
  return typeof sample === 'number' ? 'number' : 'text';
}

/** The scripts of checks are shorter. */
const MAX_CHARACTERS = 10_000;

/** Returns the text, or its beginning and how to see the rest. */
export const truncateValue = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}… (${text.length - MAX_CHARACTERS} more characters; --json shows all)`;
