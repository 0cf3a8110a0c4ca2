/** Lists things from the service: what it lists first, or page by page all that there are. */
import type { Client, Page } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { type Candidate, candidateOf, type Thing, things } from './catalog.ts';

type Lister = Pick<Client, 'pages'>;

export interface Listing {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The id of the thing that these are part of, where `within` asks for one. */
  readonly parent?: string | undefined;
  /** For a list that can be searched. */
  readonly search?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many a page has at most. */
const PAGE = 100;

/** The kinds that a thing may be of, each with a list of its own; one of another kind says what it is. */
export function kindsOf({ besides, ...own }: Thing): readonly Thing[] {
  if (besides === undefined) return [own];
  const { noun, see, ...other } = things[besides];
  const seeWithNoun: Thing['see'] = (entry) => {
    const { notes = [], ...seen } = see(entry);
    return { ...seen, notes: [noun, ...notes] };
  };
  return [own, { ...other, noun, see: seeWithNoun }];
}

function pagesOf(
  client: Lister,
  { list, within }: Thing,
  { parent, search, signal }: Listing,
  paging: { readonly limit: number; readonly all: boolean },
): AsyncGenerator<Page<Endpoint>, void, undefined> {
  const params = within && parent !== undefined ? { [within.param]: parent } : {};
  const isSearched = search !== undefined && list.query.properties?.search !== undefined;
  const query = { limit: paging.limit, ...(isSearched ? { search } : {}) };
  const input = { params, query } as unknown as Input<Endpoint>;
  return client.pages(list, input, { all: paging.all, signal });
}

/** The candidates of a page, the ones nearest in time before the others; a list without times stays as it came. */
function candidatesOf(thing: Thing, { entries }: Page<Endpoint>, now: number): readonly Candidate[] {
  const found = (entries as readonly unknown[]).flatMap((entry) => candidateOf(thing, entry) ?? []);
  const distance = ({ at }: Candidate) => (at === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - at));
  return found.sort((a, b) => (distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : 0));
}

/** Returns the `limit` things of each kind that the service lists first. Rejects as the client does. */
export async function listThings(
  client: Lister,
  thing: Thing,
  { limit, ...listing }: Listing & { readonly limit: number },
): Promise<readonly Candidate[]> {
  const lists = kindsOf(thing).map(async (kind) => {
    const { value: page } = await pagesOf(client, kind, listing, { limit, all: false }).next();
    return page ? candidatesOf(kind, page, listing.now) : [];
  });
  return (await Promise.all(lists)).flat();
}

/** Some of the things that there are. */
export interface ThingPage {
  readonly candidates: readonly Candidate[];
  /** Whether there may be more. */
  readonly more: boolean;
}

/** Yields all things of one kind page by page, each when it is asked for. Rejects as the client does. */
export async function* listAllThings(
  client: Lister,
  kind: Thing,
  listing: Listing,
): AsyncGenerator<ThingPage, void, undefined> {
  for await (const page of pagesOf(client, kind, listing, { limit: PAGE, all: true })) {
    yield { candidates: candidatesOf(kind, page, listing.now), more: page.more };
  }
}
