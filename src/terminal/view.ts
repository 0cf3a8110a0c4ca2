/** Defines a view, the data and columns to print, and selects its columns. */
import type { Card } from './card/card.ts';
import { type Column, inferColumn } from './columns.ts';
import type { ExtraFormat, OutputOptions } from './output.ts';

interface ViewBase<T> {
  /** The columns of a table; by default every field of the data. */
  readonly columns?: readonly Column<T>[];
  readonly output: OutputOptions;
  /** Formats that only this command supports; each function returns the complete text. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, () => string>>>;
  /** Further valid names for `--fields`, even if no row has them. */
  readonly knownFields?: readonly string[];
}

/** The data to print: the unchanged body of the API, or the rows of a list. */
export type View<T> = ViewBase<T> &
  (
    | {
        readonly kind: 'item';
        readonly data: T;
        /** The card for a person who selects no fields; see `card/card.ts`. Without one, each column is a line. */
        readonly card?: ((item: T) => Card | Promise<Card>) | undefined;
      }
    /** The results for several IDs: one is printed as an item, several as a list. */
    | { readonly kind: 'items'; readonly data: readonly T[] }
    | {
        readonly kind: 'list';
        readonly data: Iterable<T> | AsyncIterable<T>;
        /** A note on stderr instead of an empty table. */
        readonly empty?: string;
        /** Summarizes a table in a note below it, if both streams are on one screen. */
        readonly summary?: (rows: readonly T[]) => string;
        /** Shows hidden or truncated columns of a table; by default `-o tsv`. */
        readonly fullOutput?: string;
      }
  );

/** One item, or a list of unknown length. */
export type ItemOrRows<T> = { readonly one: T } | { readonly many: Iterable<T> | AsyncIterable<T> };

export function toItemOrRows<T>(view: View<T>): ItemOrRows<T> {
  if (view.kind === 'item') return { one: view.data };
  if (view.kind === 'list') return { many: view.data };
  const [first] = view.data;
  return first !== undefined && view.data.length === 1 ? { one: first } : { many: view.data };
}

/** Returns all rows after they have arrived. */
export async function toArray<T>(rows: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Returns the declared names for `--fields`. */
export const knownNames = <T>(view: View<T>): string[] => [
  ...(view.columns ?? []).map((column) => column.key),
  ...(view.knownFields ?? []),
];

/** Returns the columns to show: those of `--fields`, else the declared ones, else all fields of the rows. */
export function columnsFor<T>(view: View<T>, rows: readonly T[]): readonly Column<T>[] {
  const declared = view.columns ?? [];
  const chosen = view.output.fields;
  if (chosen) {
    return chosen.map((key) => declared.find((column) => column.key === key) ?? inferColumn(key, rows));
  }
  if (declared.length > 0) return declared;
  const keys = new Set(
    rows.flatMap((row) => (typeof row === 'object' && row !== null ? Object.keys(row) : [])),
  );
  return [...keys].map((key) => inferColumn(key, rows));
}
