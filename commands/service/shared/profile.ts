/** The profile that leads to the embedded service: made at its first start, moved when it listens elsewhere. */
import { existsSync } from 'node:fs';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { storeFile } from '../../../src/cli/local-service/administration.ts';
import { tellOfKeyring } from '../../../src/cli/profiles/keyring.ts';
import { isLocal } from '../../../src/profiles/rules.ts';
import type { Profile } from '../../../src/profiles/user-file.ts';
import type { Service } from '../../../src/service/main.ts';

export interface ServiceProfile {
  readonly name: string;
  /** Whether it was there, had another address, led to a service whose data is gone, or is new. */
  readonly change: 'kept' | 'moved' | 'replaced' | 'saved';
  /** Whether commands use it where nothing chooses another. */
  readonly isCurrent: boolean;
}

/**
 * Makes sure that a profile leads to this service. A profile of another service is never overwritten, unless that service is gone.
 * `folder`: the data folder; undefined: the data is in a database.
 */
export async function profileOf(
  deps: Deps,
  service: Service,
  url: string,
  folder: string | undefined,
): Promise<ServiceProfile> {
  const { listProfiles, saveProfile } = await import('../../../src/profiles/store.ts');
  const { toSecret } = await import('../../../src/profiles/secret.ts');
  const { keyStorage } = await import('../../../src/profiles/user-file.ts');
  const { env, home, terminal, keyHost } = deps;
  const place = { env, home, warn: (message: string) => void terminal.warn(message) };
  const { profiles, current } = await listProfiles(place);
  // One that is saved where none is current becomes the current one.
  const isCurrent = (name: string) => (current ?? name) === name;
  const accountId = service.first?.accountId ?? (await service.store.accounts.list())[0]?.id;
  if (accountId === undefined) throw new Error('the database has no account');
  const newKey = async () =>
    toSecret((await service.store.keys.create(accountId, 'profile')).secret, 'the service');

  /** Saves the profile; where the key of a former one was in the keyring, with its own there. */
  async function save(name: string, profile: Profile, former: Profile | undefined): Promise<void> {
    if (former?.apiKeyIn === undefined) return void (await saveProfile(place, name, profile));
    const { saveProfileWithKey } = await import('../../../src/profiles/profiles-with-keys.ts');
    const wish = { inKeyring: true, makeCurrent: false };
    await tellOfKeyring(deps, await saveProfileWithKey({ ...place, host: keyHost }, name, profile, wish));
  }

  // An account id is made by the service itself, so that it tells one service from another. A profile by which the user reaches
  // this service from elsewhere stays as it is.
  const known = [...profiles].find(
    ([, profile]) =>
      profile.accountId === accountId && keyStorage(profile) !== undefined && isLocal(profile.baseUrl),
  );
  if (known) {
    const [name, profile] = known;
    const isHere = profile.baseUrl === url;
    if (isHere && profile.dataFolder === folder) return { name, change: 'kept', isCurrent: current === name };
    const moved = { ...profile, baseUrl: url, dataFolder: folder };
    if (isHere || profile.apiKeyIn === undefined) await saveProfile(place, name, moved);
    // The keyring has keys by their addresses: this one gets another, since the old one may be out of reach by now.
    else await save(name, { ...moved, apiKeyIn: undefined, apiKey: await newKey() }, profile);
    return { name, change: isHere ? 'kept' : 'moved', isCurrent: isCurrent(name) };
  }
  const apiKey = service.first ? toSecret(service.first.apiKey, 'the service') : await newKey();
  const saved: Profile = { baseUrl: url, apiKey, accountId, dataFolder: folder };
  const gone = folder === undefined ? undefined : profileOfGone(profiles, folder);
  const name = gone ?? freeName(new Set(profiles.keys()));
  await save(name, saved, profiles.get(name));
  return { name, change: gone === undefined ? 'saved' : 'replaced', isCurrent: isCurrent(name) };
}

/** The name of a profile that leads to a service whose data is gone: from this data folder, or with its own. */
function profileOfGone(profiles: ReadonlyMap<string, Profile>, folder: string): string | undefined {
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
