/** Reads the pages of a list, by number or by cursor, and detects servers with faulty paging. */
import { createHash } from 'node:crypto';
import { NetworkError } from '../base/errors.ts';
import { isObject } from '../base/object.ts';
import { plural } from '../base/plural.ts';
import type { Endpoint, Input } from '../contract/index.ts';
import type { Answer } from './attempt.ts';
import { createEntryCount, incompleteList } from './entry-count.ts';
import { AnswerTooLarge } from './exchange.ts';
import type { CallOptions, Client, EntryOf, Page, PagesOptions } from './interface.ts';

type Query = Readonly<Record<string, unknown>>;
interface PageContents {
  readonly entries: readonly unknown[];
  readonly nextId: string | undefined;
}

function readPage(endpoint: Endpoint, { body, status }: Answer<unknown>): PageContents {
  const { entries, nextId } = (Array.isArray(body) ? { entries: body } : body) as {
    readonly entries?: unknown;
    readonly nextId?: unknown;
  };
  if (!Array.isArray(entries)) {
    const endpointName = `${endpoint.method} ${endpoint.path}`;
    throw new NetworkError(
      'the response is not a list',
      { endpoint: endpointName, status, mayHaveActed: false },
      { hint: 'check the base URL: the server may not be the API' },
    );
  }
  return { entries, nextId: readCursor(nextId) };
}

/** Any value announces more entries; without one the list ends. */
export const readCursor = (nextId: unknown): string | undefined =>
  nextId === undefined || nextId === null || nextId === '' ? undefined : String(nextId);

const MAX_PAGES = 10_000;
/** Maximum number of consecutive empty pages: a service that filters may return some. */
const MAX_EMPTY_PAGES = 100;

/** Returns what tells an entry from others: its ID, or all of it. */
const identityOf = (entry: unknown): string =>
  isObject(entry) && (typeof entry.id === 'string' || typeof entry.id === 'number')
    ? String(entry.id)
    : JSON.stringify(entry);

/** Creates a function that checks the progress of a list. It throws NetworkError if the list does not end. */
export function createPageGuard({
  method,
  path,
  paging,
}: { method: string } & Pick<Endpoint, 'path' | 'paging'>) {
  const cursors = new Set<string>();
  const pages = new Set<string>();
  const known = new Set<string>();
  let empty = 0;
  let read = 0;
  const pagingError = (why: string, hint: string) => incompleteList(`${method} ${path}`, why, hint);
  /** Checks a page that has a next page. */
  return (text: string, entries: readonly unknown[], nextId: string | undefined): void => {
    if (nextId !== undefined && paging !== 'cursor')
      throw pagingError(
        'the service announces more entries by nextId, but this list has page numbers',
        'request less: use a filter, or a sonde of the version of the service',
      );
    read += 1;
    empty = entries.length === 0 ? empty + 1 : 0;
    // A page whose only difference is the cursor counts as a repeated page.
    const page = createHash('sha1')
      .update(text.replace(/"nextId"\s*:\s*"[^"]*"/g, ''))
      .digest('base64');
    const isRepeated =
      (entries.length > 0 && pages.has(page)) || (nextId !== undefined && cursors.has(nextId));
    const before = known.size;
    for (const entry of entries) known.add(identityOf(entry));
    pages.add(page);
    if (nextId !== undefined) cursors.add(nextId);
    const broken = 'the result is incomplete; the paging of the service or a proxy is faulty';
    if (isRepeated) throw pagingError(`the service repeats a page after ${plural(read, 'page')}`, broken);
    if (entries.length > 0 && known.size === before)
      throw pagingError(`page ${read} has only entries of earlier pages`, broken);
    if (empty > MAX_EMPTY_PAGES)
      throw pagingError(
        `the service reports more entries but returned ${plural(empty, 'empty page')}`,
        broken,
      );
    if (read >= MAX_PAGES)
      throw pagingError(
        `the list has more than ${MAX_PAGES} pages`,
        'request less: use a filter, or read single pages without --all',
      );
  };
}

/** Returns a smaller limit whose pages align with the larger ones; undefined if a single entry is too large. */
function smallerLimit(limit: number): number | undefined {
  const parts = [4, 5, 2].find((divisor) => limit > 1 && limit % divisor === 0) ?? limit;
  return limit > 1 ? limit / parts : undefined;
}

/**
 * Yields pages, each requested after the previous one was consumed. By number, a list ends with a page that is not
 * full, or at the reported total. If all pages are read and one exceeds the size limit, the rest is read in smaller
 * pages. Throws NetworkError if the server repeats pages or announces entries that it does not return: the result
 * would be incomplete.
 */
export async function* readPages<E extends Endpoint>(
  call: Client['call'],
  endpoint: E,
  input: Input<E>,
  options: PagesOptions & CallOptions = {},
): AsyncGenerator<Page<E>, void, undefined> {
  const query: Query = (input as { readonly query?: Query }).query ?? {};
  const limits = endpoint.query.properties?.limit;
  let limit = Number(query.limit ?? (options.all ? limits?.maximum : undefined) ?? limits?.default ?? 10);
  const byCursor = endpoint.paging === 'cursor';
  const first = Number(query.page ?? 1);
  const skipped = byCursor && query.nextId !== undefined ? undefined : (first - 1) * limit;
  const checkProgress = createPageGuard(endpoint);
  const count = createEntryCount(`${endpoint.method} ${endpoint.path}`, skipped);
  let step: Query = options.all && limits ? { limit } : {};
  for (let page = first; ; page++) {
    const pageInput = { ...input, query: { ...query, ...step } } as Input<E>;
    let answer: Page<E>['answer'];
    try {
      answer = await call(endpoint, pageInput, options);
    } catch (error) {
      const isTooLarge = error instanceof NetworkError && error.cause instanceof AnswerTooLarge;
      const reducedLimit = options.all && limits && isTooLarge ? smallerLimit(limit) : undefined;
      if (reducedLimit === undefined) throw error;
      const next = ((page - 1) * limit) / reducedLimit + 1;
      limit = reducedLimit;
      step = { ...step, limit, ...(byCursor ? {} : { page: next }) };
      // The loop increments it.
      page = next - 1;
      continue;
    }
    const { entries, nextId } = readPage(endpoint, answer);
    const { total, isShort } = count.add(answer, entries.length);
    const isFull = isShort || (total === undefined && entries.length >= limit);
    const more = nextId !== undefined || (!byCursor && isFull && entries.length > 0);
    const hasNext = options.all && endpoint.paging && more;
    if (hasNext) {
      checkProgress(answer.text, entries, nextId);
      count.assertEnds();
    } else if (options.all) count.assertWhole();
    yield { entries: entries as readonly EntryOf<E>[], more: endpoint.paging ? more : false, total, answer };
    if (!hasNext) return;
    step = { ...step, ...(byCursor ? { nextId } : { page: page + 1 }) };
  }
}
