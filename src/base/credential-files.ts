/** Recognizes files of credentials, which a checkout has beside the project: no file of the project may read them, and no archive contains them. */
import { existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from './contained-files.ts';

interface CredentialName {
  /** Matches the name of a file, or of a folder with such files. */
  readonly name: RegExp;
  /** Whether a text has credentials. Default: always. */
  readonly has?: (text: string) => boolean;
}

/** A setting with a value that is no variable. */
const NPM_CREDENTIAL = /_auth|_password|token|secret|\bkey\s*=|:\/\/[^\s/]*@/i;

const NAMES: readonly CredentialName[] = [
  { name: /^\.git$|^\.git-credentials$/i },
  { name: /^\.env|\.env$/i },
  { name: /^[._]netrc$|^\.pgpass$|^\.pypirc$/i },
  { name: /^\.ssh$|^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i },
  { name: /^\.aws$/i },
  {
    name: /^\.npmrc$/i,
    has: (text) => text.split('\n').some((line) => NPM_CREDENTIAL.test(line) && !line.includes('${')),
  },
];

/** Returns whether a file is for credentials by its path, which is relative and has `/`, and where names do not tell, by its text. */
export const isCredentialPath = (path: string, readText: () => string): boolean =>
  path
    .split('/')
    .some((step) => NAMES.some(({ name, has }) => name.test(step) && (has === undefined || has(readText()))));

/** Returns whether a folder is one that git accepts: a repository, or a work tree of one. */
const isGitFolder = (folder: string): boolean =>
  existsSync(join(folder, 'HEAD')) &&
  (existsSync(join(folder, 'commondir')) ||
    (existsSync(join(folder, 'objects')) && existsSync(join(folder, 'refs'))));

/** Returns the text of a regular file. Undefined: there is none, or it cannot be read. */
function readIfFile(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the path in a file of git that names a folder. */
const readPointer = (file: string): string | undefined =>
  readIfFile(file)
    ?.replace(/^gitdir:/, '')
    .trim();

/** Returns the folders that contain the repository of a folder, without links. */
function findGitFolders(folder: string): readonly string[] {
  const entry = join(folder, '.git');
  if (!existsSync(entry)) return [];
  const own = resolve(folder, readPointer(entry) ?? entry);
  const common = resolve(own, readPointer(join(own, 'commondir')) ?? '.');
  return [...new Set([own, common])].filter((one) => existsSync(one)).map((one) => realpathSync(one));
}

/** Undefined: nothing can be read there. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that recognizes files of credentials below the folders, also behind links. `named`: another such file, without
 * a special name. Paths are absolute; those of the folders have no links.
 */
export function createCredentialFinder(
  folders: readonly string[],
  named?: string,
): (path: string) => boolean {
  const gitFolders = folders.flatMap(findGitFolders);
  const secretFiles = gitFolders.flatMap((one) => [join(one, 'config'), join(one, 'config.worktree')]);
  // Hard links have other names.
  const same = [...secretFiles, ...(named === undefined ? [] : [named])].flatMap((one) => statsOf(one) ?? []);
  const known = new Map<string, boolean>();
  /** Whether a folder, or one between it and `top`, is of git. */
  const isOfGit = (folder: string, top: string): boolean => {
    const found =
      known.get(folder) ??
      (gitFolders.includes(folder) ||
        isGitFolder(folder) ||
        (folder !== top && isWithin(folder, top) && isOfGit(dirname(folder), top)));
    known.set(folder, found);
    return found;
  };
  return (path) => {
    const stats = statsOf(path);
    if (stats && same.some(({ dev, ino }) => dev === stats.dev && ino === stats.ino)) return true;
    return [path, stats ? realpathSync(path) : path].some((one) => {
      const top = folders.find((folder) => isWithin(one, folder)) ?? dirname(one);
      const inside = relative(top, one).replaceAll(sep, '/');
      return isCredentialPath(inside, () => readIfFile(one) ?? '') || isOfGit(one, top);
    });
  };
}
