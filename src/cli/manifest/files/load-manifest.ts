/** Loads what the files of a project declare. Reports all problems at once. */
import type { Problem } from '../../../base/errors.ts';
import { groupBy } from '../../../base/object.ts';
import { SECTIONS, type Section } from '../kinds.ts';
import type { Manifest, ManifestEntry } from '../manifest.ts';
import { canBeHidden, Taint } from '../taint.ts';
import { collectDefaults, type Layer } from './defaults.ts';
import { type FileRecord, type FileTree, recordFiles } from './file-tree.ts';
import { findFiles } from './find-files.ts';
import { createLookUp, hintFor, listDeclared, type ValueSources } from './look-up.ts';
import { collectProblems, problemsError } from './problems.ts';
import { createEntryReader } from './read-entry.ts';
import {
  type AddProblem,
  listEntries,
  listSuites,
  parseSource,
  type Source,
  validateStructure,
} from './source.ts';
import { validateAlone } from './validate-entry.ts';
import { expandVariables } from './variables.ts';

export interface LoadContext extends ValueSources {
  readonly tree: FileTree;
  /** Receives the values that output must not contain, before any error is thrown. */
  readonly usedKeys?: Pick<Set<string>, 'add'>;
  /** Returns whether to read an entry; problems of the others are not reported. Default: all are read. */
  readonly select?: (written: readonly WrittenEntry[]) => (entry: WrittenEntry) => boolean;
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
export function loadManifest(paths: readonly string[], context: LoadContext): Promise<LoadedManifest> {
  const taint = new Taint();
  return taint.guard(() => load(paths, context, taint));
}

async function load(paths: readonly string[], context: LoadContext, taint: Taint): Promise<LoadedManifest> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const addProblem: AddProblem = (place, message, more = {}) => problems.push({ place, message, ...more });
  const secrets = new Set<string>();
  const hide = (value: string): void => void (canBeHidden(value) && context.usedKeys?.add(value));
  const addSecret = (value: string): void => {
    taint.addValue(value);
    if (!canBeHidden(value)) return;
    secrets.add(value);
    hide(value);
  };
  const addValue = (value: string, name: string): void => {
    taint.addValue(value, name);
    hide(value);
  };
  for (const [name, value] of context.secrets ?? []) {
    addValue(value, name);
    addSecret(value);
  }
  const { tree, record } = recordFiles(context.tree);

  const { sources, problemsOf } = await readSources(paths, tree, addProblem);
  const values = createLookUp(context, listDeclared(sources, addProblem), { addValue, addSecret });
  const scope = {
    lookUp: values.lookUp,
    addText(value: string, written: string) {
      taint.addText(value, written);
      hide(value);
    },
  };
  const project = readProject(sources, scope, addProblem);
  const codeFiles = new Set<string>();
  const readEntry = createEntryReader({
    ...scope,
    addSecret,
    tree,
    codeFiles,
    defaults: collectDefaults(sources, addProblem),
    addProblem,
    addWarning(place, message) {
      // Checks that share a default share its warning.
      if (!warnings.some((one) => one.place === place && one.message === message))
        warnings.push({ place, message });
    },
  });
  const isSelected =
    context.select?.(sources.flatMap((source) => listWritten(source, () => {}))) ?? (() => true);
  const entries: ManifestEntry[] = [];
  // A JSON file that a script imports is no file of the project.
  for (const source of [...sources].sort((a, b) => Number(isJson(a)) - Number(isJson(b)))) {
    if (codeFiles.has(source.path)) continue;
    validateStructure(source, addProblem);
    for (const entry of listWritten(source, addProblem))
      if (isSelected(entry)) entries.push(...(await readEntry(entry, entry.section)));
  }
  for (const [path, found] of problemsOf) if (!codeFiles.has(path)) problems.push(...found);
  reportDuplicates(entries, addProblem);
  if (problems.length > 0)
    throw problemsError([...problems, ...findBrokenRules(entries, problems)], hintFor(values, context));
  const inOrder = uniqueBundles(entries).sort(
    (a, b) => SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section),
  );
  return { manifest: { project, entries: inOrder, secrets: [...secrets], taint }, warnings, files: record() };
}

/** No rule for entries depends on the time. */
const ANY_TIME = 0;

/** Returns the broken rules of the entries besides the places with problems, where a value could not be read. */
function findBrokenRules(
  entries: readonly ManifestEntry[],
  problems: readonly Problem[],
): readonly Problem[] {
  const places = new Set(problems.map(({ place }) => place));
  return entries.flatMap((entry) => validateAlone(entry, ANY_TIME)).filter(({ place }) => !places.has(place));
}

const listWritten = (source: Source, addProblem: AddProblem): readonly WrittenEntry[] =>
  SECTIONS.flatMap((section) =>
    listEntries(source, section, addProblem).map(({ index, fields }) => ({
      section,
      source,
      path: [section, index],
      fields,
    })),
  );

const isJson = ({ path }: Source): boolean => path.endsWith('.json');

/** Parses the files, without those of suites. `problemsOf`: the problems of files that cannot be parsed. */
async function readSources(
  paths: readonly string[],
  tree: FileTree,
  addProblem: AddProblem,
): Promise<{
  readonly sources: readonly Source[];
  readonly problemsOf: ReadonlyMap<string, readonly Problem[]>;
}> {
  const sources: Source[] = [];
  const problemsOf = new Map<string, Problem[]>();
  const files = (await findFiles(paths, tree, addProblem)).map(async (path) => {
    const found: Problem[] = [];
    const addFound: AddProblem = (place, message) => found.push({ place, message });
    return { path, found, addFound, text: await collectProblems(addFound, () => tree.readText(path)) };
  });
  for (const { path, found, addFound, text } of await Promise.all(files)) {
    const source = text === undefined ? undefined : parseSource(path, text, addFound);
    if (source) sources.push(source);
    else problemsOf.set(path, found);
  }
  const suites = sources.flatMap(listSuites);
  const isOfSuite = (path: string): boolean => suites.some((folder) => path.startsWith(`${folder}/`));
  return {
    sources: sources.filter(({ path }) => !isOfSuite(path)),
    problemsOf: new Map([...problemsOf].filter(([path]) => !isOfSuite(path))),
  };
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
        `project "${name}" differs from "${found.name}" at ${found.place}; apply one project at a time`,
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
const uniqueBundles = (entries: readonly ManifestEntry[]): ManifestEntry[] => {
  const seen = new Set<string>();
  return entries.filter(({ section, key }) => section !== 'codeBundles' || (!seen.has(key) && seen.add(key)));
};
