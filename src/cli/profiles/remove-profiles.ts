/** Removes saved profiles and their keys, after confirmation. */
import { rm } from 'node:fs/promises';
import { CredentialsError, DeclinedError, UsageError } from '../../base/errors.ts';
import { REQUIRED_ARGUMENT } from '../../base/phrases.ts';
import { type LeftoverKey, removeProfileWithKey } from '../../profiles/profiles-with-keys.ts';
import { unknownProfileError } from '../../profiles/resolve.ts';
import { listProfiles } from '../../profiles/store.ts';
import type { Profile, UserFile } from '../../profiles/user-file.ts';
import { confirm, type OutputOptions, render } from '../../terminal/index.ts';
import { cacheFile } from '../completion/cache.ts';
import type { Deps } from '../framework/index.ts';
import type { Globals } from '../framework/types.ts';
import { keyringRemovalError } from './keyring.ts';
import { type KeyKind, keyKind, shortenPath } from './profile-view.ts';

export function readProfiles({ env, home, terminal }: Deps, quiet = false): UserFile {
  return listProfiles({ env, home, warn: (message) => void (quiet ? undefined : terminal.warn(message)) });
}

/**
 * Returns the name from the argument, `--profile`, `SONDE_PROFILE`, or else the current profile. Ignores the project's file,
 * which others may have written.
 */
export function resolveProfileName(
  argument: string | undefined,
  { profile }: Pick<Globals, 'profile'>,
  env: Deps['env'],
  user: UserFile,
): string {
  if (argument !== undefined && profile !== undefined && argument !== profile) {
    throw new UsageError(`conflicting profiles: "${argument}" and --profile "${profile}"`);
  }
  const name = argument ?? profile ?? (env.SONDE_PROFILE || undefined) ?? user.current;
  if (name !== undefined) return name;
  const names = listProfileNames(user);
  throw new UsageError('no current profile; required argument: <profile>', {
    details: [{ place: '<profile>', message: REQUIRED_ARGUMENT, allowed: names }],
    hint: `profiles: ${names.join(', ')}`,
  });
}

/** Returns the names of all profiles. Throws CredentialsError if there are none. */
export function listProfileNames({ profiles, path }: UserFile): readonly string[] {
  const names = [...profiles.keys()];
  if (names.length > 0) return names;
  throw new CredentialsError('no profiles', { hint: `${path} has no profiles` });
}

export interface Removal {
  readonly names: readonly string[];
  /** Whether to print a list, even for one profile. */
  readonly many: boolean;
  readonly yes: boolean;
  readonly output: OutputOptions;
}

/**
 * Throws UsageError for an unknown name or without a terminal, DeclinedError after a no, and CredentialsError at the end if a key
 * remains in the system keyring.
 */
export async function removeProfiles(deps: Deps, user: UserFile, removal: Removal): Promise<void> {
  const { terminal, env, home, signal, keyHost, platform } = deps;
  const { names, many, yes, output } = removal;
  const profiles = names.map((name) => {
    const profile = user.profiles.get(name);
    if (profile === undefined) throw unknownProfileError(name, user, user.path);
    return { name, profile };
  });
  const message = many ? formatQuestionForAll(profiles) : profiles.map(formatQuestion).join('');
  if (!yes && !(await confirm(terminal, { message, flag: '--yes', signal }))) {
    throw new DeclinedError('nothing was removed');
  }
  const remaining: LeftoverKey[] = [];
  for (const { name, profile } of profiles) {
    const { path, leftoverKey } = await removeProfileWithKey(
      { env, home, warn: () => undefined, host: keyHost },
      name,
    );
    await terminal.note(
      formatRemoval(name, keyKind(profile), shortenPath(path, home), leftoverKey !== undefined),
    );
    if (leftoverKey !== undefined) remaining.push(leftoverKey);
  }
  // The cache has IDs and names that the key gave access to. If it cannot be removed, it expires after ten minutes.
  await rm(cacheFile(env, home), { force: true }).catch(() => {});
  await reportRemaining(deps, user, profiles);
  if (output.format !== undefined) {
    const rows = profiles.map(({ name, profile }) => ({
      profile: name,
      baseUrl: profile.baseUrl,
      removed: true,
      keyRemoved: hasKey(profile) && !remaining.some(({ entry }) => entry.profile === name),
    }));
    if (many) await render(terminal, { kind: 'list', data: rows, output, columns: COLUMNS });
    else for (const row of rows) await render(terminal, { kind: 'item', data: row, output });
  }
  if (remaining.length > 0) throw keyringRemovalError(remaining, platform);
}

const COLUMNS = [{ key: 'profile' }, { key: 'baseUrl', header: 'base URL' }, { key: 'removed' }] as const;

interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

const hasKey = (profile: Profile): boolean => ['saved', 'keyring'].includes(keyKind(profile) ?? '');

const formatQuestion = ({ name, profile }: NamedProfile): string =>
  `Remove profile "${name}" for ${profile.baseUrl}${hasKey(profile) ? ' and its key' : ''}?`;

const formatQuestionForAll = (profiles: readonly NamedProfile[]): string =>
  `Remove ${profiles.length === 1 ? 'the only profile' : `all ${profiles.length} profiles`} and every key: ${profiles
    .map(({ name, profile }) => `${name} (${profile.baseUrl})`)
    .join(', ')}?`;

function formatRemoval(name: string, key: KeyKind | null, path: string, isKeyLeft: boolean): string {
  if (key === 'saved') return `Removed profile "${name}" and its key from ${path}.`;
  const removed = `Removed profile "${name}" from ${path}`;
  if (key === 'command') return `${removed}; the source of its apiKeyCommand is unchanged.`;
  return key === 'keyring' && !isKeyLeft ? `${removed}, and its key from the system keyring.` : `${removed}.`;
}

/** Prints what remains: valid keys, the choice of a current profile, and SONDE_API_KEY. */
async function reportRemaining(
  { terminal, env }: Deps,
  user: UserFile,
  removed: readonly NamedProfile[],
): Promise<void> {
  const keyed = removed.filter(({ profile }) => hasKey(profile)).map(({ profile }) => profile.baseUrl);
  if (keyed.length > 0) {
    const [they, them] =
      keyed.length === 1 ? ['The key remains valid', 'it'] : ['The keys remain valid', 'them'];
    await terminal.note(`${they} until you revoke ${them} at ${[...new Set(keyed)].join(', ')}.`);
  }
  const names = new Set(removed.map(({ name }) => name));
  const others = [...user.profiles.keys()].filter((name) => !names.has(name));
  if (user.current !== undefined && names.has(user.current)) {
    await terminal.note(
      others.length === 0
        ? 'No profiles remain. To save one, run: sonde login'
        : `No current profile. To select one, run: sonde profiles use ${others.join(' | ')}`,
    );
  }
  if (env.SONDE_API_KEY) {
    await terminal.warn('SONDE_API_KEY is still set and in use. To remove it, run: unset SONDE_API_KEY');
  }
}
