/** Reads the files of code fields: `scriptFile` gives `script`, and `dependencies` from the files that the script imports. */
import { posix } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import type { Path } from '../manifest.ts';
import { codeFieldOf } from './entry-schema.ts';
import { type FileTree, pathFrom } from './file-tree.ts';
import { commonFolder, readImports } from './script-imports.ts';

/** What the reading of files needs of an entry. */
export interface EntryFiles {
  readonly tree: FileTree;
  /** Receives the path of every file that is code. */
  readonly codeFiles: Pick<Set<string>, 'add'>;
  /** Returns the place of a path, and the file that has it. */
  readonly locate: (path: Path) => { readonly place: string; readonly file: string };
  readonly addProblem: (path: Path, message: string) => void;
  readonly addWarning: (path: Path, message: string) => void;
}

/** Returns fields with the contents of the files that they name. */
export async function readCode(
  fields: JsonObject,
  schema: JsonSchema,
  entry: EntryFiles,
  path: Path = [],
): Promise<JsonObject> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const field = schema.properties?.[name];
    const code = field && codeFieldOf(name);
    if (code === undefined) {
      read[name] = isObject(value) && field ? await readCode(value, field, entry, [...path, name]) : value;
    } else if (Object.hasOwn(fields, code)) {
      entry.addProblem([...path, name], `cannot be combined with ${code}; remove one of them`);
    } else {
      const file = findCodeFile(value, [...path, name], entry);
      const text = file === undefined ? undefined : await readFile(file, [...path, name], entry);
      if (file === undefined || text === undefined) continue;
      read[code] = text;
      const packsImports =
        code === 'script' && schema.properties?.dependencies && fields.dependencies === undefined;
      if (packsImports) Object.assign(read, await packImports(file, text, fields.scriptPath, entry));
    }
  }
  return read;
}

function findCodeFile(named: unknown, at: Path, { locate, addProblem }: EntryFiles): string | undefined {
  if (typeof named === 'string' && named !== '') return pathFrom(locate(at).file, named);
  addProblem(at, `${at.at(-1)} must be the path of a file`);
  return undefined;
}

async function readFile(file: string, at: Path, entry: EntryFiles): Promise<string | undefined> {
  const report = (reason: string) => entry.addProblem(at, `${at.at(-1)}: ${reason}`);
  const type = await entry.tree.typeOf(file);
  if (type === undefined) report(`no such file: ${file}`);
  else if (type === 'folder') report(`${file} is a folder; name a file in it`);
  else {
    try {
      entry.codeFiles.add(file);
      return await entry.tree.readText(file);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      report(error.message);
    }
  }
  return undefined;
}

/** Returns the path of the script and the files that it imports, relative to one folder. Empty: it imports none. */
async function packImports(
  script: string,
  text: string,
  scriptPath: unknown,
  { tree, codeFiles, addProblem }: EntryFiles,
): Promise<JsonObject> {
  const { imports, problems } = await readImports(tree, script, text);
  for (const problem of problems) addProblem(['scriptFile'], `scriptFile: ${problem}`);
  for (const path of imports.keys()) codeFiles.add(path);
  if (imports.size === 0) return {};
  const own = typeof scriptPath === 'string' ? posix.normalize(scriptPath) : undefined;
  if (own !== undefined && !`/${script}`.endsWith(`/${own}`))
    addProblem(
      ['scriptPath'],
      `scriptPath must be the end of the path of scriptFile, ${script}; or remove it`,
    );
  const root =
    own === undefined ? commonFolder([script, ...imports.keys()]) : script.slice(0, -own.length) || '.';
  const dependencies = [...imports]
    .map(([path, content]) => ({ path: posix.relative(root, path), content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { scriptPath: own ?? posix.relative(root, script), dependencies };
}
