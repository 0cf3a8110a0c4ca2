/** Profiles together with their keys, wherever those are kept: none is left behind where nobody looks for it. */
import type { KeyHost } from './key-host.ts';
import { type KeyringEntry, saveKeyringKey, removeKeyringKey } from './keyring.ts';
import { listProfiles, type UserFileContext, removeProfile, saveProfile } from './store.ts';
import type { Profile } from './user-file.ts';

export interface KeyStore extends UserFileContext {
  readonly host: KeyHost;
}

/** What was saved, and what did not go as it was wished for. */
export interface SavedProfile {
  /** The user's file. */
  readonly path: string;
  /** As it was saved. */
  readonly profile: Profile;
  /** Why the key is in the file, though the keyring was wished for. */
  readonly keyringProblem?: string | undefined;
  /** A former key that is still in the keyring, and why. */
  readonly leftoverKey?: LeftoverKey | undefined;
}

/** A key that could not be taken out of the keyring. */
export interface LeftoverKey {
  readonly entry: KeyringEntry;
  readonly problem: string;
}

/**
 * Saves a profile. `inKeyring`: its key goes into the system's keyring, or into the file where
 * that cannot be done. A key that the profile had in the keyring goes from there, unless the new one took its place.
 *
 * @throws what `saveProfile` throws: then the file is as it was, and the keyring has no key more; the signal's reason
 */
export async function saveProfileWithKey(
  store: KeyStore,
  name: string,
  profile: Profile,
  { inKeyring, makeCurrent }: { readonly inKeyring: boolean; readonly makeCurrent: boolean },
): Promise<SavedProfile> {
  const { apiKey, ...rest } = profile;
  const former = (await listProfiles({ ...store, warn: () => undefined })).profiles.get(name);
  const formerEntry = former && keyringEntry(name, former);
  const entry: KeyringEntry = { baseUrl: profile.baseUrl, profile: name };
  const useKeyring = inKeyring && apiKey !== undefined;
  const keyringProblem = useKeyring ? await saveKeyringKey(entry, apiKey, keyringHost(store)) : undefined;
  const isInKeyring = useKeyring && keyringProblem === undefined;
  const saved: Profile = isInKeyring ? { ...rest, apiKeyIn: 'keyring' } : profile;
  const replaces = formerEntry?.baseUrl === entry.baseUrl;
  let path: string;
  try {
    path = await saveProfile(store, name, saved, { makeCurrent });
  } catch (error) {
    if (isInKeyring && !replaces) await removeKeyringKey(entry, keyringHost(store));
    throw error;
  }
  const left = formerEntry && !(isInKeyring && replaces) ? await removeEntry(store, formerEntry) : undefined;
  return { path, profile: saved, keyringProblem, leftoverKey: left };
}

/** Removes a profile with its key. Gives the user's file, and the key that could not be taken out of the keyring. */
export async function removeProfileWithKey(
  safe: KeyStore,
  name: string,
): Promise<{ readonly path: string; readonly left: LeftoverKey | undefined }> {
  const profile = (await listProfiles({ ...safe, warn: () => undefined })).profiles.get(name);
  const entry = profile && keyringEntry(name, profile);
  // The key first: where the process ends in between, the profile still tells where to look for it.
  const left = entry && (await removeEntry(safe, entry));
  return { path: await removeProfile(safe, name), left };
}

function keyringEntry(name: string, { apiKeyIn, baseUrl }: Profile): KeyringEntry | undefined {
  return apiKeyIn === undefined ? undefined : { baseUrl, profile: name };
}

async function removeEntry(safe: KeyStore, entry: KeyringEntry): Promise<LeftoverKey | undefined> {
  const problem = await removeKeyringKey(entry, keyringHost(safe));
  return problem === undefined ? undefined : { entry, problem };
}

const keyringHost = ({ env, host }: KeyStore) => ({ env, ...host });
