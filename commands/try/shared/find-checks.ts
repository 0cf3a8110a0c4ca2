/** Finds the checks to try in files: by the path of a file or folder, or by name or key. */
import { posix, relative, resolve, sep } from 'node:path';
import { NotFoundError, UsageError } from '../../../src/base/errors.ts';
import { didYouMean, rankNearest } from '../../../src/base/suggest.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { FileTree } from '../../../src/cli/manifest/files/file-tree.ts';
import type { WrittenEntry } from '../../../src/cli/manifest/files/load-manifest.ts';
import { readProject } from '../../../src/cli/manifest/files/read-project.ts';
import type { Manifest, ManifestEntry } from '../../../src/cli/manifest/manifest.ts';
import type { ProjectChoice } from '../../../src/cli/manifest/project-options.ts';
import { usesVariables } from '../../../src/contract/check-type-facts.ts';

export interface FoundChecks {
  /** The checks, and the groups, snippets and variables that they may use. */
  readonly manifest: Manifest;
  readonly checks: readonly FoundCheck[];
}

export interface FoundCheck {
  readonly entry: ManifestEntry;
  readonly namedBy: NamedBy;
}

/** The way the command line names a check: its name or a file with only its body, or a file or folder with several. */
type NamedBy = 'name' | 'file' | 'folder';

export interface FindChecksOptions extends ProjectChoice {
  /** File or folder that names refer to. */
  readonly path: string;
}

const MANY_NAMES = 3;

/** Throws UsageError for an invalid file, and NotFoundError if a name matches no check. */
export async function findChecks(
  deps: Deps,
  words: readonly string[],
  tree: FileTree,
  { path, ...choice }: FindChecksOptions,
): Promise<FoundChecks> {
  const { cwd } = deps;
  const toPath = (text: string) =>
    posix.normalize((relative(cwd, resolve(cwd, text)) || '.').replaceAll(sep, '/'));
  const base = toPath(path);
  const targets = await Promise.all(
    words.map(async (word): Promise<Target> => {
      const found = (await tree.typeOf(word)) ?? (LOOKS_LIKE_PATH.test(word) ? 'file' : 'name');
      // The error of a file outside follows when it is read.
      const type = found === 'outside' ? 'file' : found;
      return { word, type, ...(type === 'name' ? {} : { path: toPath(word) }) };
    }),
  );
  const outside = targets.flatMap((target) =>
    target.path === undefined || isWithin(target.path, base) ? [] : [target.path],
  );
  const needsBase = targets.length > outside.length;
  if (needsBase && (await tree.typeOf(base)) === undefined)
    throw new UsageError(`no such file or folder: ${path}`, {
      hint: 'pass the file of the check, or pass --path with the folder of your checks',
    });
  let selection: Selection = new Map();
  let missing: NotFoundError | undefined;
  const { manifest } = await readProject(deps, [...(needsBase ? [base] : []), ...outside], choice, {
    tree,
    select(written) {
      const checks = written.filter(({ section }) => section === 'checks');
      selection = new Map(
        targets.flatMap((target) => [...findTarget(target, checks, base)]).sort(byStrength),
      );
      // An invalid file may be the reason, and is reported first.
      const unknown = targets.find((target) => findTarget(target, checks, base).size === 0);
      missing = unknown && createNotFound(unknown, checks, base);
      const chosen = checks.filter((entry) => selection.has(placeOf(entry)));
      return (entry) => (entry.section === 'checks' ? selection.has(placeOf(entry)) : mayUse(chosen, entry));
    },
  });
  if (missing !== undefined) throw missing;
  const checks = manifest.entries.flatMap((entry): FoundCheck[] => {
    const namedBy = entry.section === 'checks' ? selection.get(entry.formatLocation([])) : undefined;
    return namedBy === undefined ? [] : [{ entry, namedBy }];
  });
  return { manifest, checks };
}

/** How the line names each check, by the place of the check. */
type Selection = ReadonlyMap<string, NamedBy>;

const STRENGTHS: readonly NamedBy[] = ['folder', 'file', 'name'];
/** The strongest comes last, so that it replaces the others. */
const byStrength = ([, a]: readonly [string, NamedBy], [, b]: readonly [string, NamedBy]): number =>
  STRENGTHS.indexOf(a) - STRENGTHS.indexOf(b);

/** A word of the line: a path, or a name if it has none. */
interface Target {
  readonly word: string;
  readonly type: NamedBy;
  readonly path?: string;
}

const LOOKS_LIKE_PATH = /[/\\]|\.(?:ya?ml|json)$/i;

const isWithin = (path: string, folder: string): boolean =>
  path === folder || folder === '.' || path.startsWith(`${folder}/`);

const placeOf = ({ source, path }: WrittenEntry): string => source.formatLocation(path);

/** Returns the checks that a word of the line names. */
function findTarget({ word, type, path }: Target, checks: readonly WrittenEntry[], base: string): Selection {
  const found = checks.filter(({ source, fields }) =>
    path === undefined
      ? isWithin(source.path, base) && (fields.key === word || fields.name === word)
      : isWithin(source.path, path),
  );
  return new Map(
    found.map((entry) => [placeOf(entry), entry.source.isCheck && type === 'file' ? 'name' : type]),
  );
}

/** Returns whether an entry can affect the run of one of the checks. Defaults of folders may set any field of a check. */
function mayUse(checks: readonly WrittenEntry[], { section, fields: { key, name } }: WrittenEntry): boolean {
  const some = (field: string, matches: (value: unknown) => boolean) =>
    checks.some(({ fields }) => fields[field] === undefined || matches(fields[field]));
  if (section === 'groups') return some('group', (group) => group === key || group === name);
  if (section === 'snippets') return some('checkType', (type) => type === 'API');
  return section === 'variables' && some('checkType', (type) => usesVariables({ type }));
}

function createNotFound(
  { word, path }: Target,
  checks: readonly WrittenEntry[],
  base: string,
): NotFoundError {
  if (path !== undefined)
    return new NotFoundError(`${word} has no checks`, {
      hint: 'pass a file or folder with a section "checks", or a file with one check and its "checkType"',
    });
  const names = checks
    .filter(({ source }) => isWithin(source.path, base))
    .flatMap(({ fields: { key, name } }) => [key, name].filter((one) => typeof one === 'string'));
  const near = rankNearest(word, names, MANY_NAMES);
  const hint =
    near.length > 0
      ? didYouMean(...near.map((name) => `"${name}"`))
      : 'pass the name or the key of a check, or the path of its file';
  return new NotFoundError(`check "${word}" not found in ${base}`, { hint });
}
