/** Looks up, while a person waits at the key, what only files and the service know: profiles, and ids with their labels. */
import { unlessAborted } from '../../../base/abort.ts';
import { systemClock } from '../../../base/clock.ts';
import { systemRandom } from '../../../base/random.ts';
import { shortId } from '../../../base/short-id.ts';
import { type Client, createClient, prepareProcess } from '../../../client/index.ts';
import { userFilePath } from '../../../profiles/folders.ts';
import type { KeyHost } from '../../../profiles/key-host.ts';
import { type Connection, loadProfiles, requireConnection } from '../../../profiles/resolve.ts';
import { keyStorage, readUserFile } from '../../../profiles/user-file.ts';
import type { ThingName } from '../../framework/options.ts';
import { openRunning } from '../../local-service/administration.ts';
import { runningService, serviceFolder } from '../../local-service/data-folder.ts';
import { type Candidate, labelOf, type Thing, things } from '../../resources/catalog.ts';
import { type Listing, listThings } from '../../resources/fetch-resources.ts';
import { cacheFile, openCache } from '../cache.ts';
import type { Word } from '../types.ts';

/** Whose line it is. */
export interface Person {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How many ids are offered, and of how many parents where the list of one is part of another thing. */
const MOST = 50;
const MOST_PARENTS = 8;

const silent = (): void => {};

/** The names of the user's profiles, with where each leads. */
export async function profileWords({ env, home }: Person): Promise<readonly Word[]> {
  const { profiles } = await readUserFile(userFilePath(env, home), silent);
  return [...profiles].map(([value, { baseUrl }]) => ({ value, description: baseUrl }));
}

/** The keys of a service that runs over a data folder; one that does not answer in time has none. */
export async function serviceKeyWords(
  data: string | undefined,
  person: Person,
  deadline: () => AbortSignal,
): Promise<readonly Word[]> {
  const folder = serviceFolder(person, data);
  const known = runningService(folder)
    .then((running) => openRunning(folder, running))
    .then((service) => service?.listKeys());
  const keys = (await unlessAborted(known, deadline())) ?? [];
  return keys.map(({ id, name, key }) => ({ value: id, description: `${name}, ${key}` }));
}

/**
 * Returns IDs and names of a resource, most recent first. If none of these begins with the typed text, it returns those that do.
 * Asks the service if its own list is too old, until `deadline` is reached; without an answer it returns the old list. It never
 * prompts, and runs no command for a key: it uses only a key from the environment or from the user's file.
 */
export async function recentWords(
  name: ThingName,
  options: ReadonlyMap<string, readonly string[]>,
  typed: string,
  person: Person,
  deadline: () => AbortSignal,
): Promise<readonly Word[]> {
  const { env, home, cwd, now } = person;
  const signal = deadline();
  const flag = (of: string) => options.get(of)?.at(-1);
  const flags = { profile: flag('profile'), baseUrl: flag('base-url'), account: flag('account') };
  // Nobody who has a key is asked for it, so that none of this is ever used.
  const host: KeyHost = {
    clock: systemClock,
    signal,
    isInteractive: false,
    show: silent,
    keyringProgram: ['', ''],
  };
  const resolution = await loadProfiles({ env, home, cwd, flags, host, warn: silent });
  const { profileName, baseUrl, accountId } = resolution;
  const cache = openCache(cacheFile(env, home), now);
  const list = async (search?: string): Promise<readonly Word[]> => {
    const key = JSON.stringify([profileName, baseUrl, accountId, name, ...(search ? [search] : [])]);
    const known = await cache.know(key);
    if (known.isEnough) return known.words;
    const client = await connect();
    if (client === undefined) return known.words;
    const thing = things[name];
    const found = await candidatesOf(client, thing, { now: now(), signal, search }).catch(() => undefined);
    const words = found && wordsOf(thing, found, now());
    await cache.learn(key, words);
    return words ?? known.words;
  };
  const connect = async (): Promise<Client | undefined> => {
    const { profiles } = await readUserFile(userFilePath(env, home), silent);
    const own = profiles.get(profileName ?? '');
    const isAtHand = Boolean(env.SONDE_API_KEY) || (own !== undefined && keyStorage(own) === 'saved');
    return isAtHand ? openClient(requireConnection(resolution), person) : undefined;
  };

  const recent = await list();
  const begun = typed.toLowerCase();
  const isFound = recent.some(({ value }) => value.toLowerCase().startsWith(begun));
  const isAll = recent.filter(({ isName }) => !isName).length < MOST;
  return isFound || isAll || !things[name].list.query.properties?.search ? recent : list(typed);
}

/** The IDs of candidates, and the names that mean one of them alone. */
function wordsOf(thing: Thing, found: readonly Candidate[], now: number): readonly Word[] {
  const names = new Map<string, number>();
  for (const { name = '' } of found) names.set(name, (names.get(name) ?? 0) + 1);
  const isNamed = thing.isNamed !== false && thing.within === undefined;
  return found.flatMap((candidate) => {
    const { id, name } = candidate;
    const description = labelOf(candidate, now);
    const byName = isNamed && name !== undefined && names.get(name) === 1;
    return [
      { value: id, description },
      ...(byName ? [{ value: name, description: `${shortId(id)}, ${description}`, isName: true }] : []),
    ];
  });
}

function openClient(
  { baseUrl, accountId, accountHeader, apiKey }: Connection,
  { env, version }: Person,
): Client {
  prepareProcess();
  return createClient({
    ...{ baseUrl, accountId, accountHeader, env },
    getKey: async () => (await apiKey()).reveal(),
    userAgent: `sonde/${version}`,
    clock: systemClock,
    random: systemRandom,
    retryBudgetMs: 0,
  });
}

async function candidatesOf(client: Client, thing: Thing, listing: Listing): Promise<readonly Candidate[]> {
  const { within } = thing;
  if (!within) return listThings(client, thing, { ...listing, limit: MOST });
  const parents = await listThings(client, things[within.of], { ...listing, limit: MOST_PARENTS });
  const lists = await Promise.all(
    parents.map(({ id }) => listThings(client, thing, { ...listing, limit: MOST_PARENTS, parent: id })),
  );
  return lists.flat();
}
