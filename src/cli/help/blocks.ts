/** What a page of help is made of: for the terminal, man pages and documents alike. */
import type { Row, TypedLine } from '../framework/help-layout.ts';

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'lines'; readonly lines: readonly TypedLine[] };

/** What a page may know of whoever reads it; the man pages are made for nobody in particular. */
export interface Reader {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Whoever reads what is written for all: documents and man pages. */
export const ANYBODY: Reader = { env: {}, home: '~' };

export const text = (sentences: string): Block => ({ kind: 'text', text: sentences });
export const heading = (words: string): Block => ({ kind: 'heading', text: words });
export const rows = (...each: readonly Row[]): Block => ({ kind: 'rows', rows: each });
export const lines = (...each: readonly (readonly [line: string, does: string])[]): Block => ({
  kind: 'lines',
  lines: each.map(([line, does]) => ({ line, does })),
});
