/** Lists things from the service: what it lists first, or page by page all that there are. */
import type { Client, Page } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { type Candidate, type CatalogEntry, catalog, toCandidate } from './catalog.ts';

type Lister = Pick<Client, 'pages'>;

export interface ListOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The id of the thing that these are part of, where `within` asks for one. */
  readonly parentId?: string | undefined;
  /** For a list that can be searched. */
  readonly search?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many a page has at most. */
const PAGE_SIZE = 100;

/** The kinds that a thing may be of, each with a list of its own; one of another kind says what it is. */
export function entriesOf({ alternative, ...own }: CatalogEntry): readonly CatalogEntry[] {
  if (alternative === undefined) return [own];
  const { noun, describe, ...other } = catalog[alternative];
  const describeWithNoun: CatalogEntry['describe'] = (entry) => {
    const { notes = [], ...seen } = describe(entry);
    return { ...seen, notes: [noun, ...notes] };
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

/** The candidates of a page, the ones nearest in time before the others; a list without times stays as it came. */
function toCandidates(thing: CatalogEntry, { entries }: Page<Endpoint>, now: number): readonly Candidate[] {
  const found = (entries as readonly unknown[]).flatMap((entry) => toCandidate(thing, entry) ?? []);
  const distance = ({ at }: Candidate) => (at === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - at));
  return found.sort((a, b) => (distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : 0));
}

/** Returns the `limit` things of each kind that the service lists first. Rejects as the client does. */
export async function listCandidates(
  client: Lister,
  thing: CatalogEntry,
  { limit, ...listing }: ListOptions & { readonly limit: number },
): Promise<readonly Candidate[]> {
  const lists = entriesOf(thing).map(async (kind) => {
    const { value: page } = await fetchPages(client, kind, listing, { limit, all: false }).next();
    return page ? toCandidates(kind, page, listing.now) : [];
  });
  return (await Promise.all(lists)).flat();
}

/** Some of the things that there are. */
export interface CandidatePage {
  readonly candidates: readonly Candidate[];
  /** Whether there may be more. */
  readonly more: boolean;
}

/** Yields all things of one kind page by page, each when it is asked for. Rejects as the client does. */
export async function* listCandidatePages(
  client: Lister,
  kind: CatalogEntry,
  listing: ListOptions,
): AsyncGenerator<CandidatePage, void, undefined> {
  for await (const page of fetchPages(client, kind, listing, { limit: PAGE_SIZE, all: true })) {
    yield { candidates: toCandidates(kind, page, listing.now), more: page.more };
  }
}
