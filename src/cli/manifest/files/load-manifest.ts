/** Loads what the files of a project declare. Reports all problems at once. */
import { type Problem, UsageError } from '../../../base/errors.ts';
import { groupBy } from '../../../base/object.ts';
import { formatProblemCount } from '../../../base/phrases.ts';
import { SECTIONS, type Section } from '../kinds.ts';
import type { Manifest, ManifestEntry } from '../manifest.ts';
import { collectDefaults, type Layer } from './defaults.ts';
import { type FileRecord, type FileTree, recordFiles } from './file-tree.ts';
import { findFiles } from './find-files.ts';
import { createEntryReader } from './read-entry.ts';
import { type AddProblem, listEntries, parseSource, type Source, validateStructure } from './source.ts';
import { expandVariables } from './variables.ts';

export interface LoadContext {
  readonly tree: FileTree;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The values of --secrets, which override the environment. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** Receives the values that output must not contain, before any error is thrown. */
  readonly usedKeys?: Pick<Set<string>, 'add'>;
  /** Chooses the entries to read; problems of the others are not reported. Default: all. */
  readonly select?: (written: readonly WrittenEntry[]) => readonly WrittenEntry[];
}

/** An entry as its file has it, without defaults and values of variables. */
export interface WrittenEntry extends Layer {
  readonly section: Section;
}

export interface LoadedManifest {
  readonly manifest: Manifest;
  readonly warnings: readonly Problem[];
  /** What was read. `restoreFiles` makes a `FileTree` of it, which loads the same manifest. */
  readonly files: FileRecord;
}

/** Loads files and folders; `-` is stdin. Throws UsageError with all problems. */
export async function loadManifest(paths: readonly string[], context: LoadContext): Promise<LoadedManifest> {
  const problems: Problem[] = [];
  const addProblem: AddProblem = (place, message, more = {}) => problems.push({ place, message, ...more });
  const secrets = new Set(context.secrets?.values());
  const warnings: Problem[] = [];
  const { tree, record } = recordFiles(context.tree);
  const addSecret = (value: string): void => {
    secrets.add(value);
    context.usedKeys?.add(value);
  };
  for (const value of secrets) addSecret(value);

  const sources: Source[] = [];
  for (const path of await findFiles(paths, tree, addProblem)) {
    const text = await readText(tree, path, addProblem);
    const source = text === undefined ? undefined : parseSource(path, text, addProblem);
    if (source) sources.push(source);
  }
  for (const source of sources) validateStructure(source, addProblem);
  const scope = { env: context.env, secrets: context.secrets ?? new Map<string, string>(), addSecret };
  const project = readProject(sources, scope, addProblem);
  const readEntry = createEntryReader({
    ...scope,
    tree,
    defaults: collectDefaults(sources, addProblem),
    addProblem,
    addWarning: (place, message) => warnings.push({ place, message }),
  });
  const written = SECTIONS.flatMap((section) =>
    sources.flatMap((source) =>
      listEntries(source, section, addProblem).map(
        ({ index, fields }): WrittenEntry => ({ section, source, path: [section, index], fields }),
      ),
    ),
  );
  const { select = () => written } = context;
  const entries: ManifestEntry[] = [];
  for (const { section, ...own } of select(written)) entries.push(...(await readEntry(own, section)));
  reportDuplicates(entries, addProblem);
  if (problems.length > 0) throwProblems(problems.sort(comparePlaces));
  return {
    manifest: { project, entries: uniqueBundles(entries), secrets: [...secrets] },
    warnings,
    files: record(),
  };
}

/** Compares `a.yaml:9:1` and `a.yaml:10:1` by file, line and column. */
const comparePlaces = ({ place: a }: Problem, { place: b }: Problem): number =>
  a.localeCompare(b, 'en', { numeric: true });

function throwProblems(problems: readonly Problem[]): never {
  const [first] = problems;
  const message =
    problems.length === 1 && first ? `${first.place}: ${first.message}` : formatProblemCount(problems.length);
  throw new UsageError(message, { details: problems });
}

async function readText(tree: FileTree, path: string, addProblem: AddProblem): Promise<string | undefined> {
  try {
    return await tree.readText(path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const { place, message } of error.details) addProblem(place, message);
    if (error.details.length === 0) throw error;
    return undefined;
  }
}

/** Returns the project of the files. Reports two projects. */
function readProject(
  sources: readonly Source[],
  scope: Omit<Parameters<typeof expandVariables>[2], 'addProblem'>,
  addProblem: AddProblem,
): string | undefined {
  let found: { readonly name: string; readonly place: string } | undefined;
  for (const { value, formatLocation } of sources) {
    if (value.project === undefined || value.project === null) continue;
    const place = formatLocation(['project']);
    const name = expandVariables(undefined, value.project, {
      ...scope,
      addProblem: (_, message) => addProblem(place, message),
    });
    if (typeof name !== 'string' || !/^[\w.-]+(?: [\w.-]+)*$/.test(name) || name.length > 100) {
      addProblem(
        place,
        'project must be a name of letters, digits, spaces and the characters _ . - with at most 100 characters',
      );
    } else if (found && found.name !== name) {
      addProblem(
        place,
        `project "${name}" differs from "${found.name}" at ${found.place}; apply each project by itself`,
      );
    } else found ??= { name, place };
  }
  return found?.name;
}

/** Reports entries of a section with the same key, and entries with the same name without a key. */
function reportDuplicates(entries: readonly ManifestEntry[], addProblem: AddProblem): void {
  for (const [, [first, ...others]] of groupBy(
    entries.filter(({ section, key }) => key !== '' && section !== 'codeBundles'),
    ({ section, key }) => `${section} ${key}`,
  )) {
    for (const { hasOwnKey, key, section, formatLocation } of others) {
      const place = formatLocation(hasOwnKey ? ['key'] : []);
      const other = first?.formatLocation([]);
      if (hasOwnKey || first?.hasOwnKey) addProblem(place, `the key "${key}" is already used at ${other}`);
      else
        addProblem(
          place,
          `${section} already have "${key}" at ${other}; use another name, or give each a key`,
        );
    }
  }
}

/** Keeps one of several bundles with the same content. */
const uniqueBundles = (entries: readonly ManifestEntry[]): readonly ManifestEntry[] => {
  const seen = new Set<string>();
  return entries.filter(({ section, key }) => section !== 'codeBundles' || (!seen.has(key) && seen.add(key)));
};
