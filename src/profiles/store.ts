/** Saves, removes and selects profiles in the user's file, safely against crashes and other processes. */
import { lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Document, YAMLMap } from 'yaml';
import { CredentialsError, OutputError, SondeError, UsageError } from '../base/errors.ts';
import { makeFolder } from '../base/files.ts';
import { userFilePath } from './folders.ts';
import { type ProfilesContext, unknownProfileError } from './resolve.ts';
import { isExposed, parseBaseUrl, validateAccountId, validateHeaderName, validateName } from './rules.ts';
import { toSecret } from './secret.ts';
import { type Profile, parseUserFile, readText, readUserFile, type UserFile } from './user-file.ts';
import { withLock } from './with-lock.ts';

/** Locates the user's file and receives warnings about it. */
export type UserFileContext = Pick<ProfilesContext, 'env' | 'home' | 'warn'>;

/** Returns the user's profiles, in the order of the file. Throws UsageError for an invalid file. */
export function listProfiles({ env, home, warn }: UserFileContext): UserFile {
  return readUserFile(userFilePath(env, home), warn);
}

/**
 * Saves a profile and replaces one of the same name. It becomes the current profile with `makeCurrent` or if there is
 * none.
 *
 * @returns the path of the user's file
 * @throws UsageError for an invalid value or file, CredentialsError for an invalid key, OutputError if the file cannot be
 *   written; in each case the file is unchanged
 */
export async function saveProfile(
  place: UserFileContext,
  name: string,
  profile: Profile,
  { makeCurrent = false }: { makeCurrent?: boolean } = {},
): Promise<string> {
  const fields = serializeProfile(name, profile);
  return editUserFile(place, (document, user) => {
    const profiles = ensureSection(document, 'profiles');
    const existing = profiles.get(name);
    if (isYamlMap(existing)) {
      // The keys are updated one by one, so that the user's comments are preserved.
      for (const pair of [...existing.items]) {
        const key = String(pair.key);
        if (!Object.hasOwn(fields, key)) existing.delete(key);
      }
      for (const [key, value] of Object.entries(fields)) existing.set(key, value);
    } else {
      profiles.set(name, document.createNode(fields));
    }
    if (makeCurrent || user.current === undefined) document.set('current', name);
  });
}

/**
 * Removes a profile and its key. If it was the current profile, none is current afterwards. Throws UsageError if it does not exist.
 */
export async function removeProfile(place: UserFileContext, name: string): Promise<string> {
  return editUserFile(place, (document, user) => {
    if (!user.profiles.has(name)) throw unknownProfileError(name, user, user.path);
    ensureSection(document, 'profiles').delete(name);
    if (user.current === name) document.delete('current');
  });
}

/** Makes a profile the current one. Throws UsageError if it does not exist. */
export async function useProfile(place: UserFileContext, name: string): Promise<string> {
  return editUserFile(place, (document, user) => {
    if (!user.profiles.has(name)) throw unknownProfileError(name, user, user.path);
    document.set('current', name);
  });
}

type Change = (document: Document, user: UserFile) => void;

async function editUserFile({ env, home }: UserFileContext, change: Change): Promise<string> {
  const path = userFilePath(env, home);
  try {
    makeFolder(dirname(path));
    const target = await resolveLinks(path);
    await withLock(target, (assertHeld) => rewrite(target, path, change, assertHeld));
  } catch (error) {
    if (error instanceof SondeError || !(error instanceof Error)) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new OutputError(`cannot write ${path} (${code})`, { cause: error });
  }
  return path;
}

async function rewrite(target: string, path: string, change: Change, assertHeld: () => void): Promise<void> {
  const before = readText(target) ?? '';
  const user = parseUserFile(path, before, () => undefined);
  const text = await applyChange(before, user, change);
  assertHeld();
  await replaceFile(target, text);
}

async function applyChange(before: string, user: UserFile, change: Change): Promise<string> {
  const { parseDocument } = await import('yaml');
  const document: Document = parseDocument(before, { schema: 'failsafe' });
  if (document.errors.length > 0) throw uneditableError(user);
  if (!isYamlMap(document.contents)) document.contents = document.createNode({});
  change(document, user);
  try {
    const text = document.toString({ lineWidth: 0 });
    parseUserFile(user.path, text, () => undefined);
    return text;
  } catch {
    throw uneditableError(user);
  }
}

/** Anchors and aliases can link removed values to others. The error has no cause: parser messages may quote a key. */
function uneditableError(user: UserFile): UsageError {
  return new UsageError(`sonde cannot change ${user.path} safely because of its YAML anchors or aliases`, {
    hint: 'nothing was changed; edit the file manually, or remove its anchors and aliases',
  });
}

function ensureSection(document: Document, key: string): YAMLMap {
  const present = document.get(key, true);
  if (isYamlMap(present)) return present;
  const created = document.createNode({}) as YAMLMap;
  document.set(key, created);
  return created;
}

/** Does the same as `isMap` of yaml without loading it: every command loads this module, but few change a profile. */
function isYamlMap(value: unknown): value is YAMLMap {
  return (
    typeof value === 'object' && value !== null && 'items' in value && 'addIn' in value && 'get' in value
  );
}

function serializeProfile(name: string, profile: Profile): Record<string, string> {
  const refuse = (place: string, problem: string | undefined): void => {
    if (problem !== undefined)
      throw new UsageError(`${place} ${problem}`, { details: [{ place, message: problem }] });
  };
  refuse(JSON.stringify(name), validateName(name));
  const parsedUrl = parseBaseUrl(profile.baseUrl);
  if ('problem' in parsedUrl) throw new UsageError(`the base URL ${parsedUrl.problem}`);
  if (isExposed(parsedUrl.value) && profile.insecure !== true) {
    throw new UsageError(`plain http to another machine is not allowed: ${parsedUrl.value}`, {
      hint: 'use https',
    });
  }
  const { apiKey, apiKeyCommand, apiKeyIn, accountId, accountHeader, dataFolder } = profile;
  if (accountId !== undefined) refuse('the account ID', validateAccountId(accountId));
  if (accountHeader !== undefined) refuse('the account header', validateHeaderName(accountHeader));
  if ([apiKey, apiKeyCommand, apiKeyIn].filter((place) => place !== undefined).length > 1) {
    throw new CredentialsError(
      'a profile can have only one of: a key, a command that prints it, a key in the keyring',
    );
  }
  const fields = {
    baseUrl: parsedUrl.value,
    apiKey: apiKey && toSecret(apiKey.reveal(), `profile "${name}"`).reveal(),
    apiKeyCommand,
    apiKeyIn,
    accountId,
    accountHeader,
    insecure: profile.insecure === true ? 'true' : undefined,
    dataFolder,
  };
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(present);
}

/** Resolves a link to the file itself. Users whose settings are in a repository have such links. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await lstat(path).catch(() => undefined);
    if (link?.isSymbolicLink() !== true) return path;
    return resolve(dirname(path), await readlink(path));
  }
}

/**
 * Replaces the file atomically, with mode 0600. It requires the lock: the name of the new file is fixed, so that the
 * next change removes a partial file with keys of a killed process.
 */
async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.new`;
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.chmod(0o600);
    const previous = await stat(target).catch(() => undefined);
    // Root must not change the owner of another user's file.
    if (previous !== undefined) await file.chown(previous.uid, previous.gid).catch(() => undefined);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, target);
  // Not every system can sync a folder; the file is complete either way.
  const folder = await open(dirname(target), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
