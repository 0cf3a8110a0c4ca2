/** Reads the files of a project: from the disk, or from the texts that a saved plan contains. */
import { posix } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import type { Deps } from '../../framework/index.ts';
import type { PackedSuite } from '../../pack/pack-suite.ts';
import { type FolderListing, listFolder } from './list-folder.ts';
import { openProjectRoot, type ProjectRoot, type RootChoice } from './project-root.ts';

/** What to pack of a suite's folder. */
export interface SuiteChoice {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly config?: string;
}

/** Paths are relative to the working folder or absolute, with `/`; `-` is stdin. */
export interface FileTree {
  readonly typeOf: ProjectRoot['typeOf'];
  /** Throws UsageError if the folder cannot be read, or is outside. */
  readonly list: (folder: string) => Promise<FolderListing>;
  /** Throws UsageError if the file cannot be read. */
  readonly readText: (path: string) => Promise<string>;
  /** Returns the archive of a Playwright project, and what it lacks. Throws UsageError if there is none. */
  readonly packSuite: (
    folder: string,
    choice: SuiteChoice,
  ) => Promise<Pick<PackedSuite, 'archive' | 'warning'>>;
}

/** The texts and archives that were read, by path. It contains no value of a variable. */
export interface FileRecord {
  readonly texts: Readonly<Record<string, string>>;
  /** Base64, by the folder and what was packed of it. */
  readonly suites: Readonly<Record<string, string>>;
}

const suiteKey = (folder: string, choice: SuiteChoice): string => JSON.stringify([folder, choice]);

/** Returns the files on the disk that are inside the project root. */
export function openFileTree(
  { cwd, env, readStdin }: Pick<Deps, 'cwd' | 'env' | 'readStdin'>,
  choice: RootChoice,
): FileTree {
  const root = openProjectRoot(cwd, choice);
  return {
    typeOf: async (path) => (path === '-' ? 'file' : root.typeOf(path)),
    list: async (folder) => listFolder(folder, await root.locateFolder(folder)),
    readText: (path) => (path === '-' ? readStdin() : root.readText(path)),
    async packSuite(folder, choice) {
      const { packSuite } = await import('../../pack/pack-suite.ts');
      const located = await root.locateFolder(folder);
      return packSuite(located, folder, env, {
        ...choice,
        needsConfig: true,
        isCredential: root.isCredential,
      });
    },
  };
}

/** Returns the same files, and a function that returns what was read of them. */
export function recordFiles(tree: FileTree): { readonly tree: FileTree; readonly record: () => FileRecord } {
  const texts: Record<string, string> = {};
  const suites: Record<string, string> = {};
  return {
    tree: {
      ...tree,
      async readText(path) {
        const text = await tree.readText(path);
        texts[path] = text;
        return text;
      },
      async packSuite(folder, choice) {
        const packed = await tree.packSuite(folder, choice);
        suites[suiteKey(folder, choice)] = packed.archive.toString('base64');
        return packed;
      },
    },
    record: () => ({ texts: inOrder(texts), suites: inOrder(suites) }),
  };
}

/** Returns the values by path, in an order that does not depend on the time of reading. */
const inOrder = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the files of a record. */
export function restoreFiles({ texts, suites }: FileRecord): FileTree {
  const paths = Object.keys(texts);
  const below = (folder: string): string => (folder === '.' ? '' : `${folder}/`);
  return {
    async typeOf(path) {
      if (Object.hasOwn(texts, path)) return 'file';
      const isFolder = path === '.' || paths.some((one) => one.startsWith(below(path)));
      return isFolder ? 'folder' : undefined;
    },
    async list(folder) {
      const inside = paths.filter((path) => path.startsWith(below(folder)));
      const steps = inside.map((path) => path.slice(below(folder).length).split('/'));
      const items = new Map(steps.map(([name = '', ...rest]) => [name, rest.length > 0]));
      return { identity: folder, items: [...items].map(([name, isFolder]) => ({ name, isFolder })) };
    },
    async readText(path) {
      const text = texts[path];
      if (text === undefined) throw new UsageError(`the plan does not contain ${path}`);
      return text;
    },
    async packSuite(folder, choice) {
      const archive = suites[suiteKey(folder, choice)];
      if (archive === undefined) throw new UsageError(`the plan does not contain the suite ${folder}`);
      return { archive: Buffer.from(archive, 'base64'), warning: undefined };
    },
  };
}

/** Returns a path relative to the folder of a file. */
export const pathFrom = (file: string, path: string): string =>
  posix.isAbsolute(path) ? posix.normalize(path) : posix.join(file === '-' ? '.' : posix.dirname(file), path);
