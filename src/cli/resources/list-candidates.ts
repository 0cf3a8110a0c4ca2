/** Fetches items of a resource from the service, the first ones or all page by page. */
import type { Client, Page } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { type Candidate, type CatalogEntry, catalog, toCandidate } from './catalog.ts';

type Lister = Pick<Client, 'pages'>;

export interface ListOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The ID of the parent, if the catalog entry has one. */
  readonly parentId?: string | undefined;
  /** Search text; ignored if the list has no search. */
  readonly search?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The maximum page size of the API. */
const PAGE_SIZE = 100;

/** Returns the entry and its alternative, each with its own list. Items of the alternative have its noun as a note. */
export function entriesOf({ alternative, ...own }: CatalogEntry): readonly CatalogEntry[] {
  if (alternative === undefined) return [own];
  const { noun, describe, ...other } = catalog[alternative];
  const describeWithNoun: CatalogEntry['describe'] = (item) => {
    const { notes = [], ...fields } = describe(item);
    return { ...fields, notes: [noun, ...notes] };
  };
  return [own, { ...other, noun, describe: describeWithNoun }];
}

function fetchPages(
  client: Lister,
  { list, parent }: CatalogEntry,
  { parentId, search, signal }: ListOptions,
  paging: { readonly limit: number; readonly all: boolean },
): AsyncGenerator<Page<Endpoint>, void, undefined> {
  const params = parent && parentId !== undefined ? { [parent.param]: parentId } : {};
  const isSearched = search !== undefined && list.query.properties?.search !== undefined;
  const query = { limit: paging.limit, ...(isSearched ? { search } : {}) };
  const input = { params, query } as unknown as Input<Endpoint>;
  return client.pages(list, input, { all: paging.all, signal });
}

/** Returns the candidates of a page, those nearest in time first. A list without times keeps its order. */
function toCandidates(entry: CatalogEntry, { entries }: Page<Endpoint>, now: number): readonly Candidate[] {
  const candidates = (entries as readonly unknown[]).flatMap((item) => toCandidate(entry, item) ?? []);
  const distance = ({ at }: Candidate) => (at === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - at));
  return candidates.sort((a, b) => (distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : 0));
}

/** Returns the first `limit` items of each entry. Rejects as the client does. */
export async function listCandidates(
  client: Lister,
  entry: CatalogEntry,
  { limit, ...listing }: ListOptions & { readonly limit: number },
): Promise<readonly Candidate[]> {
  const lists = entriesOf(entry).map(async (kind) => {
    const { value: page } = await fetchPages(client, kind, listing, { limit, all: false }).next();
    return page ? toCandidates(kind, page, listing.now) : [];
  });
  return (await Promise.all(lists)).flat();
}

export interface CandidatePage {
  readonly candidates: readonly Candidate[];
  /** Whether there may be more. */
  readonly more: boolean;
}

/** Yields all items of one entry, page by page on demand. Rejects as the client does. */
export async function* listCandidatePages(
  client: Lister,
  entry: CatalogEntry,
  listing: ListOptions,
): AsyncGenerator<CandidatePage, void, undefined> {
  for await (const page of fetchPages(client, entry, listing, { limit: PAGE_SIZE, all: true })) {
    yield { candidates: toCandidates(entry, page, listing.now), more: page.more };
  }
}
