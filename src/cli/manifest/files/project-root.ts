/** Opens the folder that contains the files of a project. Files name no file outside, because others may have written them. */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isContained, isWithin, RefusedFileError, readContainedFile } from '../../../base/contained-files.ts';
import { createCredentialFinder } from '../../../base/credential-files.ts';
import { UsageError } from '../../../base/errors.ts';
import { readText, reasonOf } from '../../framework/read-input-file.ts';

/** The largest file of a project, in bytes. Archives of suites are the largest. */
const MAX_FILE_BYTES = 50_000_000;

/** How the user chooses the folder. */
export interface RootChoice {
  /** The files and folders that the user names; `-` is stdin. */
  readonly paths: readonly string[];
  /** The folder of --root. Default: the git repositories of the paths, otherwise their folders. */
  readonly root: string | undefined;
  /** The file of --secrets, which files of the project must not name. */
  readonly secrets?: string | undefined;
}

/** The files of a project. Paths are relative to the working folder or absolute. */
export interface ProjectRoot {
  /** Returns whether a path exists. `outside`: reading it throws an error with the reason. Throws UsageError if the system does not say. */
  readonly typeOf: (path: string) => Promise<'file' | 'folder' | 'outside' | undefined>;
  /** Throws UsageError if the file cannot be read. */
  readonly readText: (path: string, maxBytes?: number) => Promise<string>;
  /** Whether an absolute path is for credentials: its content must not leave this machine. */
  readonly isCredential: (path: string) => boolean;
  /** Returns the absolute path of a folder. Throws UsageError if it is outside. */
  readonly locateFolder: (path: string) => Promise<string>;
}

const refuse = (path: string, reason: string, cause?: unknown): UsageError =>
  new UsageError(`${path} ${reason}`, { details: [{ place: path, message: reason }], cause });

/** Errors of a path that may exist, although nothing can be read of it. */
const UNREADABLE: readonly string[] = ['EACCES', 'EPERM', 'ELOOP', 'EIO'];

/** Undefined: the path does not exist. Throws UsageError if it may exist. */
function findStats(cwd: string, path: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, path));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (UNREADABLE.includes(code)) throw refuse(path, `cannot be read: ${reasonOf(error)}`, error);
    return undefined;
  }
}

/** Returns the folder, and its parents, the nearest first. */
const listFoldersUp = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...listFoldersUp(dirname(folder))];

/**
 * Returns the git repository of a folder, or the folder, without links. A repository that only a link in another repository leads
 * to does not count, because the author of the files can also create links.
 */
function findRoot(folder: string): string {
  const repositories = listFoldersUp(folder)
    .filter((one) => existsSync(resolve(one, '.git')))
    .map((one) => realpathSync(one));
  return (
    repositories.find((one, index) => repositories.slice(index).every((other) => isWithin(one, other))) ??
    realpathSync(folder)
  );
}

/** Returns the folders without links that files may be in. Throws UsageError if --root is no folder. */
function findRoots(cwd: string, { paths, root }: RootChoice): readonly string[] {
  if (root !== undefined) {
    if (findStats(cwd, root)?.isDirectory()) return [realpathSync(resolve(cwd, root))];
    throw new UsageError(`--root ${root} is not a folder`, {
      hint: 'pass the folder that contains all files of the project',
    });
  }
  const folders = paths.flatMap((path) => {
    const named = path === '-' ? '.' : path;
    const stats = findStats(cwd, named);
    const absolute = resolve(cwd, named);
    return stats === undefined ? [] : [stats.isDirectory() ? absolute : dirname(absolute)];
  });
  return [...new Set(folders.map(findRoot))];
}

/** Returns the files of a project. */
export function openProjectRoot(cwd: string, choice: RootChoice): ProjectRoot {
  let found: readonly string[] | undefined;
  const roots = (): readonly string[] => {
    found ??= findRoots(cwd, choice);
    return found;
  };
  const outside = (): string => {
    const folder = roots().length === 0 ? cwd : roots().join(' and ');
    return `is outside the project root ${folder}; move the file into it, or pass --root with a folder that contains all files of the project`;
  };
  const requireContained = async (path: string): Promise<string> => {
    const absolute = resolve(cwd, path);
    if (!(await isContained(absolute, roots()))) throw refuse(path, outside());
    return absolute;
  };
  let finder: ReturnType<typeof createCredentialFinder> | undefined;
  const isCredential = (path: string): boolean => {
    finder ??= createCredentialFinder(roots(), choice.secrets && resolve(cwd, choice.secrets));
    return finder(path);
  };
  /** Throws UsageError for a file that is outside, or has credentials. */
  const requireReadable = async (path: string): Promise<string> => {
    const absolute = await requireContained(path);
    if (isCredential(absolute))
      throw refuse(
        path,
        'is for credentials (.git, .env, --secrets), and files of a project must not read it',
      );
    return absolute;
  };
  return {
    async typeOf(path) {
      const absolute = resolve(cwd, path);
      const isNamed = choice.paths.some((named) => resolve(cwd, named) === absolute);
      // Files must not learn what exists outside.
      if (!isNamed && !(await isContained(absolute, roots()))) return 'outside';
      const stats = findStats(cwd, path);
      if (isNamed && stats !== undefined && !(await isContained(absolute, roots()))) return 'outside';
      return stats?.isDirectory() ? 'folder' : stats && 'file';
    },
    async readText(path, maxBytes = MAX_FILE_BYTES) {
      const absolute = await requireReadable(path);
      try {
        return await readText(path, () => readContainedFile(absolute, roots(), maxBytes));
      } catch (error) {
        throw error instanceof UsageError && error.cause instanceof RefusedFileError
          ? refuse(path, error.cause.message)
          : error;
      }
    },
    isCredential,
    locateFolder: requireContained,
  };
}
