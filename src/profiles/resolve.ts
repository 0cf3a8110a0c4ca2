/** Which service a command talks to, with which key and account, and where each of these values came from. */
import { CredentialsError, UsageError } from '../base/errors.ts';
import { type Environment, userFile } from './folders.ts';
import { runKeyCommand } from './key-command.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { accountProblem, DEFAULT_ACCOUNT_HEADER, isExposed, judgeBaseUrl, nearest } from './rules.ts';
import { type Secret, toSecret } from './secret.ts';
import { type Profile, readUserFile, type UserFile } from './user-file.ts';

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
}

/** Where a value came from. */
export type Source =
  | { readonly from: 'flag' | 'environment'; readonly name: string }
  | { readonly from: 'project file' | 'user file'; readonly path: string }
  | { readonly from: 'default' };

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
  /** The key, from the environment, the file, or the profile's `apiKeyCommand`, which runs on the first call and once. */
  readonly apiKey: (() => Promise<Secret>) | undefined;
  readonly accountId: string | undefined;
  /** The header that carries the account id. */
  readonly accountHeader: string;
  /** True where plain http beyond this machine is allowed. */
  readonly insecure: boolean;
  /** True where SONDE_API_KEY is set to nothing, as pipelines do with a secret that they were not given. */
  readonly isKeyEmpty: boolean;
  readonly sources: Sources;
}

/** A service that can be called. */
export interface Connection extends Resolution {
  readonly baseUrl: string;
  readonly apiKey: () => Promise<Secret>;
}

interface Found {
  readonly value: string;
  readonly source: Source;
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
  const user = await readUserFile(userFile(env, home), warn);
  const project = await readProjectFile(cwd, home);
  const envKey = env.SONDE_API_KEY || undefined;

  const outerUrl = findBaseUrl(context);
  const chosen = chooseProfile(context, project, user, envKey !== undefined && outerUrl !== undefined);
  const profile = chosen === undefined ? undefined : user.profiles.get(chosen.value);
  const fromUser: Source = { from: 'user file', path: user.path };
  const url = outerUrl ?? (profile === undefined ? undefined : { value: profile.baseUrl, source: fromUser });
  // A profile's other values were saved for its own service: they mean nothing to another.
  const own = profile !== undefined && url?.value === profile.baseUrl ? profile : undefined;

  const saved = profile?.apiKey ?? profile?.apiKeyCommand;
  if (envKey === undefined && saved !== undefined && own === undefined) {
    throw misdirected(chosen?.value ?? '', url, user);
  }
  const insecure = own?.insecure === true;
  if (url !== undefined && isExposed(url.value) && !insecure) throw exposed(url.source);

  const account = findAccount(context, project, own, fromUser);
  const apiKey =
    envKey !== undefined
      ? once(async () => toSecret(envKey, 'SONDE_API_KEY'))
      : own === undefined
        ? undefined
        : savedKey(own, chosen?.value ?? '', context, user);
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
    throw new CredentialsError('SONDE_API_KEY is set, but empty', {
      hint: 'give it the key; in a pipeline the secret may be missing, or kept from runs of forks',
    });
  }
  const hint =
    'sonde login saves a profile for a service you have a key for; sonde service start runs one on this machine and ' +
    'saves the profile "local" for http://127.0.0.1:4100';
  if (profileName !== undefined)
    throw new CredentialsError(`the profile "${profileName}" has no key`, { hint });
  if (baseUrl !== undefined) throw new CredentialsError(`there is no key for ${baseUrl}`, { hint });
  if (apiKey !== undefined) {
    throw new CredentialsError('SONDE_API_KEY is set, but nothing says which service it is for', {
      hint: 'set SONDE_BASE_URL to the address of the service',
    });
  }
  throw new CredentialsError('no profile is chosen, so there is no key and no service to send it to', {
    hint,
  });
}

/** The base URL that is not a profile's own. No project file has a say in it. */
function findBaseUrl({ env, flags }: ProfilesContext): Found | undefined {
  const outer = outermost(flags?.baseUrl, '--base-url', env, 'SONDE_BASE_URL');
  if (outer === undefined) return undefined;
  const judged = judgeBaseUrl(outer.value);
  if ('problem' in judged) throw unusable(outer.source, judged.problem);
  return { value: judged.value, source: outer.source };
}

function findAccount(
  { env, flags }: ProfilesContext,
  project: ProjectFile | undefined,
  own: Profile | undefined,
  fromUser: Source,
): Found | undefined {
  const outer = outermost(flags?.account, '--account', env, 'SONDE_ACCOUNT_ID');
  const wrong = outer === undefined ? undefined : accountProblem(outer.value);
  if (outer !== undefined && wrong !== undefined) throw unusable(outer.source, wrong);
  if (outer !== undefined) return outer;
  if (project?.accountId !== undefined) {
    return { value: project.accountId, source: { from: 'project file', path: project.path } };
  }
  return own?.accountId === undefined ? undefined : { value: own.accountId, source: fromUser };
}

/** The profile's name. `selfSufficient`: key and address are known without one, as in CI, where nobody has a user file. */
function chooseProfile(
  { env, flags }: ProfilesContext,
  project: ProjectFile | undefined,
  user: UserFile,
  selfSufficient: boolean,
): Found | undefined {
  const outer = outermost(flags?.profile, '--profile', env, 'SONDE_PROFILE');
  const inner: Found | undefined =
    project?.profile !== undefined
      ? { value: project.profile, source: { from: 'project file', path: project.path } }
      : user.current === undefined
        ? undefined
        : { value: user.current, source: { from: 'user file', path: user.path } };
  const chosen = outer ?? inner;
  if (chosen === undefined || user.profiles.has(chosen.value)) return chosen;
  if (outer === undefined && selfSufficient) return undefined;
  throw unknownProfile(chosen.value, user, sourceText(chosen.source));
}

/** The error for a profile that does not exist. `place` says who asked for it. */
export function unknownProfile(name: string, user: UserFile, place: string): UsageError {
  const names = [...user.profiles.keys()];
  const near = nearest(name, names);
  const hint =
    names.length === 0
      ? 'there is no profile yet: sonde login saves one'
      : `${near === undefined ? '' : `did you mean "${near}"? `}sonde profiles list shows the profiles there are`;
  const message = `there is no profile "${name}"`;
  const problem = { place, message, allowed: names, ...(near === undefined ? {} : { nearest: near }) };
  return new UsageError(`${message} (${place})`, { hint, details: [problem] });
}

function savedKey(
  profile: Profile,
  name: string,
  { env, home }: ProfilesContext,
  user: UserFile,
): (() => Promise<Secret>) | undefined {
  const { apiKey, apiKeyCommand: command } = profile;
  if (apiKey !== undefined)
    return once(async () => toSecret(apiKey.reveal(), `the profile "${name}" in ${user.path}`));
  if (command !== undefined) return once(() => runKeyCommand({ command, profile: name, env, cwd: home }));
  return undefined;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= work();
    return started;
  };
}

function outermost(
  typed: string | undefined,
  flag: string,
  env: Environment,
  variable: string,
): Found | undefined {
  if (typed !== undefined) return { value: typed, source: { from: 'flag', name: flag } };
  const value = env[variable];
  return value === undefined || value === ''
    ? undefined
    : { value, source: { from: 'environment', name: variable } };
}

/** A source as a message names it: `--base-url`, `SONDE_BASE_URL`, or the path of a file. */
export function sourceText(source: Source): string {
  if (source.from === 'default') return 'the default';
  return 'name' in source ? source.name : source.path;
}

function unusable(source: Source, problem: string): UsageError {
  const place = sourceText(source);
  return new UsageError(`${place} ${problem}`, { details: [{ place, message: problem }] });
}

function exposed(source: Source): UsageError {
  return new UsageError(`plain http to another machine is refused: the base URL from ${sourceText(source)}`, {
    hint: 'a key sent so can be read on the way: use https, or set "insecure: true" in the profile of that base URL',
  });
}

function misdirected(name: string, url: Found | undefined, user: UserFile): CredentialsError {
  const profile = user.profiles.get(name);
  const fitting = [...user.profiles].find(([, { baseUrl }]) => baseUrl === url?.value)?.[0];
  const who = url === undefined ? '' : `, and ${sourceText(url.source)} asks for ${url.value}`;
  return new CredentialsError(
    `the key of the profile "${name}" was saved for ${profile?.baseUrl} and goes nowhere else${who}`,
    {
      hint:
        fitting === undefined
          ? 'save a key for that address with sonde login, or bring one in SONDE_API_KEY'
          : `the profile for that address is "${fitting}": --profile ${fitting}`,
    },
  );
}
