/** Finds the files of a project in files and folders that the user names. */
import { posix, sep } from 'node:path';
import type { FileTree } from './file-tree.ts';
import type { AddProblem } from './source.ts';

const MANIFEST = /\.(?:ya?ml|json)$/i;
/** Files of other programs that often are next to scripts. */
const FOREIGN =
  /^(?:package(?:-lock)?|[jt]sconfig(?:\..+)?|pnpm-(?:lock|workspace)|.+\.schema)\.(?:json|ya?ml)$/i;
const PLAYWRIGHT_CONFIG = /^playwright\.config\.[cm]?[jt]s$/;

/** Returns the paths in a stable order, each once. */
export async function findFiles(
  paths: readonly string[],
  tree: FileTree,
  addProblem: AddProblem,
): Promise<readonly string[]> {
  const walk = async (folder: string, isNamed: boolean): Promise<readonly string[]> => {
    const items = [...(await tree.list(folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
    // The files of a suite are not files of the project.
    if (!isNamed && items.some(({ name }) => PLAYWRIGHT_CONFIG.test(name))) return [];
    const found: string[] = [];
    for (const { name, isFolder } of items) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = posix.join(folder, name);
      if (isFolder) found.push(...(await walk(path, false)));
      else if (MANIFEST.test(name) && !FOREIGN.test(name)) found.push(path);
    }
    return found;
  };
  const all: string[] = [];
  for (const named of paths) {
    const path = named === '-' ? named : posix.normalize(named.replaceAll(sep, '/')).replace(/(?<=.)\/$/, '');
    const type = await tree.typeOf(path);
    const found = type === 'folder' ? await walk(path, true) : [path];
    if (type === undefined) addProblem(named, 'does not exist; pass a file or folder');
    else if (found.length === 0) addProblem(named, 'has no *.yaml, *.yml or *.json file');
    else all.push(...found);
  }
  return [...new Set(all)];
}
