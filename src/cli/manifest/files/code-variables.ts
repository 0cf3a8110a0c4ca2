/** Replaces `${NAME}` in the code of an entry, for the variables that the entry lists: elsewhere in code it has no meaning. */
import { unzipSync } from 'fflate';
import type { JsonObject } from '../../../base/object.ts';
import { zipFiles } from '../../pack/pack-suite.ts';
import type { Path } from '../manifest.ts';
import { mapTexts } from '../map-texts.ts';
import { CODE_VARIABLES } from './entry-schema.ts';
import { isCode, NAME, type VariableScope } from './variables.ts';

/** The values by variable. */
export type CodeValues = ReadonlyMap<string, string>;

interface Scope extends Pick<VariableScope, 'lookUp'> {
  readonly addProblem: (path: Path, message: string) => void;
}

/** Returns the values of the listed variables. Reports those without a value. */
export function readCodeVariables(list: unknown, { lookUp, addProblem }: Scope): CodeValues {
  const values = new Map<string, string>();
  for (const [index, name] of (Array.isArray(list) ? (list as readonly unknown[]) : []).entries()) {
    const at = [CODE_VARIABLES, index];
    if (typeof name !== 'string' || !NAME.test(name)) {
      addProblem(at, `${JSON.stringify(name)} is not the name of a variable`);
      continue;
    }
    const found = lookUp(name);
    if ('value' in found) values.set(name, found.value);
    else addProblem(at, found.problem);
  }
  if (list !== undefined && !Array.isArray(list))
    addProblem([CODE_VARIABLES], `${CODE_VARIABLES} must be a list of names of variables`);
  return values;
}

const replace = (code: string, values: CodeValues): string =>
  code.replace(/\$\{(\w+)\}/g, (reference, name: string) => values.get(name) ?? reference);

/** Returns fields with the values in their code. */
export const replaceInCode = (fields: JsonObject, values: CodeValues): JsonObject =>
  values.size === 0
    ? fields
    : (mapTexts(fields, (text, path) => (isCode(path) ? replace(text, values) : text)) as JsonObject);

/** Returns an archive with the values in its text files. */
export function replaceInArchive(archive: Buffer, values: CodeValues): Buffer {
  if (values.size === 0) return archive;
  const files = Object.entries(unzipSync(archive)).map(([path, bytes]) => {
    const text = Buffer.from(bytes).toString();
    return [path, Buffer.from(text).equals(bytes) ? Buffer.from(replace(text, values)) : bytes];
  });
  return zipFiles(Object.fromEntries(files));
}
