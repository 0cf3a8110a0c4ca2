/** Saves and removes profiles with their keys, in the file or the keyring, so that no key is left behind. */
import type { KeyHost } from './key-host.ts';
import { type KeyringEntry, removeKeyringKey, saveKeyringKey } from './keyring.ts';
import { listProfiles, removeProfile, saveProfile, type UserFileContext } from './store.ts';
import type { Profile } from './user-file.ts';

export interface KeyStore extends UserFileContext {
  readonly host: KeyHost;
}

/** A saved profile, and problems with the keyring. */
export interface SavedProfile {
  /** The user's file. */
  readonly path: string;
  /** The profile as saved. */
  readonly profile: Profile;
  /** The reason why the key is in the file instead of the keyring. */
  readonly keyringProblem?: string | undefined;
  /** A previous key that could not be removed from the keyring. */
  readonly leftoverKey?: LeftoverKey | undefined;
}

/** A key that could not be removed from the keyring. */
export interface LeftoverKey {
  readonly entry: KeyringEntry;
  readonly problem: string;
}

/**
 * Saves a profile. With `inKeyring`, its key is saved in the system keyring, or in the file if that fails. A previous
 * key in the keyring is removed or replaced.
 *
 * @throws the errors of `saveProfile`, with file and keyring unchanged; the reason of the signal
 */
export async function saveProfileWithKey(
  store: KeyStore,
  name: string,
  profile: Profile,
  { inKeyring, makeCurrent }: { readonly inKeyring: boolean; readonly makeCurrent: boolean },
): Promise<SavedProfile> {
  const { apiKey, ...rest } = profile;
  const previous = listProfiles({ ...store, warn: () => undefined }).profiles.get(name);
  const previousEntry = previous && keyringEntry(name, previous);
  const entry: KeyringEntry = { baseUrl: profile.baseUrl, profile: name };
  const useKeyring = inKeyring && apiKey !== undefined;
  const keyringProblem = useKeyring ? await saveKeyringKey(entry, apiKey, keyringHost(store)) : undefined;
  const isInKeyring = useKeyring && keyringProblem === undefined;
  const saved: Profile = isInKeyring ? { ...rest, apiKeyIn: 'keyring' } : profile;
  const replaces = previousEntry?.baseUrl === entry.baseUrl;
  let path: string;
  try {
    path = await saveProfile(store, name, saved, { makeCurrent });
  } catch (error) {
    if (isInKeyring && !replaces) await removeKeyringKey(entry, keyringHost(store));
    throw error;
  }
  const leftoverKey =
    previousEntry && !(isInKeyring && replaces) ? await removeEntry(store, previousEntry) : undefined;
  return { path, profile: saved, keyringProblem, leftoverKey };
}

/** Removes a profile with its key. Returns the path of the user's file, and the key that could not be removed. */
export async function removeProfileWithKey(
  store: KeyStore,
  name: string,
): Promise<{ readonly path: string; readonly leftoverKey: LeftoverKey | undefined }> {
  const profile = listProfiles({ ...store, warn: () => undefined }).profiles.get(name);
  const entry = profile && keyringEntry(name, profile);
  // The key is removed first: if the process ends in between, the profile still refers to it.
  const leftoverKey = entry && (await removeEntry(store, entry));
  return { path: await removeProfile(store, name), leftoverKey };
}

function keyringEntry(name: string, { apiKeyIn, baseUrl }: Profile): KeyringEntry | undefined {
  return apiKeyIn === undefined ? undefined : { baseUrl, profile: name };
}

async function removeEntry(store: KeyStore, entry: KeyringEntry): Promise<LeftoverKey | undefined> {
  const problem = await removeKeyringKey(entry, keyringHost(store));
  return problem === undefined ? undefined : { entry, problem };
}

const keyringHost = ({ env, host }: KeyStore) => ({ env, ...host });
