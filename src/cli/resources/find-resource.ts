/** Finds the things that a word means, by ID, name or the beginning of the ID. Looks through all that there are, and guesses nothing. */
import { ApiError } from '../../base/errors.ts';
import { UUID_START } from '../../base/short-id.ts';
import type { Client } from '../../client/index.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { Candidate, CatalogEntry } from './catalog.ts';
import { entriesOf, type ListOptions, listCandidatePages } from './fetch-resources.ts';

/** The number of resources without names that are searched, newest first: their number has no limit. */
export const MAX_UNNAMED = 1000;
/** Up to this number of words, one search for each is cheaper than listing all. */
const MAX_SEARCHES = 4;

/** The resources that were searched. */
interface Searched {
  readonly candidates: readonly Candidate[];
  /** Whether there is nothing besides. */
  readonly isComplete: boolean;
}

/** What a word means. */
export interface Match extends Searched {
  readonly word: string;
  /** The candidates that it means: by ID, by name, by name in any case, by the beginning of the ID; the first of these that is any. */
  readonly matches: readonly Candidate[];
}

/** Finds what each of the words means. Rejects as the client does. */
export async function findResources(
  client: Client,
  thing: CatalogEntry,
  words: readonly string[],
  listing: ListOptions,
): Promise<readonly Match[]> {
  const all = new Map<CatalogEntry, Searched>();
  const kinds = entriesOf(thing);
  const found: Match[] = [];
  for (const word of words) {
    const known: Searched[] = [];
    for (const kind of kinds) {
      const searched = words.length <= MAX_SEARCHES ? await search(client, kind, word, listing) : undefined;
      if (!searched && !all.has(kind)) all.set(kind, await listAll(client, kind, listing));
      known.push((searched ?? all.get(kind)) as Searched);
    }
    const candidates = known.flatMap((each) => each.candidates);
    found.push({
      ...{ word, candidates },
      matches: match(word, candidates, thing),
      isComplete: known.every(({ isComplete }) => isComplete),
    });
  }
  return found;
}

/** A word as the names of candidates are: without what drives a terminal. */
const clean = (word: string): string => sanitizeLine(word).trim();

/**
 * What a search of the service finds, where it settles the matter: an exact name, or an ID that begins so. Undefined where it does
 * not: the service may know no search, or one that looks elsewhere.
 */
async function search(
  client: Client,
  kind: CatalogEntry,
  word: string,
  listing: ListOptions,
): Promise<Searched | undefined> {
  if (!kind.list.query.properties?.search) return undefined;
  const text = word.toLowerCase();
  const isInName = ({ name = '' }: Candidate) => name.toLowerCase().includes(text);
  const isInId = ({ id }: Candidate) => id.toLowerCase().startsWith(text);
  const candidates: Candidate[] = [];
  try {
    for await (const page of listCandidatePages(client, kind, { ...listing, search: word })) {
      if (!page.candidates.every((each) => isInName(each) || isInId(each))) return undefined;
      candidates.push(...page.candidates);
    }
  } catch (error) {
    // It refuses what it does not know.
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
  const isNamed = kind.isNamed !== false && candidates.some(({ name }) => name === clean(word));
  // Who finds an ID whose thing has another name looks at all IDs.
  const isById = candidates.some((each) => isInId(each) && !isInName(each));
  return isNamed || isById ? { candidates, isComplete: true } : undefined;
}

async function listAll(client: Client, kind: CatalogEntry, listing: ListOptions): Promise<Searched> {
  const candidates: Candidate[] = [];
  const most = kind.isNamed === false ? MAX_UNNAMED : Number.POSITIVE_INFINITY;
  let isComplete = true;
  for await (const page of listCandidatePages(client, kind, listing)) {
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
    (each) => isNamed && each.name === name,
    (each) => isNamed && each.name?.toLowerCase() === name.toLowerCase(),
    ({ id }) => UUID_START.test(word) && !/^\d+$/.test(id) && id.toLowerCase().startsWith(start),
  ];
  for (const by of isMeant) {
    // A list that changes while it is read may hold a thing twice.
    const meant = new Map(candidates.filter(by).map((each) => [each.id, each]));
    if (meant.size > 0) return [...meant.values()];
  }
  return [];
}
