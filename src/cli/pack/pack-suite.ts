/** Packs a Playwright project for upload: the files that git tracks or would track, without credentials, installed packages and test output. */
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { zipSync } from 'fflate';
import picomatch from 'picomatch';
import { RefusedFileError, readContainedFile } from '../../base/contained-files.ts';
import { createCredentialFinder } from '../../base/credential-files.ts';
import { UsageError } from '../../base/errors.ts';
import { plural } from '../../base/plural.ts';
import { uploadCodeBundle } from '../../contract/index.ts';
import { runWithinLimit, TooSlowError } from '../../runners/assertions/watchdog.ts';
import type { Env } from '../../terminal/index.ts';
import type { Deps } from '../framework/index.ts';
import { reasonOf } from '../framework/read-input-file.ts';
import { runGit } from './run-git.ts';

export interface PackOptions {
  /** Globs of files to send although git ignores them. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** The path of the Playwright configuration, which must be among the files. */
  readonly config?: string | undefined;
  /** Whether a configuration is required. */
  readonly needsConfig?: boolean;
  /** Whether an absolute path is for credentials. Default: as its name and its folders in the project tell. */
  readonly isCredential?: (path: string) => boolean;
}

export interface PackedSuite {
  /** A ZIP archive; the same files give the same bytes. */
  readonly archive: Buffer;
  readonly files: number;
  /** Names the files of credentials, which are not in the archive. Undefined: there are none. */
  readonly warning: string | undefined;
}

/** The limit of the service (docs/commands.md), in bytes. */
const MAX_BYTES = 23 * 1024 * 1024;
/** `..`: a forged git index can name files outside the folder. */
const EXCLUDED = ['..', 'node_modules', '.git', 'test-results', 'playwright-report', 'blob-report'];
const MANIFESTS =
  /(?:^|\/)(?:package\.json|playwright\.config\.[cm]?[jt]s|[^/]+\.(?:spec|test)\.[cm]?[jt]sx?)$/;
const CONFIG = /(?:^|\/)playwright\.config\.[cm]?[jt]s$/;
/** The modification time of all files, so that the same files give the same bytes. */
const FIXED_TIME = new Date(2000, 0, 1);

/** Returns the archive of files by path. Equal files in the same order give equal bytes. */
export const zipFiles = (contents: Readonly<Record<string, Uint8Array>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(contents).map(([path, bytes]) => [path, [bytes, { mtime: FIXED_TIME }]] as const),
      ),
    ),
  );

/** Packs `folder`. Throws UsageError if it does not exist, has no suite, or is too large. */
export async function packSuite(
  folder: string,
  named: string,
  env: Env,
  choice: PackOptions = {},
): Promise<PackedSuite> {
  const refuse = (message: string, hint?: string) =>
    new UsageError(`cannot send ${named}: ${message}`, {
      details: [{ place: named, message }],
      ...(hint === undefined ? {} : { hint }),
    });
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw refuse(stats ? 'not a folder' : 'no such folder');
  const refuseUnreadable = (path: string) => (error: unknown) => {
    if (error instanceof RefusedFileError) throw refuse(`${path} ${error.message}`);
    const { syscall, path: at = path } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : refuse(`cannot read ${at}: ${reasonOf(error)}`);
  };
  const paths = await listPaths(folder, env, choice).catch(refuseUnreadable(named));
  if (!paths.some((path) => MANIFESTS.test(path)))
    throw refuse('no Playwright project found', 'pass the folder that contains playwright.config.ts');
  const { config, needsConfig = false } = choice;
  if (config !== undefined && !paths.includes(posix.normalize(config)))
    throw refuse(
      `the configuration ${config} is not among the files to send`,
      'pass its path relative to the folder',
    );
  if (config === undefined && needsConfig && !paths.some((path) => CONFIG.test(path)))
    throw refuse(
      'the folder has no playwright.config.ts',
      'pass the folder that contains it, or pass --playwright-config-path',
    );
  const root = await realpath(folder);
  const { isCredential = createCredentialFinder([root]) } = choice;
  if (isCredential(root)) throw refuse('the folder is for credentials');
  const leftOut: string[] = [];
  /** Whether no folder in the path is a link. A forged git index can name files below a link. */
  const isInside = async (path: string) =>
    (await realpath(dirname(join(folder, path)))) === join(root, posix.dirname(path));
  const contents: Record<string, Uint8Array> = {};
  let bytes = 0;
  for (const path of paths) {
    const found = await lstat(join(folder, path)).catch((): Stats | undefined => undefined);
    // Skip deleted files that git still lists, and links, which may lead anywhere.
    if (!found?.isFile() || !(await isInside(path))) continue;
    if (isCredential(join(root, path))) {
      leftOut.push(path);
      continue;
    }
    bytes += found.size;
    if (bytes > MAX_BYTES * 8)
      throw refuse(
        `the files are larger than ${(MAX_BYTES * 8) / 1024 ** 2} MB`,
        'exclude some with --exclude',
      );
    contents[path] = await readContainedFile(join(folder, path), [root], MAX_BYTES * 8).catch(
      refuseUnreadable(path),
    );
  }
  const archive = zipFiles(contents);
  if (archive.length > MAX_BYTES) {
    const size = `${Math.ceil(archive.length / 1024 ** 2)} MB packed (${plural(paths.length, 'file')})`;
    throw refuse(
      `the project has ${size}; the limit is ${MAX_BYTES / 1024 ** 2} MB`,
      'exclude some with --exclude',
    );
  }
  return { archive, files: Object.keys(contents).length, warning: warnOf(leftOut) };
}

const SHOWN_PATHS = 10;

function warnOf(leftOut: readonly string[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const more = leftOut.length > SHOWN_PATHS ? ` and ${leftOut.length - SHOWN_PATHS} more` : '';
  return `leaves out ${leftOut.slice(0, SHOWN_PATHS).join(', ')}${more}: files of credentials are never sent; pass the values that tests need as environment variables`;
}

/** Returns the paths relative to the folder, with `/`, sorted. */
async function listPaths(
  folder: string,
  env: Env,
  { include = [], exclude = [] }: PackOptions,
): Promise<string[]> {
  const tracked = await listGitFiles(folder, env);
  const walked = tracked === undefined || include.length > 0 ? await listFiles(folder) : [];
  const all = [...new Set([...(tracked ?? walked), ...matchGlobs(include, walked)])];
  const excluded = new Set(matchGlobs(exclude, all));
  return all.filter((path) => !excluded.has(path) && !isExcluded(path)).sort();
}

/** Time limit of globs, in ms: a glob with many `*` can take exponential time for one long path. */
const GLOB_LIMIT_MS = 5000;

/** Returns the paths that match any glob. Throws UsageError for globs that are too slow or too long. */
export function matchGlobs(
  globs: readonly string[],
  paths: readonly string[],
  limitMs = GLOB_LIMIT_MS,
): readonly string[] {
  if (globs.length === 0 || paths.length === 0) return [];
  try {
    return runWithinLimit(() => {
      const matches = picomatch([...globs], { dot: true });
      return paths.filter((path) => matches(path));
    }, limitMs);
  } catch (error) {
    if (!(error instanceof TooSlowError || error instanceof SyntaxError)) throw error;
    throw new UsageError(`cannot select files by ${globs.join(', ').slice(0, 200)}: ${error.message}`, {
      hint: 'use shorter globs, with fewer *',
    });
  }
}

/** Whether a path is never packed. */
export const isExcluded = (path: string): boolean => path.split('/').some((part) => EXCLUDED.includes(part));

/** Returns the files that git tracks or would track. Undefined: the folder is not in a repository. */
async function listGitFiles(folder: string, env: Env): Promise<string[] | undefined> {
  const listed = await runGit(folder, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], env);
  const paths = (listed ?? '').split('\0').filter((path) => path !== '');
  return paths.length > 0 ? paths : undefined;
}

async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (here: string): Promise<void> => {
    for (const entry of await readdir(here, { withFileTypes: true })) {
      if (EXCLUDED.includes(entry.name)) continue;
      const path = join(here, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) found.push(relative(folder, path).replaceAll(sep, '/'));
    }
  };
  await visit(folder);
  return found;
}

/** Returns the ID of the code bundle. `named`: the folder as the user wrote it. */
export async function uploadSuite(deps: Deps, named: string, choice: PackOptions = {}): Promise<string> {
  const { client, terminal, signal, cwd, env } = deps;
  const { archive, files, warning } = await packSuite(resolve(cwd, named), named, env, choice);
  if (warning !== undefined) await terminal.warn(`${named} ${warning}`);
  const api = await client();
  signal.throwIfAborted();
  const { body } = await api.call(
    uploadCodeBundle,
    { body: { archive: archive.toString('base64') } },
    { signal },
  );
  const kilobytes = Math.max(1, Math.round(archive.length / 1024));
  await terminal.note(`Sent ${basename(resolve(cwd, named))} (${plural(files, 'file')}, ${kilobytes} kB).`);
  return body.id;
}
