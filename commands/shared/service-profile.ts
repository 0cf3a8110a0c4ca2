/** The profile that leads to the embedded service: made at its first start, moved when it listens elsewhere. */
import type { Service } from '../../src/service/main.ts';
import type { Deps } from '../kernel/index.ts';

export interface ServiceProfile {
  readonly name: string;
  /** Whether it was there, was there with another address, or is new. */
  readonly change: 'kept' | 'moved' | 'saved';
}

/** Makes sure that a profile leads to this service. A profile of another service is never overwritten. */
export async function profileOf(deps: Deps, service: Service, url: string): Promise<ServiceProfile> {
  const { listProfiles, saveProfile } = await import('../../src/profiles/store.ts');
  const { toSecret } = await import('../../src/profiles/secret.ts');
  const { env, home, terminal } = deps;
  const place = { env, home, warn: (message: string) => void terminal.warn(message) };
  const { profiles } = await listProfiles(place);
  const accountId = service.first?.accountId ?? (await service.store.accounts.list())[0]?.id;
  if (accountId === undefined) throw new Error('The store has no account');

  // An account id is made by the service itself, so that it tells one service from another.
  const known = [...profiles].find(([, profile]) => profile.accountId === accountId && profile.apiKey);
  if (known) {
    const [name, profile] = known;
    if (profile.baseUrl === url) return { name, change: 'kept' };
    await saveProfile(place, name, { ...profile, baseUrl: url });
    return { name, change: 'moved' };
  }
  const key = service.first?.apiKey ?? (await service.store.keys.create(accountId, 'profile')).secret;
  const name = freeName(new Set(profiles.keys()));
  await saveProfile(place, name, { baseUrl: url, apiKey: toSecret(key, 'the service'), accountId });
  return { name, change: 'saved' };
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'local' : `local-${number}`;
    if (!taken.has(name)) return name;
  }
}
