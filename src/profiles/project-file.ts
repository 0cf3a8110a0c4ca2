/** Finds and reads the project file. Other people wrote it, so it is read only as data and may set only few values. */

import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describeExcess, findExcess } from '../base/depth.ts';
import { IS_FOLDER, readSmallFile, unreadableReason } from '../base/files.ts';
import { findNearest } from '../base/suggest.ts';
import type { ValuePath } from '../base/yaml-documents.ts';
import { invalidFileError, parseYaml } from './parse-yaml.ts';
import { validateAccountId, validateName } from './rules.ts';
import { addLines, isRecord, PROFILE_KEYS, readString } from './user-file.ts';

/** The settings that a project may set. It must not choose the destination of a key. */
export interface ProjectFile {
  /** Absolute. */
  readonly path: string;
  /** The name of one of the user's profiles. */
  readonly profile: string | undefined;
  readonly accountId: string | undefined;
}

const RC_FILES = ['.sonderc', '.sonderc.yaml', '.sonderc.json'];
/** The largest package.json that is read, in bytes. Some generators write large ones. */
const MAX_PACKAGE_BYTES = 10_000_000;
const KEYS = ['profile', 'accountId'];
/** Settings of the user's file that a project file must not contain. */
const FORBIDDEN = [...PROFILE_KEYS.filter((key) => !KEYS.includes(key)), 'current', 'profiles'];

/** A parsed file. This wrapper hides `$import` from cosmiconfig, so that no file can import another. */
interface ParsedFile {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads the nearest of `.sonderc`, `.sonderc.yaml`, `.sonderc.json` and the `sonde` key of a package.json, from `cwd`
 * up to `home`, or to the root if `cwd` is outside `home`. Only the nearest one counts.
 *
 * @throws UsageError with file, line and rule of every problem
 */
export async function readProjectFile(cwd: string, home: string): Promise<ProjectFile | undefined> {
  // Most projects have no such file. This check takes half a millisecond; loading cosmiconfig takes ten.
  for (const folder of listFoldersUp(resolve(cwd), resolve(home))) {
    const candidates = listCandidates(folder);
    if (candidates.length === 0) continue;
    const { searchFolder } = await import('./explorer.ts');
    const loaders = { noExt: loadYaml, '.yaml': loadYaml, '.json': loadJson };
    const found = searchFolder<ParsedFile>(folder, candidates, loaders);
    if (found !== null) return validate(found.filepath, found.config);
  }
  return undefined;
}

function listFoldersUp(from: string, last: string): string[] {
  const folders = [from];
  for (let folder = from; folder !== last && dirname(folder) !== folder; folder = dirname(folder)) {
    folders.push(dirname(folder));
  }
  return folders;
}

/**
 * Returns the files of a folder that may contain settings. Throws UsageError for one that never ends, such as a link to
 * a device.
 */
function listCandidates(folder: string): readonly string[] {
  const candidates = RC_FILES.filter((name) => isReadableFile(join(folder, name)));
  try {
    const text = readSmallFile(join(folder, 'package.json'), MAX_PACKAGE_BYTES);
    return text.includes('"sonde"') ? [...candidates, 'package.json'] : candidates;
  } catch {
    return candidates;
  }
}

function isReadableFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const why = unreadableReason(path);
  if (why !== undefined && why !== IS_FOLDER)
    throw invalidFileError(path, [{ line: undefined, message: why }]);
  return why === undefined;
}

function loadYaml(path: string, content: string): ParsedFile {
  const text = content.replace(/^\ufeff/, '');
  return { text, value: parseYaml(text, path) };
}

/** Parses `.sonderc.json`, or the `sonde` key of a package.json, wrapped as cosmiconfig expects it. */
function loadJson(path: string, content: string): ParsedFile | { sonde?: ParsedFile } {
  const text = content.replace(/^\ufeff/, '');
  if (!isPackage(path)) return { text, value: parseJson(text, path) };
  if (!text.includes('"sonde"')) return {};
  const whole = parseJson(text, path);
  const value = isRecord(whole) && Object.hasOwn(whole, 'sonde') ? whole.sonde : undefined;
  return value === undefined ? {} : { sonde: { text, value } };
}

function parseJson(text: string, path: string): unknown {
  const excess = findExcess(text);
  if (excess) throw invalidFileError(path, [{ ...excess, message: describeExcess() }]);
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse quotes the text and rarely names the position. JSON is YAML, and the YAML parser names the line. It
    // rejects tabs as indentation, so they are replaced with spaces.
    parseYaml(text.replaceAll('\t', ' '), path);
    throw invalidFileError(path, [{ line: undefined, message: 'is not valid JSON' }]);
  }
}

function isPackage(path: string): boolean {
  return basename(path) === 'package.json';
}

function validate(path: string, { text, value }: ParsedFile): ProjectFile {
  const root: ValuePath = isPackage(path) ? ['sonde'] : [];
  const fields = value || {};
  if (!isRecord(fields)) {
    throw invalidFileError(path, [
      { line: undefined, message: `must contain keys with values: ${KEYS.join(', ')}` },
    ]);
  }
  const problems: { path: ValuePath; message: string; nearest?: string | undefined }[] = [];
  for (const key of Object.keys(fields)) {
    if (KEYS.includes(key)) continue;
    problems.push(
      FORBIDDEN.includes(key)
        ? {
            path: [...root, key],
            message: `a project file must not contain ${key}, which belongs in the file of the user`,
          }
        : { path: [...root, key], message: `unknown key "${key}"`, nearest: findNearest(key, KEYS) },
    );
  }
  const readField = (key: string, problem: (text: string) => string | undefined): string | undefined => {
    const value = readString(fields, key, root, problems);
    const invalid = value === undefined ? undefined : problem(value);
    if (invalid !== undefined) problems.push({ path: [...root, key], message: `${key} ${invalid}` });
    return value;
  };
  const profile = readField('profile', validateName);
  const accountId = readField('accountId', validateAccountId);
  if (problems.length > 0) throw invalidFileError(path, addLines(text, problems), createHint(fields));
  return { path, profile, accountId };
}

function createHint(fields: Readonly<Record<string, unknown>>): string {
  if (Object.hasOwn(fields, 'apiKey')) {
    return 'other users can read this file: remove the key and revoke it; to save a new key, run: sonde login';
  }
  if (Object.hasOwn(fields, 'baseUrl')) {
    // The author of the file could send a key from the environment to their own host.
    return 'a project file must not set the destination of a key: set SONDE_BASE_URL, pass --base-url, or save a profile with sonde login and select it here with "profile"';
  }
  return `a project file can contain ${KEYS.join(' and ')}`;
}
