/** Folders with the files of a project, for tests of loading. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../../../../src/base/errors.ts';
import { type FileTree, openFileTree } from '../../../../src/cli/manifest/files/file-tree.ts';
import {
  type LoadContext,
  type LoadedManifest,
  loadManifest,
} from '../../../../src/cli/manifest/files/load-manifest.ts';
import type { RootChoice } from '../../../../src/cli/manifest/files/project-root.ts';
import { temporaryFolder } from '../../../support/folder.ts';

/** Writes files to a new folder, which goes with the test. */
export async function writeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

export const treeOf = (cwd: string, stdin = '', choice: Partial<RootChoice> = {}): FileTree =>
  openFileTree(
    { cwd, env: {}, readStdin: async () => stdin },
    { paths: ['monitoring'], root: undefined, ...choice },
  );

/** Loads `monitoring` of a folder with these files. */
export async function load(
  files: Readonly<Record<string, string>>,
  context: Partial<LoadContext> = {},
  paths: readonly string[] = ['monitoring'],
): Promise<LoadedManifest> {
  return loadManifest(paths, { tree: treeOf(await writeFolder(files), '', { paths }), env: {}, ...context });
}

/** Returns the problems of files that cannot be loaded, as lines of `place message`. */
export async function problemsOf(...args: Parameters<typeof load>): Promise<readonly string[]> {
  const error: unknown = await load(...args).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UsageError)) throw new Error('the files have no problem', { cause: error });
  return error.details.map(({ place, message, nearest }) =>
    [place, message, ...(nearest === undefined ? [] : [`(${nearest})`])].join(' '),
  );
}
