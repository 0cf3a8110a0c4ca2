/** Which service a command talks to, with which key and account, and where each of these values came from. */
import { CredentialsError, UsageError } from '../base/errors.ts';
import { didYouMean, nearest } from '../base/suggest.ts';
import { type Environment, userFilePath } from './folders.ts';
import type { KeyHost } from './key-host.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { validateAccountId, DEFAULT_ACCOUNT_HEADER, isExposed, parseBaseUrl } from './rules.ts';
import { type Secret, toSecret } from './secret.ts';
import { type SourcedValue, type Overridden, readFlagAndVariable, listOverridden, type Source, formatSource } from './sources.ts';
import { keyStorage, type Profile, readUserFile, type UserFile } from './user-file.ts';

/** What profiles are found and read with. */
export interface ProfilesContext {
  readonly env: Environment;
  /** The user's home folder. */
  readonly home: string;
  /** Where the search for a project file begins. */
  readonly cwd: string;
  /** The global options as they were typed. There is none for the key. */
  readonly flags?: {
    readonly profile?: string | undefined;
    readonly baseUrl?: string | undefined;
    readonly account?: string | undefined;
  };
  /** Is told, in one sentence, what the user should know; for stderr. */
  readonly warn: (message: string) => void;
  /** For keys that another program has. */
  readonly host: KeyHost;
}

/** The sources of the values that are there. */
export interface Sources {
  readonly profileName?: Source;
  readonly baseUrl?: Source;
  readonly apiKey?: Source;
  readonly accountId?: Source;
  readonly accountHeader: Source;
  readonly insecure: Source;
}

/** What is known of the service to talk to. */
export interface Resolution {
  readonly profileName: string | undefined;
  /** Without a slash at its end. */
  readonly baseUrl: string | undefined;
  /** The key, from the environment, the file, the keyring or the profile's `apiKeyCommand`; who has it is asked on the first call, and once. */
  readonly apiKey: (() => Promise<Secret>) | undefined;
  readonly accountId: string | undefined;
  /** The header that carries the account id. */
  readonly accountHeader: string;
  /** True where plain http beyond this machine is allowed. */
  readonly insecure: boolean;
  /** True where SONDE_API_KEY is set to nothing, as pipelines do with a secret that they were not given. */
  readonly isKeyEmpty: boolean;
  readonly sources: Sources;
  /** What is there besides and does not hold. */
  readonly overridden: readonly Overridden[];
}

/** A service that can be called. */
export interface Connection extends Resolution {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<Secret>;
}

/**
 * Resolves by precedence: flag, environment (`SONDE_PROFILE`, `SONDE_BASE_URL`, `SONDE_API_KEY`, `SONDE_ACCOUNT_ID`; an
 * empty one counts as unset), project file (profile and account only), user file. Account, header and `insecure` of a profile hold for its own base
 * URL only, as its key does.
 *
 * @throws UsageError for a value or file that cannot be used, and for a profile that does not exist
 * @throws CredentialsError where a saved key would go to another base URL than the one it was saved with
 */
export async function loadProfiles(context: ProfilesContext): Promise<Resolution> {
  const { env, home, cwd, warn } = context;
  const user = await readUserFile(userFilePath(env, home), warn);
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
  // A profile's other values were saved for its own service: they mean nothing to another.
  const own = profile !== undefined && url?.value === profile.baseUrl ? profile : undefined;

  const isSaved = profile !== undefined && keyStorage(profile) !== undefined;
  if (envKey === undefined && isSaved && own === undefined) {
    throw wrongServiceError(chosen?.value ?? '', url, user);
  }
  const insecure = own?.insecure === true;
  if (url !== undefined && isExposed(url.value) && !insecure) throw exposedUrlError(url.source);

  const accounts = resolveAccounts(context, project, own, fromUser);
  const [account] = accounts;
  const apiKey =
    envKey !== undefined
      ? once(async () => toSecret(envKey, 'SONDE_API_KEY'))
      : own === undefined
        ? undefined
        : createKeyReader(own, chosen?.value ?? '', context, user.path);
  const keySource: Source = envKey === undefined ? fromUser : { from: 'environment', name: 'SONDE_API_KEY' };
  return {
    profileName: profile === undefined ? undefined : chosen?.value,
    baseUrl: url?.value,
    apiKey,
    accountId: account?.value,
    accountHeader: own?.accountHeader ?? DEFAULT_ACCOUNT_HEADER,
    insecure,
    isKeyEmpty: env.SONDE_API_KEY === '',
    sources: {
      ...(profile === undefined || chosen === undefined ? {} : { profileName: chosen.source }),
      ...(url === undefined ? {} : { baseUrl: url.source }),
      ...(apiKey === undefined ? {} : { apiKey: keySource }),
      ...(account === undefined ? {} : { accountId: account.source }),
      accountHeader: own?.accountHeader === undefined ? { from: 'default' } : fromUser,
      insecure: own?.insecure === undefined ? { from: 'default' } : fromUser,
    },
    overridden: [
      ...listOverridden(names, 'profile'),
      ...listOverridden(urls, 'baseUrl'),
      ...listOverridden(accounts, 'accountId'),
      ...(envKey !== undefined && isSaved ? [{ name: 'key', value: null, source: fromUser } as const] : []),
    ],
  };
}

/**
 * The resolution as something that can be called. Runs no command yet: the key is asked for when it is needed.
 *
 * @throws CredentialsError where no base URL or no key is known, naming the commands that bring one
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
  throw new CredentialsError('no profile selected: the service and the key are unknown', {
    hint,
  });
}

/** The base URLs that are not a profile's own. No project file has a say in it. */
function resolveBaseUrls({ env, flags }: ProfilesContext): readonly SourcedValue[] {
  return readFlagAndVariable(flags?.baseUrl, '--base-url', env, 'SONDE_BASE_URL').map(({ value, source }, index) => {
    const parsed = parseBaseUrl(value);
    if (!('problem' in parsed)) return { value: parsed.value, source };
    // What does not hold does no harm.
    if (index > 0) return { value, source };
    throw invalidValueError(source, parsed.problem);
  });
}

function resolveAccounts(
  { env, flags }: ProfilesContext,
  project: ProjectFile | undefined,
  own: Profile | undefined,
  fromUser: Source,
): readonly SourcedValue[] {
  const given = readFlagAndVariable(flags?.account, '--account', env, 'SONDE_ACCOUNT_ID');
  const [first] = given;
  const wrong = first === undefined ? undefined : validateAccountId(first.value);
  if (first !== undefined && wrong !== undefined) throw invalidValueError(first.source, wrong);
  return [...given, ...fromProject(project, 'accountId'), ...fromUserFile(own?.accountId, fromUser)];
}

const fromProject = (project: ProjectFile | undefined, key: 'accountId' | 'profile'): readonly SourcedValue[] =>
  project?.[key] === undefined
    ? []
    : [{ value: project[key], source: { from: 'project file', path: project.path } }];

const fromUserFile = (value: string | undefined, source: Source): readonly SourcedValue[] =>
  value === undefined ? [] : [{ value, source }];

/**
 * The names of the profile, the one that holds first. `selfSufficient`: key and address are known without one, as in CI,
 * where nobody has a user file.
 */
function resolveProfileNames(
  { env, flags }: ProfilesContext,
  project: ProjectFile | undefined,
  user: UserFile,
  selfSufficient: boolean,
): readonly SourcedValue[] {
  const given = readFlagAndVariable(flags?.profile, '--profile', env, 'SONDE_PROFILE');
  const names = [
    ...given,
    ...fromProject(project, 'profile'),
    ...fromUserFile(user.current, { from: 'user file', path: user.path }),
  ];
  const [chosen] = names;
  if (chosen === undefined || user.profiles.has(chosen.value)) return names;
  if (given.length === 0 && selfSufficient) return [];
  throw unknownProfileError(chosen.value, user, formatSource(chosen.source));
}

/** The error for a profile that does not exist. `place` says who asked for it. */
export function unknownProfileError(name: string, user: UserFile, place: string): UsageError {
  const names = [...user.profiles.keys()];
  const near = nearest(name, names);
  const hint =
    names.length === 0
      ? 'no profiles; to save one, run: sonde login'
      : `${near === undefined ? '' : `${didYouMean(near)} `}to list the profiles, run: sonde profiles list`;
  const message = `profile "${name}" not found`;
  const problem = { place, message, allowed: names, ...(near === undefined ? {} : { nearest: near }) };
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
        const { readKeyringKey: keyInKeyring } = await import('./keyring.ts');
        return keyInKeyring({ baseUrl, profile: name }, { env, ...host });
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

function invalidValueError(source: Source, problem: string): UsageError {
  const place = formatSource(source);
  return new UsageError(`${place} ${problem}`, { details: [{ place, message: problem }] });
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
