/** Finds the files of a project in files and folders that the user names. */
import { posix, sep } from 'node:path';
import type { FileTree } from './file-tree.ts';
import { collectProblems } from './problems.ts';
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
  let hasProblem = false;
  const report: AddProblem = (...problem) => {
    hasProblem = true;
    addProblem(...problem);
  };
  /** `above`: the folders that contain this one, by their identity. */
  const walk = async (folder: string, above: ReadonlyMap<string, string>): Promise<readonly string[]> => {
    const listing = await collectProblems(report, () => tree.list(folder));
    if (listing === undefined) return [];
    const { identity } = listing;
    const same = above.get(identity);
    if (same !== undefined) {
      report(folder, `leads back to ${same}, which contains it; remove the link`);
      return [];
    }
    const items = [...listing.items].sort((a, b) => (a.name < b.name ? -1 : 1));
    // The files of a suite are not files of the project.
    if (above.size > 0 && items.some(({ name }) => PLAYWRIGHT_CONFIG.test(name))) return [];
    const found: string[] = [];
    for (const { name, isFolder, problem } of items) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = posix.join(folder, name);
      if (problem !== undefined) report(path, problem);
      else if (isFolder) found.push(...(await walk(path, new Map([...above, [identity, folder]]))));
      else if (MANIFEST.test(name) && !FOREIGN.test(name)) found.push(path);
    }
    return found;
  };
  const all: string[] = [];
  for (const named of paths) {
    const path = named === '-' ? named : posix.normalize(named.replaceAll(sep, '/')).replace(/(?<=.)\/$/, '');
    const type = await collectProblems(report, async () => (await tree.typeOf(path)) ?? 'missing');
    const found = type === 'folder' ? await walk(path, new Map()) : [path];
    if (type === 'missing') report(named, 'does not exist; pass a file or folder');
    else if (found.length === 0 && !hasProblem) addProblem(named, 'has no *.yaml, *.yml or *.json file');
    else if (type !== undefined) all.push(...found);
  }
  return [...new Set(all)];
}
