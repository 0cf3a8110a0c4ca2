/** The project's file: found up the tree, read as data only, and trusted with little, since others wrote it. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IS_FOLDER, readSmallFile, unreadable } from '../base/small-file.ts';
import { nearest } from '../base/suggest.ts';
import type { ValuePath } from './lines.ts';
import { validateAccountId, validateName } from './rules.ts';
import { isRecord, PROFILE_KEYS, addLines, readString } from './user-file.ts';
import { invalidFileError, parseYaml } from './yaml.ts';

/** What a project may choose, and nothing else: it must not decide where a key goes. */
export interface ProjectFile {
  /** Absolute. */
  readonly path: string;
  /** The name of one of the user's profiles. */
  readonly profile: string | undefined;
  readonly accountId: string | undefined;
}

const RC_FILES = ['.sonderc', '.sonderc.yaml', '.sonderc.json'];
/** Some generators write much into a package.json; in bytes. */
const MAX_PACKAGE_BYTES = 10_000_000;
const KEYS = ['profile', 'accountId'];
/** What belongs to the user alone: settings of the user's file that a project must not bring. */
const FORBIDDEN = [...PROFILE_KEYS.filter((key) => !KEYS.includes(key)), 'current', 'profiles'];

/** A file as it was read; the wrapper keeps cosmiconfig's `$import` from being seen, so that no file pulls in another. */
interface ParsedFile {
  readonly text: string;
  readonly value: unknown;
}

/**
 * The nearest of `.sonderc`, `.sonderc.yaml`, `.sonderc.json` and the `sonde` key of a package.json, from `cwd` up to
 * `home`, or to the root where `cwd` is not below it. The nearest one counts alone.
 *
 * @throws UsageError naming file, line and rule of everything that is wrong in it
 */
export async function readProjectFile(cwd: string, home: string): Promise<ProjectFile | undefined> {
  // Most projects have no such file: to see that takes half a millisecond, to load cosmiconfig takes ten.
  for (const folder of listFoldersUp(resolve(cwd), resolve(home))) {
    const places = listCandidates(folder);
    if (places.length === 0) continue;
    const { createExplorer: openExplorer } = await import('./explorer.ts');
    const loaders = { noExt: loadYaml, '.yaml': loadYaml, '.json': loadJson };
    const found = openExplorer<ParsedFile>(places, loaders).search(folder);
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

/** The files of a folder that may hold it. Throws UsageError for one that would be read for ever, such as a link to a device. */
function listCandidates(folder: string): readonly string[] {
  const places = RC_FILES.filter((name) => isReadableFile(join(folder, name)));
  try {
    const text = readSmallFile(join(folder, 'package.json'), MAX_PACKAGE_BYTES);
    return text.includes('"sonde"') ? [...places, 'package.json'] : places;
  } catch {
    return places;
  }
}

function isReadableFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const why = unreadable(path);
  if (why !== undefined && why !== IS_FOLDER) throw invalidFileError(path, [{ line: undefined, message: why }]);
  return why === undefined;
}

function loadYaml(path: string, content: string): ParsedFile {
  const text = content.replace(/^\ufeff/, '');
  return { text, value: parseYaml(text, path) };
}

/** Reads `.sonderc.json` whole, and of a package.json the `sonde` key, wrapped as cosmiconfig expects it. */
function loadJson(path: string, content: string): ParsedFile | { sonde?: ParsedFile } {
  const text = content.replace(/^\ufeff/, '');
  if (!isPackage(path)) return { text, value: parseJson(text, path) };
  if (!text.includes('"sonde"')) return {};
  const whole = parseJson(text, path);
  const value = isRecord(whole) && Object.hasOwn(whole, 'sonde') ? whole.sonde : undefined;
  return value === undefined ? {} : { sonde: { text, value } };
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse quotes the text and seldom names the place. JSON is YAML, whose parser names the line; tabs, which it
    // refuses to indent with, mean the same as spaces.
    parseYaml(text.replaceAll('\t', ' '), path);
    throw invalidFileError(path, [{ line: undefined, message: 'is not valid JSON' }]);
  }
}

function isPackage(path: string): boolean {
  return basename(path) === 'package.json';
}

async function validate(path: string, { text, value }: ParsedFile): Promise<ProjectFile> {
  const at: ValuePath = isPackage(path) ? ['sonde'] : [];
  const fields = value ?? {};
  if (!isRecord(fields)) {
    throw invalidFileError(path, [{ line: undefined, message: `must contain keys with values: ${KEYS.join(', ')}` }]);
  }
  const problems: { path: ValuePath; message: string; nearest?: string | undefined }[] = [];
  for (const key of Object.keys(fields)) {
    if (KEYS.includes(key)) continue;
    problems.push(
      FORBIDDEN.includes(key)
        ? {
            path: [...at, key],
            message: `a project file must not contain ${key}, which belongs in the file of the user`,
          }
        : { path: [...at, key], message: `unknown key "${key}"`, nearest: nearest(key, KEYS) },
    );
  }
  const readField = (key: string, problem: (text: string) => string | undefined): string | undefined => {
    const value = readString(fields, key, at, problems);
    const wrong = value === undefined ? undefined : problem(value);
    if (wrong !== undefined) problems.push({ path: [...at, key], message: `${key} ${wrong}` });
    return value;
  };
  const profile = readField('profile', validateName);
  const accountId = readField('accountId', validateAccountId);
  if (problems.length > 0) throw invalidFileError(path, await addLines(text, problems), createHint(fields));
  return { path, profile, accountId };
}

function createHint(fields: Readonly<Record<string, unknown>>): string {
  if (Object.hasOwn(fields, 'apiKey')) {
    return 'other users can read this file: remove the key and revoke it; to save a new key, run: sonde login';
  }
  if (Object.hasOwn(fields, 'baseUrl')) {
    // Whoever wrote the file could lead a key that is exported in the environment to a host of their own.
    return 'a project file must not set the destination of a key: set SONDE_BASE_URL, pass --base-url, or save a profile with sonde login and select it here with "profile"';
  }
  return `a project file can contain ${KEYS.join(' and ')}`;
}
