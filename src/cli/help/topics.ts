/** Lists the topics of `sonde help`. Their pages are lazy-loaded. */
import type { ExampleLine, Row } from '../framework/help-layout.ts';

/** Topic → one line, without a full stop. */
export const TOPICS = {
  options: 'Flags that every command accepts',
  input: 'Input values: flags, files, stdin and --set',
  formatting: 'Output formats: tables, JSON, jq and columns',
  credentials: 'Credentials: profiles, API keys and their precedence',
  'exit-codes': 'Exit codes: their meaning and the guarantees of a gate',
  environment: 'Environment variables that sonde reads',
  files: 'Files that sonde stores on this machine',
  locations: 'Locations that checks run from',
  assertions: 'Assertions on the response of a check',
} as const;

export type TopicName = keyof typeof TOPICS;

export const topicNames = Object.keys(TOPICS) as readonly TopicName[];

export const isTopic = (word: string): word is TopicName => Object.hasOwn(TOPICS, word);

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
