/** The profile that leads to the embedded service: made at its first start, moved when it listens elsewhere. */
import type { Service } from '../../../src/service/main.ts';
import type { Deps } from '../../kernel/index.ts';
import { tellOfKeyring } from './keyring.ts';

export interface ServiceProfile {
  readonly name: string;
  /** Whether it was there, was there with another address, or is new. */
  readonly change: 'kept' | 'moved' | 'saved';
}

/** Makes sure that a profile leads to this service. A profile of another service is never overwritten. */
export async function profileOf(deps: Deps, service: Service, url: string): Promise<ServiceProfile> {
  const { listProfiles, saveProfile } = await import('../../../src/profiles/store.ts');
  const { toSecret } = await import('../../../src/profiles/secret.ts');
  const { keyPlace } = await import('../../../src/profiles/user-file.ts');
  const { env, home, terminal, keyHost } = deps;
  const place = { env, home, warn: (message: string) => void terminal.warn(message) };
  const { profiles } = await listProfiles(place);
  const accountId = service.first?.accountId ?? (await service.store.accounts.list())[0]?.id;
  if (accountId === undefined) throw new Error('The store has no account');

  // An account id is made by the service itself, so that it tells one service from another.
  const known = [...profiles].find(
    ([, profile]) => profile.accountId === accountId && keyPlace(profile) !== undefined,
  );
  const newKey = async () =>
    toSecret((await service.store.keys.create(accountId, 'profile')).secret, 'the service');
  if (known) {
    const [name, profile] = known;
    if (profile.baseUrl === url) return { name, change: 'kept' };
    if (profile.apiKeyIn === undefined) await saveProfile(place, name, { ...profile, baseUrl: url });
    else {
      // The keyring has keys by their addresses: this one gets another, since the old one may be out of reach by now.
      const { keepProfile } = await import('../../../src/profiles/safekeeping.ts');
      const moved = { ...profile, baseUrl: url, apiKeyIn: undefined, apiKey: await newKey() };
      const kept = await keepProfile({ ...place, host: keyHost }, name, moved, {
        inKeyring: true,
        makeCurrent: false,
      });
      await tellOfKeyring(deps, kept);
    }
    return { name, change: 'moved' };
  }
  const apiKey = service.first ? toSecret(service.first.apiKey, 'the service') : await newKey();
  const name = freeName(new Set(profiles.keys()));
  await saveProfile(place, name, { baseUrl: url, apiKey, accountId });
  return { name, change: 'saved' };
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'local' : `local-${number}`;
    if (!taken.has(name)) return name;
  }
}
