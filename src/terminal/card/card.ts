/**
 * Cards: how the view of one thing is declared for a person. A `get` command hands `render` a maker besides its columns,
 * which stay what a pipe, `--fields` and the machine forms show:
 *
 * ```ts
 * await render(terminal, {
 *   kind: 'item', data: window, output, columns: itemColumns,
 *   card: async (window) => (await import('../shared/maintenance/late/card.ts')).windowCard(window),
 * });
 * ```
 *
 * and the card itself, in a module that only a terminal loads:
 *
 * ```ts
 * export const windowCard = (window: MaintenanceWindow): Card => ({
 *   title: { text: window.name, state: 'ACTIVE', tone: 'busy', aside: `window ${window.id}` },
 *   sections: [
 *     facts([
 *       { label: 'Starts', value: window.startsAt, kind: 'time' }, // absolute, and relative in parentheses
 *       { label: 'Pauses', value: window.tags, kind: 'list' }, // undefined: left out; null, '' and []: —
 *     ]),
 *     table({ heading: 'Next times', columns: [{ key: 'startsAt', kind: 'time' }], rows: occurrences }),
 *     tree({ heading: 'Shown on', branches: [{ text: 'Status page', branches: [{ text: 'A service' }] }] }),
 *     text('The window is open. Checks with these tags do not run until it ends.'),
 *     commands([{ does: 'End it now', line: 'sonde maintenance end 12' }]),
 *     links([{ label: 'Page', url: 'https://example.test/12' }]),
 *   ],
 * });
 * ```
 *
 * Nothing needs to be sanitised, coloured or measured before: the engine does it. Sections without anything in them are
 * left out. Commands and links are never broken, so that they can be copied.
 */
import { type Column, type ColumnKind, columnValue, isNothing, labelOf } from '../columns.ts';
import type { Tone } from '../tone.ts';

export interface Card {
  readonly title: Title;
  readonly sections: readonly Section[];
}

/** What it is, and first how it stands: `✗ FAILED  Login page  DNS check`. */
export interface Title {
  readonly text: string;
  /** The API's word, shown with the mark and colour of its tone. */
  readonly state?: string | undefined;
  /** Where the state's own tone isn't meant, or the state has none. */
  readonly tone?: Tone | undefined;
  /** Said faintly behind it. */
  readonly aside?: string | undefined;
}

export interface Fact {
  readonly label: string;
  /** Shown as in a column of this kind; undefined: the fact is left out. */
  readonly value: unknown;
  readonly kind?: ColumnKind;
  readonly tone?: Tone | undefined;
}

/** A node of a tree. */
export interface Branch {
  readonly text: string;
  /** Said faintly behind it. */
  readonly aside?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly branches?: readonly Branch[];
}

/** A line to be copied. */
export interface Pointer {
  readonly label: string;
  readonly line: string;
  /** The heading of a table's column that shows it, too: left out where that column finds room. */
  readonly unless?: string | undefined;
}

interface Headed {
  /** Stands above the section. */
  readonly heading?: string | undefined;
}

export type Section = Headed &
  (
    | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
    | {
        readonly kind: 'table';
        readonly columns: readonly Column<never>[];
        /** The values of a row, in the order of the columns. */
        readonly rows: readonly (readonly unknown[])[];
      }
    | { readonly kind: 'tree'; readonly branches: readonly Branch[] }
    | { readonly kind: 'text'; readonly text: string; readonly tone?: Tone | undefined }
    | { readonly kind: 'pointers'; readonly pointers: readonly Pointer[] }
  );

/** Labelled values, one below the other. */
export const facts = (its: readonly Fact[], heading?: string): Section => ({
  kind: 'facts',
  heading,
  facts: its.filter(({ value }) => value !== undefined),
});

/** What columns tell of one item; those with nothing to tell are left out. */
export const factsOf = <T>(columns: readonly Column<T>[], item: T): Section =>
  facts(
    columns.flatMap((column): readonly Fact[] => {
      const value = columnValue(column, item);
      const words = labelOf(column);
      return isNothing(value) ? [] : [{ label: words, value, ...(column.kind ? { kind: column.kind } : {}) }];
    }),
  );

/** Rows under heads; columns are declared as those of a list, and go in the same order where there is little room. */
export const table = <T>(its: {
  readonly heading?: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}): Section => ({
  kind: 'table',
  heading: its.heading,
  columns: its.columns,
  rows: its.rows.map((row) => its.columns.map((column) => columnValue(column, row))),
});

/** What consists of parts that consist of parts. */
export const tree = (its: { readonly heading?: string; readonly branches: readonly Branch[] }): Section => ({
  kind: 'tree',
  ...its,
});

/** Sentences, broken between words. */
export const text = (sentences: string, tone?: Tone): Section => ({ kind: 'text', text: sentences, tone });

/** Command lines that go on from here. */
export const commands = (its: readonly { readonly does: string; readonly line: string }[]): Section => ({
  kind: 'pointers',
  pointers: its.map(({ does, line }) => ({ label: does, line })),
});

/** Addresses; those without one are left out. `unless`: see Pointer. */
export const links = (
  its: readonly { readonly label: string; readonly url: string | undefined; readonly unless?: string }[],
): Section => ({
  kind: 'pointers',
  pointers: its.flatMap(({ label, url, unless }) => (url ? [{ label, line: url, unless }] : [])),
});
