/** Looks up profiles, service keys, and resources for completion, from files and the service. */

import { raceWithAbort } from '../../../base/abort.ts';
import { systemClock } from '../../../base/clock.ts';
import { systemRandom } from '../../../base/random.ts';
import { shortId } from '../../../base/short-id.ts';
import { type Client, createClient, prepareProcess } from '../../../client/index.ts';
import { userFilePath } from '../../../profiles/folders.ts';
import type { KeyHost } from '../../../profiles/key-host.ts';
import { type Connection, loadProfiles, requireConnection } from '../../../profiles/resolve.ts';
import { keyStorage, readUserFile } from '../../../profiles/user-file.ts';
import type { ResourceName } from '../../framework/options.ts';
import { connectToRunning } from '../../local-service/administration.ts';
import { findRunningService, serviceFolder } from '../../local-service/data-folder.ts';
import { type Candidate, type CatalogEntry, catalog, formatCandidate } from '../../resources/catalog.ts';
import { type ListOptions, listCandidates } from '../../resources/find-resources.ts';
import { cacheFile, openCache } from '../cache.ts';
import type { Word } from '../shells/completion.ts';

/** The user's environment. */
export interface UserContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The maximum number of IDs; and of parents, for resources that are listed by parent. */
const MAX_IDS = 50;
const MAX_PARENTS = 8;

const silent = (): void => {};

/** Returns the names of the user's profiles, with their base URLs. */
export async function profileWords({ env, home }: UserContext): Promise<readonly Word[]> {
  const { profiles } = readUserFile(userFilePath(env, home), silent);
  return [...profiles].map(([value, { baseUrl }]) => ({ value, description: baseUrl }));
}

/** Returns the keys of the service with this data folder; none if it does not respond before the deadline. */
export async function serviceKeyWords(
  data: string | undefined,
  user: UserContext,
  deadline: () => AbortSignal,
): Promise<readonly Word[]> {
  const folder = serviceFolder(user, data);
  const listing = findRunningService(folder)
    .then((running) => connectToRunning(folder, running))
    .then((service) => service?.listKeys());
  const keys = (await raceWithAbort(listing, deadline())) ?? [];
  return keys.map(({ id, name, key }) => ({ value: id, description: `${name}, ${key}` }));
}

/**
 * Returns IDs and names of a resource, most recent first. If none of these begins with the typed text, it returns those that do.
 * Asks the service if its own list is too old, until `deadline` is reached; without an answer it returns the old list. It never
 * prompts, and runs no command for a key: it uses only a key from the environment or from the user's file.
 */
export async function recentWords(
  name: ResourceName,
  options: ReadonlyMap<string, readonly string[]>,
  typed: string,
  user: UserContext,
  deadline: () => AbortSignal,
): Promise<readonly Word[]> {
  const { env, home, cwd, now } = user;
  const signal = deadline();
  const flag = (of: string) => options.get(of)?.at(-1);
  const flags = {
    profile: flag('profile'),
    baseUrl: flag('base-url'),
    account: flag('account'),
    accountHeader: flag('account-header'),
  };
  // Completion never queries a keyring or a command for a key, so this host is never used.
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
    const cached = await cache.read(key);
    if (cached.isFresh) return cached.words;
    const client = await connect();
    if (client === undefined) return cached.words;
    const thing = catalog[name];
    const candidates = await listWithParents(client, thing, { now: now(), signal, search }).catch(
      () => undefined,
    );
    const words = candidates && wordsOf(thing, candidates, now());
    await cache.write(key, words);
    return words ?? cached.words;
  };
  const connect = async (): Promise<Client | undefined> => {
    const { profiles } = readUserFile(userFilePath(env, home), silent);
    const own = profiles.get(profileName ?? '');
    const hasKey = Boolean(env.SONDE_API_KEY) || (own !== undefined && keyStorage(own) === 'saved');
    return hasKey ? openClient(requireConnection(resolution), user) : undefined;
  };

  const recent = await list();
  const prefix = typed.toLowerCase();
  const isFound = recent.some(({ value }) => value.toLowerCase().startsWith(prefix));
  const isAll = recent.filter(({ isName }) => !isName).length < MAX_IDS;
  return isFound || isAll || !catalog[name].list.query.properties?.search ? recent : list(typed);
}

function wordsOf(thing: CatalogEntry, candidates: readonly Candidate[], now: number): readonly Word[] {
  const names = new Map<string, number>();
  for (const { name = '' } of candidates) names.set(name, (names.get(name) ?? 0) + 1);
  const isNamed = thing.isNamed !== false && thing.parent === undefined;
  return candidates.flatMap((candidate) => {
    const { id, name } = candidate;
    const description = formatCandidate(candidate, now);
    const byName = isNamed && name !== undefined && names.get(name) === 1;
    return [
      { value: id, description },
      ...(byName ? [{ value: name, description: `${shortId(id)}, ${description}`, isName: true }] : []),
    ];
  });
}

function openClient(
  { baseUrl, accountId, accountHeader, apiKey }: Connection,
  { env, version }: UserContext,
): Client {
  prepareProcess();
  return createClient({
    baseUrl,
    accountId,
    accountHeader,
    env,
    getKey: async () => (await apiKey()).reveal(),
    userAgent: `sonde/${version}`,
    clock: systemClock,
    random: systemRandom,
    retryBudgetMs: 0,
  });
}

async function listWithParents(
  client: Client,
  thing: CatalogEntry,
  listing: ListOptions,
): Promise<readonly Candidate[]> {
  const { parent } = thing;
  if (!parent) return listCandidates(client, thing, { ...listing, limit: MAX_IDS });
  const parents = await listCandidates(client, catalog[parent.of], { ...listing, limit: MAX_PARENTS });
  const lists = await Promise.all(
    parents.map(({ id }) => listCandidates(client, thing, { ...listing, limit: MAX_PARENTS, parentId: id })),
  );
  return lists.flat();
}
