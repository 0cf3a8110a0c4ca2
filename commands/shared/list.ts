/** Prints a list from the API: one page or all, and says on stderr when there may be more. */
import type { EntryOf, Page } from '../../src/client/index.ts';
import type { Endpoint, Input } from '../../src/contract/index.ts';
import { type Column, type ExtraFormat, type OutputOptions, render } from '../../src/terminal/index.ts';
import type { Deps } from '../kernel/index.ts';

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
  /** The formats that only this list offers, each made of all rows. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, (rows: readonly T[]) => string | Promise<string>>>>;
  /** Instead of the columns, for a person who has chosen none; `isAll`: whether these are all rows there are. */
  readonly table?: {
    readonly columns: readonly Column<T>[];
    arrange(rows: readonly T[], isAll: boolean): readonly T[];
  };
  /** Which rows are shown. */
  readonly only?: (row: T) => boolean;
  /** Said where none is shown. */
  readonly none?: string;
}

/** Calls a paged endpoint and prints its rows. An empty list is said on stderr and is no error. */
export async function printList<E extends Endpoint>(
  { client, terminal, signal }: Deps,
  endpoint: E,
  { input, all, output }: ListLine<E>,
  { columns, noun, formats, table, only, none }: ListView<EntryOf<E>>,
): Promise<void> {
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
  const format = output.format ?? (terminal.stdoutIsTTY ? 'table' : 'tsv');
  const forPerson = format === 'table' && !output.fields ? table : undefined;
  const whole = format === 'plain' || format === 'ical' ? formats?.[format] : undefined;
  if (whole) {
    await terminal.out(await whole(await gathered(rows())));
  } else {
    // A name that none of no rows has isn't called unknown.
    const knownFields = last?.entries.length === 0 ? output.fields : undefined;
    const isAll = () => !last?.more && Object.keys(query).every((name) => name === 'limit');
    await render(terminal, {
      kind: 'list',
      data: forPerson ? forPerson.arrange(await gathered(rows()), isAll()) : rows(),
      output,
      columns: forPerson?.columns ?? columns,
      ...(knownFields ? { knownFields } : {}),
    });
  }
  // Who stopped reading asks for nothing more.
  if (terminal.readerGone) return;
  if (last?.more && all) {
    await terminal.warn(`the service did not give the rest: these ${count} ${noun} are not all of them`);
  } else if (count === 0) await terminal.note(none ?? nothingText(noun, query));
  else if (last?.more) await terminal.note(moreText(last, count, noun, query));
}

type Query = Readonly<Record<string, unknown>>;

async function gathered<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

function nothingText(noun: string, query: Query): string {
  const page = Number(query.page ?? 1);
  return page > 1 ? `There are no ${noun} on page ${page}.` : `There are no ${noun} here.`;
}

/** How to see more: by the next page's number or cursor, or all at once. */
function moreText({ total, answer }: Page<never>, count: number, noun: string, query: Query): string {
  const { nextId } = answer.body as unknown as { readonly nextId?: string };
  const next = typeof nextId === 'string' ? `--next-id ${nextId}` : `--page ${Number(query.page ?? 1) + 1}`;
  const said = total === undefined ? `There may be more ${noun}` : `Shown are ${count} of ${total} ${noun}`;
  return `${said}: ${next} shows the next page, --all every one.`;
}
