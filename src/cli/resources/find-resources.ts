/** Finds resources by ID, name or ID prefix. Searches all items and never guesses. */
import { ApiError } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { UUID_START } from '../../base/short-id.ts';
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
  const takes = (name: string) => list.query.properties?.[name] !== undefined;
  const query = {
    ...(takes('limit') ? { limit: paging.limit } : {}),
    ...(search !== undefined && takes('search') ? { search } : {}),
  };
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

interface CandidatePage {
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

/** The number of resources without names that are searched, newest first: their number has no limit. */
export const MAX_UNNAMED = 1000;
/** Up to this number of words, one search for each is cheaper than listing all. */
const MAX_SEARCHES = 4;

interface Searched {
  readonly candidates: readonly Candidate[];
  /** Whether these are all candidates. */
  readonly isComplete: boolean;
}

export interface Match extends Searched {
  readonly word: string;
  /** The matches of the first rule that has any: ID, slug, name, name in any case, ID prefix. */
  readonly matches: readonly Candidate[];
}

/** Finds the matches of each word. Rejects as the client does. */
export async function findResources(
  client: Client,
  entry: CatalogEntry,
  words: readonly string[],
  listing: ListOptions,
): Promise<readonly Match[]> {
  const all = new Map<CatalogEntry, Searched>();
  const kinds = entriesOf(entry);
  const matches: Match[] = [];
  for (const word of words) {
    const known: Searched[] = [];
    for (const kind of kinds) {
      const searched = words.length <= MAX_SEARCHES ? await search(client, kind, word, listing) : undefined;
      if (!searched && !all.has(kind)) all.set(kind, await listAll(client, kind, listing));
      known.push((searched ?? all.get(kind)) as Searched);
    }
    const candidates = known.flatMap((each) => each.candidates);
    matches.push({
      word,
      candidates,
      matches: match(word, candidates, entry),
      isComplete: known.every(({ isComplete }) => isComplete),
    });
  }
  return matches;
}

/** Sanitises a word as the names of candidates are. */
const clean = (word: string): string => sanitizeLine(word).trim();

/**
 * Searches at the service. Undefined: the result is not conclusive, because nothing matched exactly or the service searches
 * other fields or not at all.
 */
async function search(
  client: Client,
  entry: CatalogEntry,
  word: string,
  listing: ListOptions,
): Promise<Searched | undefined> {
  if (!entry.list.query.properties?.search) return undefined;
  const text = word.toLowerCase();
  const isInName = ({ name = '' }: Candidate) => name.toLowerCase().includes(text);
  const isInId = ({ id }: Candidate) => id.toLowerCase().startsWith(text);
  const candidates: Candidate[] = [];
  try {
    for await (const page of listCandidatePages(client, entry, { ...listing, search: word })) {
      if (!page.candidates.every((each) => isInName(each) || isInId(each))) return undefined;
      candidates.push(...page.candidates);
    }
  } catch (error) {
    // The service rejects a parameter that it does not know.
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
  const isNamed = entry.isNamed !== false && candidates.some(({ name }) => name === clean(word));
  // A match by ID prefix proves that the service searches IDs.
  const isById = candidates.some((each) => isInId(each) && !isInName(each));
  return isNamed || isById ? { candidates, isComplete: true } : undefined;
}

async function listAll(client: Client, entry: CatalogEntry, listing: ListOptions): Promise<Searched> {
  const candidates: Candidate[] = [];
  const most = entry.isNamed === false ? MAX_UNNAMED : Number.POSITIVE_INFINITY;
  let isComplete = true;
  for await (const page of listCandidatePages(client, entry, listing)) {
    candidates.push(...page.candidates);
    isComplete = !page.more;
    if (candidates.length >= most) break;
  }
  return { candidates, isComplete };
}

function match(
  word: string,
  candidates: readonly Candidate[],
  { isNamed = true }: CatalogEntry,
): readonly Candidate[] {
  const [name, start] = [clean(word), word.toLowerCase()];
  const isMeant: readonly ((candidate: Candidate) => boolean)[] = [
    ({ id }) => id === word,
    ({ slug }) => slug === word,
    (each) => isNamed && each.name === name,
    (each) => isNamed && each.name?.toLowerCase() === name.toLowerCase(),
    ({ id }) => UUID_START.test(word) && !/^\d+$/.test(id) && id.toLowerCase().startsWith(start),
  ];
  for (const by of isMeant) {
    // A list that changes during paging may contain an item twice.
    const byId = new Map(candidates.filter(by).map((each) => [each.id, each]));
    if (byId.size > 0) return [...byId.values()];
  }
  return [];
}
