/** What is to be printed: its rows, and which of their columns are shown. */
import type { Card } from './card/card.ts';
import { type Column, guessColumn } from './columns.ts';
import type { ExtraFormat, OutputOptions } from './output.ts';

interface ViewBase<T> {
  /** What a person sees of it. Without any, every field of the data. */
  readonly columns?: readonly Column<T>[];
  readonly output: OutputOptions;
  /** The formats that only this command offers: each makes the whole text. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, () => string>>>;
  /** Further names that `--fields` may give, so that a field which no row happens to have isn't called unknown. */
  readonly knownFields?: readonly string[];
}

/** What is to be printed; `data` is the API's body (of a list, its rows), as it came. */
export type View<T> = ViewBase<T> &
  (
    | {
        readonly kind: 'item';
        readonly data: T;
        /** How a person sees it, unless they choose fields; see `card/card.ts`. Without one, a line a column. */
        readonly card?: ((item: T) => Card | Promise<Card>) | undefined;
      }
    /** Answers to several ids: for one the item itself, else a list. */
    | { readonly kind: 'items'; readonly data: readonly T[] }
    | {
        readonly kind: 'list';
        readonly data: Iterable<T> | AsyncIterable<T>;
        /** Said on stderr where a table would have no rows. */
        readonly empty?: string;
        /** Sums up a table for a person who reads both streams on one screen: said below it. */
        readonly summary?: (rows: readonly T[]) => string;
        /** What shows all of a table that found no room: by default the same command again, with `-o tsv`. */
        readonly whole?: string;
      }
  );

/** One thing, or many of which nobody knows yet how many. */
export type Rows<T> = { readonly one: T } | { readonly many: Iterable<T> | AsyncIterable<T> };

export function rowsOf<T>(view: View<T>): Rows<T> {
  if (view.kind === 'item') return { one: view.data };
  if (view.kind === 'list') return { many: view.data };
  const [first] = view.data;
  return first !== undefined && view.data.length === 1 ? { one: first } : { many: view.data };
}

/** All rows, once they have come. */
export async function gather<T>(rows: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** The names that `--fields` may give. */
export const knownNames = <T>(view: View<T>): string[] => [
  ...(view.columns ?? []).map((column) => column.key),
  ...(view.knownFields ?? []),
];

/** The columns to show: those chosen by `--fields`, else those declared, else all that the rows have. */
export function columnsFor<T>(view: View<T>, rows: readonly T[]): readonly Column<T>[] {
  const declared = view.columns ?? [];
  const chosen = view.output.fields;
  if (chosen) {
    return chosen.map((key) => declared.find((column) => column.key === key) ?? guessColumn(key, rows));
  }
  if (declared.length > 0) return declared;
  const keys = new Set(
    rows.flatMap((row) => (typeof row === 'object' && row !== null ? Object.keys(row) : [])),
  );
  return [...keys].map((key) => guessColumn(key, rows));
}
