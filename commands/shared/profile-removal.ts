/** Removes a saved profile and its key, once a person or `--yes` has agreed. */
import { CredentialsError, DeclinedError, UsageError } from '../../src/base/errors.ts';
import { unknownProfile } from '../../src/profiles/resolve.ts';
import { listProfiles, removeProfile } from '../../src/profiles/store.ts';
import type { UserFile } from '../../src/profiles/user-file.ts';
import { confirm, type OutputOptions, render } from '../../src/terminal/index.ts';
import type { Deps } from '../kernel/index.ts';
import type { Globals } from '../kernel/types.ts';
import { keyKind, shorter } from './profile-view.ts';

/** The profiles of the user's file. Every command of this family reads it so. */
export function readProfiles({ env, home, terminal }: Deps, quiet = false): Promise<UserFile> {
  return listProfiles({ env, home, warn: (message) => void (quiet ? undefined : terminal.warn(message)) });
}

/**
 * The profile that is meant: the argument, `--profile`, `SONDE_PROFILE`, else the current one. A project's file has no say:
 * others wrote it.
 */
export function profileMeant(
  given: string | undefined,
  { profile }: Pick<Globals, 'profile'>,
  env: Deps['env'],
  { current, profiles, path }: UserFile,
): string {
  if (given !== undefined && profile !== undefined && given !== profile) {
    throw new UsageError(`two profiles are named: "${given}" and, by --profile, "${profile}"`);
  }
  const name = given ?? profile ?? (env.SONDE_PROFILE || undefined) ?? current;
  if (name !== undefined) return name;
  const names = [...profiles.keys()];
  if (names.length === 0) {
    throw new CredentialsError('there is no profile to remove', { hint: `${path} holds none` });
  }
  throw new UsageError('no profile is current: name the one to remove', {
    details: [{ place: '<profile>', message: 'is required', allowed: names }],
    hint: `there are ${names.join(', ')}`,
  });
}

/** Throws UsageError for an unknown name and where nobody can be asked, DeclinedError where a person says no. */
export async function removeNamed(
  deps: Deps,
  user: UserFile,
  name: string,
  { yes, output }: { readonly yes: boolean; readonly output: OutputOptions },
): Promise<void> {
  const { terminal, env, home, signal } = deps;
  const profile = user.profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, user, user.path);
  const key = keyKind(profile);
  const message = `Remove the profile "${name}" for ${profile.baseUrl}${key === 'saved' ? ' and its key' : ''}?`;
  if (!yes && !(await confirm(terminal, { message, flag: '--yes', signal }))) {
    throw new DeclinedError('nothing was removed');
  }
  const path = await removeProfile({ env, home, warn: () => undefined }, name);
  const gone = key === 'saved' ? ' Its key is gone from there, and still valid at the service.' : '';
  await terminal.note(`Removed the profile "${name}" from ${shorter(path, home)}.${gone}`);
  const others = [...user.profiles.keys()].filter((other) => other !== name);
  if (user.current === name && others.length > 0) {
    await terminal.note(`No profile is current now. Choose one: sonde profiles use ${others.join(' | ')}`);
  }
  if (env.SONDE_API_KEY)
    await terminal.warn('SONDE_API_KEY is still set, and is used where a service is named.');
  if (output.format !== undefined) {
    await render(terminal, {
      kind: 'item',
      data: { profile: name, baseUrl: profile.baseUrl, removed: true },
      output,
    });
  }
}
