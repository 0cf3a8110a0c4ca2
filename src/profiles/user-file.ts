/** The user's file, `config.yaml`: read, checked, and turned into profiles. */
import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { isAbsolute } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { readSmallFile } from '../base/small-file.ts';
import { didYouMean, nearest } from '../base/suggest.ts';
import type { ValuePath } from './lines.ts';
import { validateAccountId, validateHeaderName, parseBaseUrl, validateName } from './rules.ts';
import { Secret } from './secret.ts';
import { type FileProblem, invalidFileError, parseYaml } from './yaml.ts';

/** How to reach one service. At most one of `apiKey`, `apiKeyCommand` and `apiKeyIn` is there. */
export interface Profile {
  /** Where the service answers, without a slash at its end. The key goes to this address only. */
  readonly baseUrl: string;
  readonly apiKey?: Secret | undefined;
  /** A shell command that prints the key. */
  readonly apiKeyCommand?: string | undefined;
  /** The key is not here, but in the system's keyring, under the base URL and the profile's name. */
  readonly apiKeyIn?: 'keyring' | undefined;
  readonly accountId?: string | undefined;
  /** The header that carries the account id; `x-service-account` where absent. */
  readonly accountHeader?: string | undefined;
  /** Allows plain http beyond this machine. */
  readonly insecure?: boolean | undefined;
  /** The data folder of a service on this machine, whose start saved the profile; absolute. */
  readonly dataFolder?: string | undefined;
}

/** Where a saved profile has its key; undefined where it has none. */
export type KeyStorage = 'saved' | 'command' | 'keyring';

export function keyStorage({ apiKey, apiKeyCommand, apiKeyIn }: Profile): KeyStorage | undefined {
  if (apiKey !== undefined) return 'saved';
  return apiKeyCommand !== undefined ? 'command' : apiKeyIn;
}

/** What the user's file holds. */
export interface UserFile {
  /** Absolute. */
  readonly path: string;
  /** The name of the profile that is used where nothing chooses another. */
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Whether the user may be told of newer versions. */
  readonly updates: boolean;
}

interface Finding {
  readonly path: ValuePath;
  readonly message: string;
  readonly nearest?: string | undefined;
}

type UnknownRecord = Readonly<Record<string, unknown>>;

const FILE_KEYS = ['current', 'profiles', 'updates'];
/** Of a profile at most one. */
const KEY_KEYS = ['apiKey', 'apiKeyCommand', 'apiKeyIn'];
export const PROFILE_KEYS = ['baseUrl', ...KEY_KEYS, 'accountId', 'accountHeader', 'insecure', 'dataFolder'];

/** The text of a file, without a byte order mark; nothing where there is no such file. */
export function readText(path: string): string | undefined {
  try {
    return readSmallFile(path).replace(/^\ufeff/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read ${path} (${code})`, { cause: error });
  }
}

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The user's profiles; none where there is no file.
 *
 * @param warn is told of a mode looser than 0600 and of unknown keys, which a newer sonde may have written
 * @throws UsageError naming file, line and rule of everything that is wrong in it
 */
export async function readUserFile(path: string, warn: (message: string) => void): Promise<UserFile> {
  const text = readText(path);
  if (text === undefined) return { path, current: undefined, profiles: new Map(), updates: true };
  if (platform() !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    warn(`other users can read the keys in ${path}; to fix this, run: chmod 600 ${path}`);
  }
  return parseUserFile(path, text, warn);
}

/** As `readUserFile`, of a text that was read already. */
export async function parseUserFile(
  path: string,
  text: string,
  warn: (message: string) => void,
): Promise<UserFile> {
  const problems: Finding[] = [];
  const unknown: Finding[] = [];
  const root = parseYaml(text, path) ?? {};
  const profiles = new Map<string, Profile>();
  let current: string | undefined;
  let updates = true;

  if (!isRecord(root)) {
    problems.push({ path: [], message: 'must contain the keys "current" and "profiles"' });
  } else {
    unknown.push(...findUnknownKeys(root, [], FILE_KEYS));
    current = readString(root, 'current', [], problems);
    const updatesText = readString(root, 'updates', [], problems);
    if (updatesText !== undefined && updatesText !== 'true' && updatesText !== 'false') {
      problems.push({ path: ['updates'], message: 'updates must be true or false' });
    }
    updates = updatesText !== 'false';
    const listed = root.profiles ?? {};
    if (!isRecord(listed))
      problems.push({ path: ['profiles'], message: 'profiles must map names to settings' });
    else {
      for (const [name, fields] of Object.entries(listed)) {
        const at = ['profiles', name];
        const wrong = validateName(name);
        if (wrong !== undefined) problems.push({ path: at, message: `a key of profiles ${wrong}` });
        else if (!isRecord(fields))
          problems.push({ path: at, message: `profile "${name}" must contain settings` });
        else {
          unknown.push(...findUnknownKeys(fields, at, PROFILE_KEYS));
          const profile = toProfile(fields, at, problems);
          if (profile !== undefined) profiles.set(name, profile);
        }
      }
    }
  }

  if (problems.length > 0) throw invalidFileError(path, await addLines(text, problems));
  for (const { line, message, nearest: near } of await addLines(text, unknown)) {
    warn(`${path}:${line}: ${message}${near === undefined ? '' : `; ${didYouMean(near)}`}`);
  }
  return { path, current, profiles, updates };
}

/** Adds to each finding the line that it stands on. */
export async function addLines(text: string, findings: readonly Finding[]): Promise<FileProblem[]> {
  if (findings.length === 0) return [];
  const { findLines: linesOf } = await import('./lines.ts');
  const lines = linesOf(
    text,
    findings.map(({ path }) => path),
  );
  return findings.map((finding, index) => ({ ...finding, line: lines[index] }));
}

/** The keys that no version of this file has, with the ones that were probably meant. */
export function findUnknownKeys(fields: UnknownRecord, at: ValuePath, known: readonly string[]): Finding[] {
  return Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: [...at, key],
      message: `unknown key "${key}"`,
      nearest: nearest(key, known),
    }));
}

/** The text under a key; an empty one counts as absent. */
export function readString(fields: UnknownRecord, key: string, at: ValuePath, problems: Finding[]): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  problems.push({ path: [...at, key], message: `${key} must be a string` });
  return undefined;
}

function toProfile(fields: UnknownRecord, at: ValuePath, problems: Finding[]): Profile | undefined {
  const before = problems.length;
  const readField = (key: string, validate: (value: string) => string | undefined): string | undefined => {
    const value = readString(fields, key, at, problems);
    const wrong = value === undefined ? undefined : validate(value);
    if (wrong !== undefined) problems.push({ path: [...at, key], message: `${key} ${wrong}` });
    return value;
  };
  const profile = createProfile({
    baseUrl: readField('baseUrl', (value) => {
      const judged = parseBaseUrl(value);
      return 'problem' in judged ? judged.problem : undefined;
    }),
    // Which characters a key may have is judged where it is used: `profiles list` must work with a bad one, too.
    apiKey: readField('apiKey', () => undefined),
    apiKeyCommand: readField('apiKeyCommand', () => undefined),
    apiKeyIn: readField('apiKeyIn', (value) => (value === 'keyring' ? undefined : 'must be "keyring"')),
    accountId: readField('accountId', validateAccountId),
    accountHeader: readField('accountHeader', validateHeaderName),
    insecure: readField('insecure', (value) =>
      value === 'true' || value === 'false' ? undefined : 'must be true or false',
    ),
    dataFolder: readField('dataFolder', (value) => (isAbsolute(value) ? undefined : 'must be an absolute path')),
  });
  if (profile === undefined && problems.length === before) {
    problems.push({ path: at, message: `profile "${at.at(-1)}" has no baseUrl` });
  }
  const [one, other] = KEY_KEYS.filter((key) => fields[key]);
  if (one !== undefined && other !== undefined) {
    problems.push({ path: [...at, other], message: `${one} and ${other} are mutually exclusive` });
  }
  return problems.length === before ? profile : undefined;
}

function createProfile(texts: Readonly<Record<string, string | undefined>>): Profile | undefined {
  const judged = parseBaseUrl(texts.baseUrl ?? '');
  if (!('value' in judged)) return undefined;
  return {
    baseUrl: judged.value,
    apiKey: texts.apiKey === undefined ? undefined : new Secret(texts.apiKey),
    apiKeyCommand: texts.apiKeyCommand,
    apiKeyIn: texts.apiKeyIn === undefined ? undefined : 'keyring',
    accountId: texts.accountId,
    accountHeader: texts.accountHeader,
    insecure: texts.insecure === undefined ? undefined : texts.insecure === 'true',
    dataFolder: texts.dataFolder,
  };
}
