/** Resolves the service, key and account of a command, and the source of each value. */
import { CredentialsError, UsageError } from '../base/errors.ts';
import { didYouMean, findNearest } from '../base/suggest.ts';
import {
  fromProject,
  fromUserFile,
  invalidValueError,
  resolveAccountHeaders,
  resolveAccounts,
} from './account.ts';
import { type Environment, userFilePath } from './folders.ts';
import type { KeyHost } from './key-host.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { DEFAULT_ACCOUNT_HEADER, isExposed, parseBaseUrl } from './rules.ts';
import { type Secret, toSecret } from './secret.ts';
import {
  formatSource,
  listOverridden,
  type Overridden,
  readFlagAndVariable,
  type Source,
  type SourcedValue,
  type Sources,
} from './sources.ts';
import { keyStorage, type Profile, readUserFile, type UserFile } from './user-file.ts';

/** The environment in which profiles are resolved. */
export interface ProfilesContext {
  readonly env: Environment;
  /** The user's home folder. */
  readonly home: string;
  /** The folder where the search for a project file begins. */
  readonly cwd: string;
  /** The global flags. There is none for the key. */
  readonly flags?: {
    readonly profile?: string | undefined;
    readonly baseUrl?: string | undefined;
    readonly account?: string | undefined;
    readonly accountHeader?: string | undefined;
  };
  /** Receives warnings of one sentence, for stderr. */
  readonly warn: (message: string) => void;
  /** Used to get keys from other programs. */
  readonly host: KeyHost;
}

/** The resolved values. */
export interface Resolution {
  readonly profileName: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string | undefined;
  /**
   * Returns the key from the environment, the file, the keyring or the profile's `apiKeyCommand`. It is read once, on
   * the first call.
   */
  readonly apiKey: (() => Promise<Secret>) | undefined;
  readonly accountId: string | undefined;
  /** The header for the account ID. */
  readonly accountHeader: string;
  /** Whether plain http to other machines is allowed. */
  readonly insecure: boolean;
  /** True if SONDE_API_KEY is set but empty, as in pipelines without access to the secret. */
  readonly isKeyEmpty: boolean;
  readonly sources: Sources;
  /** Values that are set but not used. */
  readonly overridden: readonly Overridden[];
}

/** The resolved values with a base URL and a key. */
export interface Connection extends Resolution {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<Secret>;
}

/**
 * Resolves by precedence: flag, environment (`SONDE_PROFILE`, `SONDE_BASE_URL`, `SONDE_API_KEY`, `SONDE_ACCOUNT_ID`,
 * `SONDE_ACCOUNT_HEADER`; an empty one counts as unset), project file (profile and account only), user file. Account, header, `insecure` and key
 * of a profile apply only to its own base URL.
 *
 * @throws UsageError for an invalid value or file, and for a profile that does not exist
 * @throws CredentialsError if a saved key would be sent to a base URL other than its own
 */
export async function loadProfiles(context: ProfilesContext): Promise<Resolution> {
  const { env, home, cwd, warn } = context;
  const user = readUserFile(userFilePath(env, home), warn);
  const project = await readProjectFile(cwd, home);
  const envKey = env.SONDE_API_KEY || undefined;

  const fromUser: Source = { from: 'user file', path: user.path };
  const explicitUrls = resolveBaseUrls(context);
  const names = resolveProfileNames(context, project, user, envKey !== undefined && explicitUrls.length > 0);
  const [chosen] = names;
  const profile = chosen === undefined ? undefined : user.profiles.get(chosen.value);
  const urls = [
    ...explicitUrls,
    ...(profile === undefined ? [] : [{ value: profile.baseUrl, source: fromUser }]),
  ];
  const [url] = urls;
  // The other values of a profile are valid only for its own service.
  const ownProfile = profile !== undefined && url?.value === profile.baseUrl ? profile : undefined;

  const isSaved = profile !== undefined && keyStorage(profile) !== undefined;
  if (envKey === undefined && isSaved && ownProfile === undefined) {
    throw wrongServiceError(chosen?.value ?? '', url, user);
  }
  const insecure = ownProfile?.insecure === true;
  if (url !== undefined && isExposed(url.value) && !insecure) throw exposedUrlError(url.source);

  const accounts = resolveAccounts(context, project, ownProfile, fromUser);
  const [account] = accounts;
  const headers = resolveAccountHeaders(context, ownProfile, fromUser);
  const [header] = headers;
  const apiKey =
    envKey !== undefined
      ? once(async () => toSecret(envKey, 'SONDE_API_KEY'))
      : ownProfile === undefined
        ? undefined
        : createKeyReader(ownProfile, chosen?.value ?? '', context, user.path);
  const keySource: Source = envKey === undefined ? fromUser : { from: 'environment', name: 'SONDE_API_KEY' };
  return {
    profileName: profile === undefined ? undefined : chosen?.value,
    baseUrl: url?.value,
    apiKey,
    accountId: account?.value,
    accountHeader: header?.value ?? DEFAULT_ACCOUNT_HEADER,
    insecure,
    isKeyEmpty: env.SONDE_API_KEY === '',
    sources: {
      ...(profile === undefined || chosen === undefined ? {} : { profileName: chosen.source }),
      ...(url === undefined ? {} : { baseUrl: url.source }),
      ...(apiKey === undefined ? {} : { apiKey: keySource }),
      ...(account === undefined ? {} : { accountId: account.source }),
      accountHeader: header?.source ?? { from: 'default' },
      insecure: ownProfile?.insecure === undefined ? { from: 'default' } : fromUser,
    },
    overridden: [
      ...listOverridden(names, 'profile'),
      ...listOverridden(urls, 'baseUrl'),
      ...listOverridden(accounts, 'accountId'),
      ...listOverridden(headers, 'accountHeader'),
      ...(envKey !== undefined && isSaved ? [{ name: 'key', value: null, source: fromUser } as const] : []),
    ],
  };
}

/**
 * Returns the resolution with a base URL and a key. It does not read the key yet.
 *
 * @throws CredentialsError if the base URL or the key is unknown, with the commands that set them
 */
export function requireConnection(resolution: Resolution): Connection {
  const { baseUrl, apiKey, profileName, isKeyEmpty } = resolution;
  if (baseUrl !== undefined && apiKey !== undefined) return { ...resolution, baseUrl, apiKey };
  if (isKeyEmpty) {
    throw new CredentialsError('SONDE_API_KEY is empty', {
      hint: 'set SONDE_API_KEY to the key; in a pipeline, the secret may be missing or unavailable to forks',
    });
  }
  const hint =
    'to sign in to a service, run: sonde login; to start a local service, run: sonde service start, ' +
    'which saves profile "local" for http://127.0.0.1:4100';
  if (profileName !== undefined) throw new CredentialsError(`profile "${profileName}" has no key`, { hint });
  if (baseUrl !== undefined) throw new CredentialsError(`no key for ${baseUrl}`, { hint });
  if (apiKey !== undefined) {
    throw new CredentialsError('SONDE_API_KEY is set without a base URL', {
      hint: 'set SONDE_BASE_URL to the URL of the service',
    });
  }
  throw new CredentialsError('no profile selected: the service and the key are unknown', { hint });
}

/** Returns the base URLs of flag and environment. A project file cannot set one. */
function resolveBaseUrls({ env, flags }: ProfilesContext): readonly SourcedValue[] {
  return readFlagAndVariable(flags?.baseUrl, '--base-url', env, 'SONDE_BASE_URL').map(
    ({ value, source }, index) => {
      const parsed = parseBaseUrl(value);
      if (!('problem' in parsed)) return { value: parsed.value, source };
      // An invalid value that is overridden does no harm.
      if (index > 0) return { value, source };
      throw invalidValueError(source, parsed.problem);
    },
  );
}

/**
 * Returns the names of the profile in order of precedence. `selfSufficient` means that key and base URL are known
 * without a profile, as in CI, where there is no user file.
 */
function resolveProfileNames(
  { env, flags }: ProfilesContext,
  project: ProjectFile | undefined,
  user: UserFile,
  selfSufficient: boolean,
): readonly SourcedValue[] {
  const explicit = readFlagAndVariable(flags?.profile, '--profile', env, 'SONDE_PROFILE');
  const names = [
    ...explicit,
    ...fromProject(project, 'profile'),
    ...fromUserFile(user.current, { from: 'user file', path: user.path }),
  ];
  const [chosen] = names;
  if (chosen === undefined || user.profiles.has(chosen.value)) return names;
  if (explicit.length === 0 && selfSufficient) return [];
  throw unknownProfileError(chosen.value, user, formatSource(chosen.source));
}

/** Returns the error for a profile that does not exist. `place` is the source of the name. */
export function unknownProfileError(name: string, user: UserFile, place: string): UsageError {
  const names = [...user.profiles.keys()];
  const suggestion = findNearest(name, names);
  const hint =
    names.length === 0
      ? 'no profiles; to save one, run: sonde login'
      : `${suggestion === undefined ? '' : `${didYouMean(suggestion)} `}to list the profiles, run: sonde profiles list`;
  const message = `profile "${name}" not found`;
  const problem = {
    place,
    message,
    allowed: names,
    ...(suggestion === undefined ? {} : { nearest: suggestion }),
  };
  const origin = place.startsWith('<') ? '' : ` (${place})`;
  return new UsageError(`${message}${origin}`, { hint, details: [problem] });
}

function createKeyReader(
  profile: Profile,
  name: string,
  { env, home, host }: ProfilesContext,
  path: string,
): (() => Promise<Secret>) | undefined {
  const { apiKey, apiKeyCommand: command, baseUrl } = profile;
  switch (keyStorage(profile)) {
    case undefined:
      return undefined;
    case 'saved':
      return once(async () => toSecret(apiKey?.reveal() ?? '', `profile "${name}" in ${path}`));
    case 'command':
      return once(async () => {
        const { runKeyCommand } = await import('./key-command.ts');
        return runKeyCommand({ command: command ?? '', profile: name, env, cwd: home, ...host });
      });
    case 'keyring':
      return once(async () => {
        const { readKeyringKey } = await import('./keyring.ts');
        return readKeyringKey({ baseUrl, profile: name }, { env, ...host });
      });
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= work();
    return started;
  };
}

function exposedUrlError(source: Source): UsageError {
  return new UsageError(
    `plain http to another machine is not allowed: the base URL from ${formatSource(source)}`,
    {
      hint: 'plain http exposes the key: use https, or set "insecure: true" in the profile of this base URL',
    },
  );
}

function wrongServiceError(name: string, url: SourcedValue | undefined, user: UserFile): CredentialsError {
  const profile = user.profiles.get(name);
  const matching = [...user.profiles].find(([, { baseUrl }]) => baseUrl === url?.value)?.[0];
  const conflict = url === undefined ? '' : `, but ${formatSource(url.source)} sets ${url.value}`;
  return new CredentialsError(`the key of profile "${name}" is only for ${profile?.baseUrl}${conflict}`, {
    hint:
      matching === undefined
        ? 'save a key for this URL with sonde login, or set SONDE_API_KEY'
        : `to use the profile for this URL, pass --profile ${matching}`,
  });
}
