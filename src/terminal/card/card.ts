/**
 * Defines cards, which show one resource to people. A `get` command passes `render` a function that creates the card.
 * Pipes, `--fields` and the formats for programs still use the columns:
 *
 * ```ts
 * await render(terminal, {
 *   kind: 'item', data: window, output, columns: itemColumns,
 *   card: async (window) => (await import('./lazy/maintenance-card.ts')).windowCard(window),
 * });
 * ```
 *
 * The card itself is in a module that is loaded only for terminals:
 *
 * ```ts
 * export const windowCard = (window: MaintenanceWindow): Card => ({
 *   title: { text: window.name, state: 'ACTIVE', tone: 'busy', aside: `window ${window.id}` },
 *   sections: [
 *     facts([
 *       { label: 'Starts', value: window.startsAt, kind: 'time' }, // absolute, and relative in parentheses
 *       { label: 'Pauses', value: window.tags, kind: 'list' }, // undefined: omitted; null, '' and []: —
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
 * The layout sanitises, colours and measures all texts. Empty sections are omitted. Commands and links are never
 * wrapped, so that they can be copied.
 */
import { type Column, type ColumnKind, columnLabel, columnValue, isEmptyValue } from '../columns.ts';
import type { Tone } from '../tone.ts';

export interface Card {
  readonly title: Title;
  readonly sections: readonly Section[];
}

/** The state and name of the resource: `✗ FAILED  Login page  DNS check`. */
export interface Title {
  readonly text: string;
  /** The state in the API, shown with the mark and colour of its tone. */
  readonly state?: string | undefined;
  /** Overrides the tone of the state. */
  readonly tone?: Tone | undefined;
  /** Shown dimmed after the text. */
  readonly aside?: string | undefined;
}

export interface Fact {
  readonly label: string;
  /** Formatted as in a column of this kind; a fact with undefined is omitted. */
  readonly value: unknown;
  readonly kind?: ColumnKind;
  readonly tone?: Tone | undefined;
}

/** A node of a tree. */
export interface Branch {
  readonly text: string;
  /** Shown dimmed after the text. */
  readonly aside?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly branches?: readonly Branch[];
}

/** A line to copy. */
export interface CopyLine {
  readonly label: string;
  readonly line: string;
  /** The heading of a table column with the same value. The line is omitted if that column is visible. */
  readonly unlessColumn?: string | undefined;
}

interface Headed {
  /** Shown above the section. */
  readonly heading?: string | undefined;
}

export type Section = Headed &
  (
    | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
    | {
        readonly kind: 'table';
        readonly columns: readonly Column<never>[];
        /** The values of each row, in the order of the columns. */
        readonly rows: readonly (readonly unknown[])[];
      }
    | { readonly kind: 'tree'; readonly branches: readonly Branch[] }
    | { readonly kind: 'text'; readonly text: string; readonly tone?: Tone | undefined }
    | { readonly kind: 'pointers'; readonly pointers: readonly CopyLine[] }
  );

/** Creates a section of labelled values, one per line. */
export const facts = (items: readonly Fact[], heading?: string): Section => ({
  kind: 'facts',
  heading,
  facts: items.filter(({ value }) => value !== undefined),
});

/** Creates a section with the values of columns. Empty values are omitted. */
export const factsOf = <T>(columns: readonly Column<T>[], item: T): Section =>
  facts(
    columns.flatMap((column): readonly Fact[] => {
      const value = columnValue(column, item);
      const label = columnLabel(column);
      return isEmptyValue(value) ? [] : [{ label, value, ...(column.kind ? { kind: column.kind } : {}) }];
    }),
  );

/** Creates a section with a table. Columns are declared and hidden as in a list. */
export const table = <T>(section: {
  readonly heading?: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}): Section => ({
  kind: 'table',
  heading: section.heading,
  columns: section.columns,
  rows: section.rows.map((row) => section.columns.map((column) => columnValue(column, row))),
});

/** Creates a section with a tree. */
export const tree = (section: {
  readonly heading?: string;
  readonly branches: readonly Branch[];
}): Section => ({
  kind: 'tree',
  ...section,
});

/** Creates a section of sentences, wrapped between words. */
export const text = (sentences: string, tone?: Tone): Section => ({ kind: 'text', text: sentences, tone });

/** Creates a section with the next commands. */
export const commands = (items: readonly { readonly does: string; readonly line: string }[]): Section => ({
  kind: 'pointers',
  pointers: items.map(({ does, line }) => ({ label: does, line })),
});

/** Creates a section with links. Links without a URL are omitted. */
export const links = (
  items: readonly {
    readonly label: string;
    readonly url: string | undefined;
    readonly unlessColumn?: string;
  }[],
): Section => ({
  kind: 'pointers',
  pointers: items.flatMap(({ label, url, unlessColumn }) =>
    url ? [{ label, line: url, unlessColumn }] : [],
  ),
});
