/** The pages of a list, by number or by cursor, guarded against servers that page badly. */
import { NetworkError } from '../base/errors.ts';
import type { Endpoint, Input } from '../contract/index.ts';
import type { Answer } from './attempt.ts';
import type { CallOptions, Client, EntryOf, Page, PagesOptions } from './interface.ts';

/** `content-range: 0-9/11`: the number after the slash. */
function totalOf(headers: Readonly<Record<string, string>>): number | undefined {
  const total = /\/\s*(\d{1,15})\s*$/.exec(headers['content-range'] ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}

type Query = Readonly<Record<string, unknown>>;
interface Read {
  readonly entries: readonly unknown[];
  readonly nextId: string | undefined;
}

function readPage(endpoint: Endpoint, { body, status }: Answer<unknown>): Read {
  const { entries, nextId } = (Array.isArray(body) ? { entries: body } : body) as {
    readonly entries?: unknown;
    readonly nextId?: unknown;
  };
  if (!Array.isArray(entries)) {
    const place = `${endpoint.method} ${endpoint.path}`;
    throw new NetworkError(
      'The service answered with something that is not a list',
      { endpoint: place, status, mayHaveActed: false },
      { hint: 'check the base URL: what answers there may not be the API' },
    );
  }
  return { entries, nextId: typeof nextId === 'string' && nextId !== '' ? nextId : undefined };
}

/**
 * Pages of a list, each asked for when the one before has been used. By number, a list ends at a page that is not full
 * (where the server tells the total: once that many were seen). It ends early, with `more` still standing, where the server
 * repeats a page or a cursor.
 */
export async function* pagesOf<E extends Endpoint>(
  call: Client['call'],
  endpoint: E,
  input: Input<E>,
  options: PagesOptions & CallOptions = {},
): AsyncGenerator<Page<E>, void, undefined> {
  const query: Query = (input as { readonly query?: Query }).query ?? {};
  const limits = endpoint.query.properties?.limit;
  const limit = Number(query.limit ?? (options.all ? limits?.maximum : undefined) ?? limits?.default ?? 10);
  const byCursor = endpoint.paging === 'cursor';
  const first = Number(query.page ?? 1);
  const cursors = new Set<unknown>([query.nextId]);
  let step: Query = options.all && limits ? { limit } : {};
  let before = '';
  let seen = 0;
  for (let page = first; ; page++) {
    const asked = { ...input, query: { ...query, ...step } } as Input<E>;
    const answer = await call(endpoint, asked, options);
    if (page > first && answer.text === before) return;
    const { entries, nextId } = readPage(endpoint, answer);
    const total = totalOf(answer.headers);
    seen += entries.length;
    const skipped = (first - 1) * limit;
    const more = byCursor
      ? nextId !== undefined
      : total === undefined
        ? entries.length >= limit
        : skipped + seen < total;
    yield { entries: entries as readonly EntryOf<E>[], more: endpoint.paging ? more : false, total, answer };
    if (!options.all || !endpoint.paging || !more) return;
    if (byCursor ? cursors.has(nextId) : entries.length === 0) return;
    cursors.add(nextId);
    before = answer.text;
    step = { ...step, ...(byCursor ? { nextId } : { page: page + 1 }) };
  }
}
