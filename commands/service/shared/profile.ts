/** Creates and updates the profile of the embedded service. */
import { existsSync } from 'node:fs';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { storeFile } from '../../../src/cli/local-service/administration.ts';
import { reportKeyStorage } from '../../../src/cli/profiles/keyring.ts';
import { isLocal } from '../../../src/profiles/rules.ts';
import type { Profile } from '../../../src/profiles/user-file.ts';
import type { Service } from '../../../src/service/main.ts';

export interface ServiceProfile {
  readonly name: string;
  /** `moved`: the URL changed. `replaced`: the data of its previous service no longer exists. `saved`: the profile is new. */
  readonly change: 'unchanged' | 'moved' | 'replaced' | 'saved';
  /** Whether it is the current profile. */
  readonly isCurrent: boolean;
}

/**
 * Ensures that a profile for this service exists. Never overwrites the profile of another service whose data still exists.
 * `folder`: the data folder. Undefined: the data is in PostgreSQL.
 */
export async function ensureProfile(
  deps: Deps,
  service: Service,
  url: string,
  folder: string | undefined,
): Promise<ServiceProfile> {
  const { listProfiles, saveProfile } = await import('../../../src/profiles/store.ts');
  const { toSecret } = await import('../../../src/profiles/secret.ts');
  const { keyStorage } = await import('../../../src/profiles/user-file.ts');
  const { env, home, terminal, keyHost } = deps;
  const store = { env, home, warn: (message: string) => void terminal.warn(message) };
  const { profiles, current } = listProfiles(store);
  // Without a current profile, a saved one becomes current.
  const isCurrent = (name: string) => (current ?? name) === name;
  const accountId = service.firstAccount?.accountId ?? (await service.store.accounts.list())[0]?.id;
  if (accountId === undefined) throw new Error('the database has no account');
  const newKey = async () =>
    toSecret((await service.store.keys.create(accountId, 'profile')).secret, 'the service');

  /** Saves the profile. Its key goes to the keyring if the former key was there. */
  async function save(name: string, profile: Profile, former: Profile | undefined): Promise<void> {
    if (former?.apiKeyIn === undefined) return void (await saveProfile(store, name, profile));
    const { saveProfileWithKey } = await import('../../../src/profiles/profiles-with-keys.ts');
    const options = { inKeyring: true, makeCurrent: false };
    await reportKeyStorage(
      deps,
      await saveProfileWithKey({ ...store, host: keyHost }, name, profile, options),
    );
  }

  // The account ID identifies a service, which generates it. A profile with a remote URL of this service is left unchanged.
  const known = [...profiles].find(
    ([, profile]) =>
      profile.accountId === accountId && keyStorage(profile) !== undefined && isLocal(profile.baseUrl),
  );
  if (known) {
    const [name, profile] = known;
    const isHere = profile.baseUrl === url;
    if (isHere && profile.dataFolder === folder)
      return { name, change: 'unchanged', isCurrent: current === name };
    const moved = { ...profile, baseUrl: url, dataFolder: folder };
    if (isHere || profile.apiKeyIn === undefined) await saveProfile(store, name, moved);
    // The keyring stores keys by URL, and the old key may be unreachable: create a new one.
    else await save(name, { ...moved, apiKeyIn: undefined, apiKey: await newKey() }, profile);
    return { name, change: isHere ? 'unchanged' : 'moved', isCurrent: isCurrent(name) };
  }
  const apiKey = service.firstAccount ? toSecret(service.firstAccount.apiKey, 'the service') : await newKey();
  const saved: Profile = { baseUrl: url, apiKey, accountId, dataFolder: folder };
  const gone = folder === undefined ? undefined : findReplaceable(profiles, folder);
  const name = gone ?? freeName(new Set(profiles.keys()));
  await save(name, saved, profiles.get(name));
  return { name, change: gone === undefined ? 'saved' : 'replaced', isCurrent: isCurrent(name) };
}

/** Returns the name of a profile for this data folder, or for a data folder that no longer exists. */
function findReplaceable(profiles: ReadonlyMap<string, Profile>, folder: string): string | undefined {
  const all = [...profiles];
  const here = all.find(([, { dataFolder }]) => dataFolder === folder);
  const gone = all.find(
    ([, { dataFolder }]) => dataFolder !== undefined && !existsSync(storeFile(dataFolder)),
  );
  return (here ?? gone)?.[0];
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'local' : `local-${number}`;
    if (!taken.has(name)) return name;
  }
}
