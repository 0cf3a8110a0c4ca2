/** Prints a list from the API: one page or all; on stderr it is summed up in one line, and said when there may be more. */
import type { EntryOf, Page } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import {
  type Column,
  type ExtraFormat,
  isHumanReadable,
  isTableOnScreen,
  type OutputOptions,
  render,
  toArray,
} from '../../terminal/index.ts';
import { sentenceCase } from './help-layout.ts';
import type { Deps } from './index.ts';

/** What of a parsed line a list needs. */
export interface ListLine<E> {
  readonly input: Input<E>;
  /** Every page is wanted. */
  readonly all: boolean;
  readonly output: OutputOptions;
}

export interface ListView<T> {
  readonly columns: readonly Column<T>[];
  /** What is listed, in the plural: `maintenance windows`. */
  readonly noun: string;
  /** How one of them stands, in a word that is counted: `passed`. */
  readonly word?: (row: T) => string;
  /** What to do where there are none, though nothing was filtered. */
  readonly whenNone?: string;
  /** The formats that only this list offers, each made of all rows. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, (rows: readonly T[]) => string | Promise<string>>>>;
  /** Instead of the columns, for a person who has chosen none; `isAll`: whether these are all rows there are. */
  readonly table?: {
    readonly columns: readonly Column<T>[];
    readonly arrange?: (rows: readonly T[], isAll: boolean) => readonly T[];
    /** Adds what a person wants to see and the list does not hold, such as names for ids. */
    readonly dress?: (deps: Deps, rows: AsyncIterable<T>) => AsyncIterable<T>;
  };
  /** Which rows are shown. */
  readonly only?: (row: T) => boolean;
  /** Said where none is shown. */
  readonly none?: string;
}

/** Calls a paged endpoint and prints its rows. An empty list is said on stderr and is no error. */
export async function printList<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  { input, all, output }: ListLine<E>,
  { columns, noun, word, whenNone, formats, table, only, none }: ListView<EntryOf<E>>,
): Promise<void> {
  const { client, terminal, signal } = deps;
  const pages = (await client()).pages(endpoint, input, { all, signal });
  const first = await pages.next();
  let last = first.done ? undefined : first.value;
  let count = 0;
  async function* rows(): AsyncGenerator<EntryOf<E>> {
    for (let page = first; !page.done; page = await pages.next()) {
      last = page.value;
      const entries = only ? page.value.entries.filter(only) : page.value.entries;
      count += entries.length;
      yield* entries;
    }
  }
  const query: Query = (input as { readonly query?: Query }).query ?? {};
  const { format } = output;
  const forPerson = isHumanReadable(terminal, output) && !output.fields ? table : undefined;
  const whole = format === 'plain' || format === 'ical' ? formats?.[format] : undefined;
  if (whole) {
    await terminal.out(await whole(await toArray(rows())));
  } else {
    // A name that none of no rows has isn't called unknown.
    const knownFields = last?.entries.length === 0 ? output.fields : undefined;
    const dressed = forPerson?.dress?.(deps, rows()) ?? rows();
    const isAll = () => !last?.more && Object.keys(query).every((name) => name === 'limit');
    await render(terminal, {
      kind: 'list',
      data: forPerson?.arrange ? forPerson.arrange(await toArray(dressed), isAll()) : dressed,
      output,
      columns: forPerson?.columns ?? columns,
      ...(knownFields ? { knownFields } : {}),
      summary: (shown) => {
        const more = last?.more ? ` ${sentenceCase(moreText(last, query))}.` : '';
        return `${sumText(shown.length, only ? undefined : last?.total, noun)}${tally(word ? shown.map(word) : [])}.${more}`;
      },
    });
  }
  // Who stopped reading asks for nothing more.
  if (terminal.readerGone) return;
  if (count === 0) await terminal.note(none ?? nothingText(noun, query, whenNone));
  else if (last?.more && !isTableOnScreen(terminal, output)) {
    const said =
      last.total === undefined ? `There may be more ${noun}` : `Showing ${count} of ${last.total} ${noun}`;
    await terminal.note(`${said}: ${nextText(last, query)}.`);
  }
}

type Query = Readonly<Record<string, unknown>>;

/** What chooses no rows but only how many, and which of them. */
const PAGING = new Set(['limit', 'page', 'nextId']);

function nothingText(noun: string, query: Query, whenNone: string | undefined): string {
  const page = Number(query.page ?? 1);
  if (page > 1) return `No ${noun} on page ${page}.`;
  const isFiltered = Object.keys(query).some((name) => !PAGING.has(name) && query[name] !== undefined);
  return `No ${noun}.${whenNone === undefined || isFiltered ? '' : ` ${whenNone}`}`;
}

/** How to see more: by the next page's number or cursor, or all at once. */
function nextText({ answer }: Page<never>, query: Query): string {
  const { nextId } = answer.body as unknown as { readonly nextId?: string };
  const next = typeof nextId === 'string' ? `--next-id ${nextId}` : `--page ${Number(query.page ?? 1) + 1}`;
  return `for the next page, pass ${next}; for all, pass --all`;
}

/** The same for a person: nobody types a cursor. */
const moreText = (page: Page<never>, query: Query): string =>
  'nextId' in (page.answer.body as object)
    ? 'for more, pass --limit; for all, pass --all'
    : nextText(page, query);

/** `1 check session`, `10 of 84 check sessions`. */
function sumText(count: number, total: number | undefined, noun: string): string {
  if (total !== undefined && total > count) return `${count} of ${total} ${noun}`;
  return `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`;
}

/** In this order; words that are not among them come last. */
const WORDS = [
  'passed',
  'passing',
  'degraded',
  'failed',
  'failing',
  'in error',
  'timed out',
  'cancelled',
  'running',
  'open',
  'active',
  'upcoming',
  'resolved',
  'paused',
];

/** `: 17 passed, 2 failed`; nothing where there are no words. */
function tally(words: readonly string[]): string {
  const place = (word: string): number => (WORDS.includes(word) ? WORDS.indexOf(word) : WORDS.length);
  const counts = new Map<string, number>();
  for (const word of words.toSorted((a, b) => place(a) - place(b)))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size === 0 ? '' : `: ${[...counts].map(([word, count]) => `${count} ${word}`).join(', ')}`;
}
