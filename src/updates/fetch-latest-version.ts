/** Asks a registry of npm which version is the newest: one GET that says nothing of who asks. */
import { openDispatcher } from '../client/dispatcher.ts';
import { exchange } from '../client/exchange.ts';
import { isSameRepository, type Release } from './release.ts';
import { isNewer } from './update-state.ts';

/** Nobody waits for it; in ms, as a connection and as an answer may take. */
const LIMITS = { connectTimeoutMs: 10_000, answerTimeoutMs: 10_000, mostBytes: 1_000_000 };

/**
 * The newest release of the package, if the registry has the one that is meant: of a package that only has its name it
 * tells nothing.
 *
 * @param registry its base URL
 * @throws where what answers is no registry
 */
export async function fetchLatestVersion(
  { name, repository }: Omit<Release, 'registry'>,
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const url = new URL(`${registry.replace(/\/+$/, '')}/${name.replace('/', '%2f')}/latest`);
  const headers = { accept: 'application/json', 'user-agent': 'sonde' };
  const dispatcher = await openDispatcher(url, env);
  const answer = await exchange(dispatcher, { method: 'GET', url, headers, body: undefined }, LIMITS);
  if (answer.kind === 'fault') throw answer.error;
  if (answer.status !== 200) return undefined;
  const {
    name: told,
    repository: from,
    version,
  } = JSON.parse(answer.bytes.toString()) as Record<string, unknown>;
  const isOurs = told === name && isSameRepository(from, repository);
  // Only what is a release comes after anything.
  return isOurs && typeof version === 'string' && isNewer(version, '0.0.0-0') ? version : undefined;
}
