/** Defines the blocks of a help page, for the terminal, man pages and docs. */
import type { ExampleLine, Row } from '../framework/help-layout.ts';

export type HelpBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'lines'; readonly lines: readonly ExampleLine[] };

/** The user who reads a page, whose paths it shows. */
export interface HelpReader {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The reader of docs and man pages, which are the same for all users. */
export const GENERIC_READER: HelpReader = { env: {}, home: '~' };

export const text = (sentences: string): HelpBlock => ({ kind: 'text', text: sentences });
export const heading = (words: string): HelpBlock => ({ kind: 'heading', text: words });
export const rows = (...each: readonly Row[]): HelpBlock => ({ kind: 'rows', rows: each });
export const lines = (...each: readonly (readonly [line: string, does: string])[]): HelpBlock => ({
  kind: 'lines',
  lines: each.map(([line, does]) => ({ line, does })),
});
