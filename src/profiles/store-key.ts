/** Profiles together with their keys, wherever those are kept: none is left behind where nobody looks for it. */
import type { KeyHost } from './key-host.ts';
import { type KeyringEntry, putIntoKeyring, removeFromKeyring } from './keyring.ts';
import { listProfiles, type ProfilesPlace, removeProfile, saveProfile } from './store.ts';
import type { Profile } from './user-file.ts';

export interface Safe extends ProfilesPlace {
  readonly host: KeyHost;
}

/** What was saved, and what did not go as it was wished for. */
export interface Kept {
  /** The user's file. */
  readonly path: string;
  /** As it was saved. */
  readonly profile: Profile;
  /** Why the key is in the file, though the keyring was wished for. */
  readonly keyringProblem?: string | undefined;
  /** A former key that is still in the keyring, and why. */
  readonly left?: Left | undefined;
}

/** A key that could not be taken out of the keyring. */
export interface Left {
  readonly entry: KeyringEntry;
  readonly problem: string;
}

/**
 * Saves a profile. `inKeyring`: its key goes into the system's keyring, or into the file where
 * that cannot be done. A key that the profile had in the keyring goes from there, unless the new one took its place.
 *
 * @throws what `saveProfile` throws: then the file is as it was, and the keyring has no key more; the signal's reason
 */
export async function keepProfile(
  safe: Safe,
  name: string,
  profile: Profile,
  { inKeyring, makeCurrent }: { readonly inKeyring: boolean; readonly makeCurrent: boolean },
): Promise<Kept> {
  const { apiKey, ...rest } = profile;
  const former = (await listProfiles({ ...safe, warn: () => undefined })).profiles.get(name);
  const formerEntry = former && entryOf(name, former);
  const entry: KeyringEntry = { baseUrl: profile.baseUrl, profile: name };
  const isWished = inKeyring && apiKey !== undefined;
  const keyringProblem = isWished ? await putIntoKeyring(entry, apiKey, ringOf(safe)) : undefined;
  const isThere = isWished && keyringProblem === undefined;
  const saved: Profile = isThere ? { ...rest, apiKeyIn: 'keyring' } : profile;
  const replaces = formerEntry?.baseUrl === entry.baseUrl;
  let path: string;
  try {
    path = await saveProfile(safe, name, saved, { makeCurrent });
  } catch (error) {
    if (isThere && !replaces) await removeFromKeyring(entry, ringOf(safe));
    throw error;
  }
  const left = formerEntry && !(isThere && replaces) ? await removeEntry(safe, formerEntry) : undefined;
  return { path, profile: saved, keyringProblem, left };
}

/** Removes a profile with its key. Gives the user's file, and the key that could not be taken out of the keyring. */
export async function dropProfile(
  safe: Safe,
  name: string,
): Promise<{ readonly path: string; readonly left: Left | undefined }> {
  const profile = (await listProfiles({ ...safe, warn: () => undefined })).profiles.get(name);
  const entry = profile && entryOf(name, profile);
  // The key first: where the process ends in between, the profile still tells where to look for it.
  const left = entry && (await removeEntry(safe, entry));
  return { path: await removeProfile(safe, name), left };
}

function entryOf(name: string, { apiKeyIn, baseUrl }: Profile): KeyringEntry | undefined {
  return apiKeyIn === undefined ? undefined : { baseUrl, profile: name };
}

async function removeEntry(safe: Safe, entry: KeyringEntry): Promise<Left | undefined> {
  const problem = await removeFromKeyring(entry, ringOf(safe));
  return problem === undefined ? undefined : { entry, problem };
}

const ringOf = ({ env, host }: Safe) => ({ env, ...host });
