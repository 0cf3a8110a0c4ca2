/** Fetches the latest version from an npm registry with one anonymous GET. */
import { trimSlashes } from '../base/trim-slashes.ts';
import { openDispatcher } from '../client/dispatcher.ts';
import { exchange } from '../client/exchange.ts';
import { isNewer, isSameRepository, type Release } from './update-state.ts';

/** Generous limits, because nobody waits for the result. */
const LIMITS = { connectTimeoutMs: 10_000, answerTimeoutMs: 10_000, maxBytes: 1_000_000 };

/**
 * Returns the latest release of the package; undefined if the registry has another package of that name.
 *
 * @param registry its base URL
 * @throws if the answer is not from a registry
 */
export async function fetchLatestVersion(
  { name, repository }: Omit<Release, 'registry'>,
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const url = new URL(`${trimSlashes(registry)}/${name.replace('/', '%2f')}/latest`);
  const headers = { accept: 'application/json', 'user-agent': 'sonde' };
  const dispatcher = await openDispatcher(url, env);
  const answer = await exchange(dispatcher, { method: 'GET', url, headers, body: undefined }, LIMITS);
  if (answer.kind === 'fault') throw answer.error;
  if (answer.status !== 200) return undefined;
  const {
    name: publishedName,
    repository: publishedRepository,
    version,
  } = JSON.parse(answer.bytes.toString()) as Record<string, unknown>;
  const isOurs = publishedName === name && isSameRepository(publishedRepository, repository);
  // isNewer accepts only releases.
  return isOurs && typeof version === 'string' && isNewer(version, '0.0.0-0') ? version : undefined;
}
