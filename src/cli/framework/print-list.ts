/** Prints one page or all pages of a list, with a summary line and a notice if there may be more. */
import { tolerate } from '../../base/tolerate.ts';
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

/** The parts of a parsed line that a list uses. */
export interface ListRequest<E> {
  readonly input: Input<E>;
  /** Whether to print every page. */
  readonly all: boolean;
  readonly output: OutputOptions;
}

export interface ListView<T> {
  readonly columns: readonly Column<T>[];
  /** The listed resources, in the plural: `maintenance windows`. */
  readonly noun: string;
  /** Returns the status of a row, for the counts in the summary: `passed`. */
  readonly statusOf?: (row: T) => string;
  /** A hint if the unfiltered list is empty. */
  readonly emptyHint?: string;
  /** Formats that only this list supports, each rendered from all rows. */
  readonly formats?: Readonly<Partial<Record<ExtraFormat, (rows: readonly T[]) => string | Promise<string>>>>;
  /** Replaces the columns in a terminal without `--fields`; `isAll`: whether the rows are the formatRows list. */
  readonly table?: {
    readonly columns: readonly Column<T>[];
    readonly arrange?: (rows: readonly T[], isAll: boolean) => readonly T[];
    /** Adds data that the list lacks, such as names for IDs. */
    readonly addDetails?: (deps: Deps, rows: AsyncIterable<T>) => AsyncIterable<T>;
  };
  /** Selects the rows to print. */
  readonly filter?: (row: T) => boolean;
  /** Printed if no row is selected. */
  readonly emptyMessage?: string;
}

/** Calls a paged endpoint and prints its rows. An empty list is not an error; a note on stderr reports it. */
export async function printList<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  { input, all, output }: ListRequest<E>,
  { columns, noun, statusOf, emptyHint, formats, table, filter, emptyMessage }: ListView<EntryOf<E>>,
): Promise<void> {
  const { client, terminal, signal } = deps;
  const pages = (await client()).pages(endpoint, input, { all, signal });
  const first = await pages.next();
  let last = first.done ? undefined : first.value;
  let count = 0;
  async function* rows(): AsyncGenerator<EntryOf<E>> {
    for (let page = first; !page.done; page = await pages.next()) {
      last = page.value;
      const entries = filter ? page.value.entries.filter(filter) : page.value.entries;
      count += entries.length;
      yield* entries;
    }
  }
  const query: Query = (input as { readonly query?: Query }).query ?? {};
  const { format } = output;
  const terminalTable = isHumanReadable(terminal, output) && !output.fields ? table : undefined;
  const formatRows = format === 'plain' || format === 'ical' ? formats?.[format] : undefined;
  if (formatRows) {
    await terminal.out(await formatRows(await toArray(rows())));
  } else {
    // An empty list cannot tell whether a field name is unknown.
    const knownFields = last?.entries.length === 0 ? output.fields : undefined;
    const detailed = terminalTable?.addDetails?.(deps, rows()) ?? rows();
    const isAll = () => !last?.more && Object.keys(query).every((name) => name === 'limit');
    await render(terminal, {
      kind: 'list',
      data: terminalTable?.arrange ? terminalTable.arrange(await toArray(detailed), isAll()) : detailed,
      output,
      columns: terminalTable?.columns ?? columns,
      ...(knownFields ? { knownFields } : {}),
      summary: (shown) => {
        const more = last?.more ? ` ${sentenceCase(moreHint(last, query))}.` : '';
        return `${summarize(shown, filter ? undefined : last?.total, { noun, statusOf })}${more}`;
      },
    });
  }
  // A reader that closed the pipe gets no notice.
  if (terminal.readerGone) return;
  if (count === 0) await terminal.note(emptyMessage ?? formatEmpty(noun, query, emptyHint));
  else if (last?.more && !isTableOnScreen(terminal, output)) {
    const notice =
      last.total === undefined ? `There may be more ${noun}` : `Showing ${count} of ${last.total} ${noun}`;
    await terminal.note(`${notice}: ${nextPageHint(last, query)}.`);
  }
}

export type Query = Readonly<Record<string, unknown>>;

/** Query parameters that select a page and do not filter. */
const PAGING = new Set(['limit', 'page', 'nextId']);

export function formatEmpty(noun: string, query: Query, emptyHint: string | undefined): string {
  const page = Number(query.page ?? 1);
  if (page > 1) return `No ${noun} on page ${page}.`;
  const isFiltered = Object.keys(query).some((name) => !PAGING.has(name) && query[name] !== undefined);
  return `No ${noun}.${emptyHint === undefined || isFiltered ? '' : ` ${emptyHint}`}`;
}

function nextPageHint({ answer }: Page<never>, query: Query): string {
  const { nextId } = answer.body as unknown as { readonly nextId?: string };
  const next = typeof nextId === 'string' ? `--next-id ${nextId}` : `--page ${Number(query.page ?? 1) + 1}`;
  return `for the next page, pass ${next}; for all, pass --all`;
}

/** Returns the same for a terminal, where nobody types a cursor. */
const moreHint = (page: Page<never>, query: Query): string =>
  'nextId' in (page.answer.body as object)
    ? 'for more, pass --limit; for all, pass --all'
    : nextPageHint(page, query);

/** Returns how many rows there are, and with which status: `10 of 84 checks: 9 passing, 1 failing.` */
export function summarize<T>(
  rows: readonly T[],
  total: number | undefined,
  { noun, statusOf }: Pick<ListView<T>, 'noun'> & { readonly statusOf: ListView<T>['statusOf'] | undefined },
): string {
  const statuses = statusOf ? rows.flatMap((row) => tolerate(() => statusOf(row)) ?? []) : [];
  return `${formatCount(rows.length, total, noun)}${countStatuses(statuses)}.`;
}

/** Formats a count: `1 check session`, `10 of 84 check sessions`. */
function formatCount(count: number, total: number | undefined, noun: string): string {
  if (total !== undefined && total > count) return `${count} of ${total} ${noun}`;
  return `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`;
}

const STATUS_ORDER = [
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

/** Formats how many rows have each status: `: 17 passed, 2 failed`. */
function countStatuses(statuses: readonly string[]): string {
  const position = (status: string): number =>
    STATUS_ORDER.includes(status) ? STATUS_ORDER.indexOf(status) : STATUS_ORDER.length;
  const counts = new Map<string, number>();
  for (const status of statuses.toSorted((a, b) => position(a) - position(b)))
    counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts.size === 0
    ? ''
    : `: ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}`;
}
