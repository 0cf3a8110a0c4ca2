/** Reads the files of code fields: `scriptFile` gives `script`, and the files that a script imports. */
import { UsageError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import type { Path } from '../manifest.ts';
import { codeFieldOf } from './entry-schema.ts';
import { type FileTree, pathFrom } from './file-tree.ts';

/** What the reading of files needs of an entry. */
export interface EntryFiles {
  readonly tree: FileTree;
  /** Returns the place of a path, and the file that has it. */
  readonly locate: (path: Path) => { readonly place: string; readonly file: string };
  readonly addProblem: (path: Path, message: string) => void;
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
      read[code] = await readText(value, [...path, name], entry);
    }
  }
  return read;
}

async function readText(named: unknown, at: Path, { tree, locate, addProblem }: EntryFiles): Promise<string> {
  const field = String(at.at(-1));
  if (typeof named !== 'string' || named === '') {
    addProblem(at, `${field} must be the path of a file`);
    return '';
  }
  const file = pathFrom(locate(at).file, named);
  const type = await tree.typeOf(file);
  if (type !== 'file') {
    addProblem(at, type === undefined ? `${field}: no such file: ${file}` : `${field}: ${file} is a folder`);
    return '';
  }
  try {
    return await tree.readText(file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    addProblem(at, `${field}: ${error.message}`);
    return '';
  }
}
