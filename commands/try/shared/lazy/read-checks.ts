/** Reads the checks to try, with everything in the files that affects their run. */
import type { Deps } from '../../../../src/cli/framework/index.ts';
import type { FileTree } from '../../../../src/cli/manifest/files/file-tree.ts';
import { type FindChecksOptions, findChecks } from '../find-checks.ts';
import { toLocalChecks } from '../local-checks.ts';
import type { TriedChecks } from '../tried-checks.ts';

export { openFileTree } from '../../../../src/cli/manifest/files/file-tree.ts';

/** Prints warnings. Throws UsageError for an invalid file or check, and NotFoundError if a name matches no check. */
export async function readChecks(
  deps: Deps,
  words: readonly string[],
  tree: FileTree,
  options: FindChecksOptions,
): Promise<TriedChecks> {
  const found = await findChecks(deps, words, tree, options);
  const { warnings, ...local } = toLocalChecks(found, deps.clock.now());
  for (const warning of warnings) await deps.terminal.warn(warning);
  const { entries, secrets, taint } = found.manifest;
  return {
    ...local,
    secrets,
    hide: (value) => taint.showAll(value),
    archiveOf(id) {
      const bundle = entries.find(({ section, key }) => section === 'codeBundles' && key === id);
      return bundle && Buffer.from(String(bundle.body.archive), 'base64');
    },
  };
}
