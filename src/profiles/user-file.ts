/**
 * Reads and validates the user's file, `config.yaml`. Its path is fixed, and every command reads it, so it does without
 * cosmiconfig, which loads in 10 ms.
 */
import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { isAbsolute } from 'node:path';
import { LineCounter } from 'yaml';
import { UsageError } from '../base/errors.ts';
import { readSmallFile } from '../base/files.ts';
import { didYouMean, findNearest } from '../base/suggest.ts';
import { findPosition, parseYamlDocuments, type ValuePath } from '../base/yaml-documents.ts';
import { FAILSAFE, type FileProblem, invalidFileError, parseYaml } from './parse-yaml.ts';
import { parseBaseUrl, validateAccountId, validateHeaderName, validateName } from './rules.ts';
import { Secret } from './secret.ts';

/** The settings for one service. At most one of `apiKey`, `apiKeyCommand` and `apiKeyIn` is set. */
export interface Profile {
  /** The URL of the service, without a trailing slash. The key is only sent to this URL. */
  readonly baseUrl: string;
  readonly apiKey?: Secret | undefined;
  /** A shell command that prints the key. */
  readonly apiKeyCommand?: string | undefined;
  /** The key is in the system keyring, under the base URL and the name of the profile. */
  readonly apiKeyIn?: 'keyring' | undefined;
  readonly accountId?: string | undefined;
  /** The header for the account ID; by default `x-service-account`. */
  readonly accountHeader?: string | undefined;
  /** Allows plain http to other machines. */
  readonly insecure?: boolean | undefined;
  /** The absolute data folder of the local service that saved the profile when it started. */
  readonly dataFolder?: string | undefined;
}

/** The storage of a profile's key. */
export type KeyStorage = 'saved' | 'command' | 'keyring';

export function keyStorage({ apiKey, apiKeyCommand, apiKeyIn }: Profile): KeyStorage | undefined {
  if (apiKey !== undefined) return 'saved';
  return apiKeyCommand !== undefined ? 'command' : apiKeyIn;
}

/** The contents of the user's file. */
export interface UserFile {
  /** Absolute. */
  readonly path: string;
  /** The name of the default profile. */
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

interface Finding {
  readonly path: ValuePath;
  readonly message: string;
  readonly nearest?: string | undefined;
}

type UnknownRecord = Readonly<Record<string, unknown>>;

const FILE_KEYS = ['current', 'profiles'];
/** A profile can have at most one of these. */
const KEY_KEYS = ['apiKey', 'apiKeyCommand', 'apiKeyIn'];
export const PROFILE_KEYS = ['baseUrl', ...KEY_KEYS, 'accountId', 'accountHeader', 'insecure', 'dataFolder'];

/** Returns the text of a file without a byte order mark, or undefined if there is no such file. */
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
 * Reads the user's profiles; none if there is no file.
 *
 * @param warn receives a warning for a mode looser than 0600 and for unknown keys, which a newer sonde may have written
 * @throws UsageError with file, line and rule of every problem
 */
export function readUserFile(path: string, warn: (message: string) => void): UserFile {
  const text = readText(path);
  if (text === undefined) return { path, current: undefined, profiles: new Map() };
  if (platform() !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    warn(`other users can read the keys in ${path}; to fix this, run: chmod 600 ${path}`);
  }
  return parseUserFile(path, text, warn);
}

/** Parses the text of the user's file; see `readUserFile`. */
export function parseUserFile(path: string, text: string, warn: (message: string) => void): UserFile {
  const problems: Finding[] = [];
  const unknown: Finding[] = [];
  const root = parseYaml(text, path) || {};
  const profiles = new Map<string, Profile>();
  let current: string | undefined;

  if (!isRecord(root)) {
    problems.push({ path: [], message: 'must contain the keys "current" and "profiles"' });
  } else {
    unknown.push(...findUnknownKeys(root, [], FILE_KEYS));
    current = readString(root, 'current', [], problems);
    const profilesValue = root.profiles || {};
    if (!isRecord(profilesValue))
      problems.push({ path: ['profiles'], message: 'profiles must map names to settings' });
    else {
      for (const [name, fields] of Object.entries(profilesValue)) {
        const keyPath = ['profiles', name];
        const problem = validateName(name);
        if (problem !== undefined) problems.push({ path: keyPath, message: `a key of profiles ${problem}` });
        else if (!isRecord(fields))
          problems.push({ path: keyPath, message: `profile "${name}" must contain settings` });
        else {
          unknown.push(...findUnknownKeys(fields, keyPath, PROFILE_KEYS));
          const profile = toProfile(fields, keyPath, problems);
          if (profile !== undefined) profiles.set(name, profile);
        }
      }
    }
  }

  if (problems.length > 0) throw invalidFileError(path, addLines(text, problems));
  for (const { line, message, nearest: suggestion } of addLines(text, unknown)) {
    warn(`${path}:${line}: ${message}${suggestion === undefined ? '' : `; ${didYouMean(suggestion)}`}`);
  }
  return { path, current, profiles };
}

/** Adds its line to each finding. */
export function addLines(text: string, findings: readonly Finding[]): FileProblem[] {
  if (findings.length === 0) return [];
  const lineCounter = new LineCounter();
  const [document] = parseYamlDocuments(text, { ...FAILSAFE, uniqueKeys: false, lineCounter });
  return findings.map((finding) => ({
    ...finding,
    line: document && findPosition(document, lineCounter, finding.path)?.line,
  }));
}

/** Returns a finding for each unknown key, with the most similar known key. */
export function findUnknownKeys(fields: UnknownRecord, path: ValuePath, known: readonly string[]): Finding[] {
  return Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: [...path, key],
      message: `unknown key "${key}"`,
      nearest: findNearest(key, known),
    }));
}

/** Returns the string under a key. An empty one counts as absent. */
export function readString(
  fields: UnknownRecord,
  key: string,
  path: ValuePath,
  problems: Finding[],
): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  problems.push({ path: [...path, key], message: `${key} must be a string` });
  return undefined;
}

function toProfile(fields: UnknownRecord, path: ValuePath, problems: Finding[]): Profile | undefined {
  const before = problems.length;
  const readField = (key: string, validate: (value: string) => string | undefined): string | undefined => {
    const value = readString(fields, key, path, problems);
    const problem = value === undefined ? undefined : validate(value);
    if (problem !== undefined) problems.push({ path: [...path, key], message: `${key} ${problem}` });
    return value;
  };
  const profile = createProfile({
    baseUrl: readField('baseUrl', (value) => {
      const parsed = parseBaseUrl(value);
      return 'problem' in parsed ? parsed.problem : undefined;
    }),
    // The characters of a key are validated on use: `profiles list` must work with an invalid key too.
    apiKey: readField('apiKey', () => undefined),
    apiKeyCommand: readField('apiKeyCommand', () => undefined),
    apiKeyIn: readField('apiKeyIn', (value) => (value === 'keyring' ? undefined : 'must be "keyring"')),
    accountId: readField('accountId', validateAccountId),
    accountHeader: readField('accountHeader', validateHeaderName),
    insecure: readField('insecure', (value) =>
      value === 'true' || value === 'false' ? undefined : 'must be true or false',
    ),
    dataFolder: readField('dataFolder', (value) =>
      isAbsolute(value) ? undefined : 'must be an absolute path',
    ),
  });
  if (profile === undefined && problems.length === before) {
    problems.push({ path, message: `profile "${path.at(-1)}" has no baseUrl` });
  }
  const [one, other] = KEY_KEYS.filter((key) => fields[key]);
  if (one !== undefined && other !== undefined) {
    problems.push({ path: [...path, other], message: `${one} and ${other} are mutually exclusive` });
  }
  return problems.length === before ? profile : undefined;
}

function createProfile(texts: Readonly<Record<string, string | undefined>>): Profile | undefined {
  const parsed = parseBaseUrl(texts.baseUrl ?? '');
  if (!('value' in parsed)) return undefined;
  return {
    baseUrl: parsed.value,
    apiKey: texts.apiKey === undefined ? undefined : new Secret(texts.apiKey),
    apiKeyCommand: texts.apiKeyCommand,
    apiKeyIn: texts.apiKeyIn === undefined ? undefined : 'keyring',
    accountId: texts.accountId,
    accountHeader: texts.accountHeader,
    insecure: texts.insecure === undefined ? undefined : texts.insecure === 'true',
    dataFolder: texts.dataFolder,
  };
}
