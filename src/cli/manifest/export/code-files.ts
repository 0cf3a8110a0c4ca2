/** Moves code of several lines from the fields of an entry to files, such as a script with the files that it imports. */
import { posix } from 'node:path';
import { isSafePath } from '../../../base/file-name.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { CODE_FIELDS, fileFieldOf } from '../files/entry-schema.ts';
import { restoreFiles } from '../files/file-tree.ts';
import { readImports } from '../files/script-imports.ts';
import { formatName, kindOf } from '../kinds.ts';
import type { DeclaredEntry, ManifestFile } from './declared-manifest.ts';
import type { PathParts } from './file-names.ts';

/** Where the files of code fields are. */
const PLACES: Readonly<Record<string, Pick<PathParts, 'folder' | 'extension'>>> = {
  script: { folder: 'scripts', extension: '.spec.ts' },
  localSetupScript: { folder: 'scripts', extension: '.setup.js' },
  localTearDownScript: { folder: 'scripts', extension: '.teardown.js' },
  prompt: { folder: 'prompts', extension: '.md' },
  template: { folder: 'templates', extension: '.txt' },
};
const SNIPPET_PLACE = { folder: 'snippets', extension: '.js' };

export interface CodeTarget {
  /** Makes a path that no other file has. */
  readonly makePath: (parts: PathParts) => string;
  /** Returns a path as the file of the entry names it. */
  readonly relative: (path: string) => string;
  readonly addFiles: (files: readonly ManifestFile[]) => void;
}

/** Returns the fields with paths in place of code. */
export async function moveCode(
  { section, fields }: DeclaredEntry,
  { makePath, relative, addFiles }: CodeTarget,
): Promise<JsonObject> {
  const kind = kindOf(section);
  const parts = { name: formatName(kind, fields), fallback: kind.noun.replaceAll(' ', '-') };
  /** Fields whose content is in the files of the script. */
  const packed = new Set<string>();
  const move = async (object: JsonObject): Promise<JsonObject> => {
    const moved: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(object)) {
      const place = section === 'snippets' ? SNIPPET_PLACE : PLACES[name];
      if (isObject(value)) moved[name] = await move(value);
      else if (place === undefined || !CODE_FIELDS.includes(name) || !needsFile(value)) moved[name] = value;
      else if (name === 'script' && section === 'checks')
        Object.assign(moved, await moveScript(object, value, { ...parts, ...place }));
      else {
        const path = makePath({ ...parts, ...place });
        addFiles([{ path, content: value }]);
        moved[fileFieldOf(name)] = relative(path);
      }
    }
    return moved;
  };
  const moveScript = async (object: JsonObject, script: string, place: PathParts): Promise<JsonObject> => {
    const { dependencies, scriptPath } = object;
    if (dependencies === undefined) {
      if (!(await importsOnly({ path: 'a.ts', content: script }, []))) return { script };
    } else if (typeof scriptPath === 'string' && isFileList(dependencies)) {
      const files = [{ path: scriptPath, content: script }, ...dependencies];
      const areSafe = files.every(({ path }) => isSafePath(path) && path === posix.normalize(path));
      if (areSafe && (await importsOnly({ path: scriptPath, content: script }, dependencies))) {
        const folder = makePath({ ...place, extension: '' });
        addFiles(files.map(({ path, content }) => ({ path: `${folder}/${path}`, content })));
        packed.add('dependencies');
        return { scriptFile: relative(`${folder}/${scriptPath}`) };
      }
    }
    const path = makePath(place);
    addFiles([{ path, content: script }]);
    return { scriptFile: relative(path) };
  };
  const moved = Object.entries(await move(fields));
  return Object.fromEntries(moved.filter(([name]) => !packed.has(name)));
}

/** Whether a value is text of several lines. A file cannot hold lone surrogates, and readers skip a byte order mark. */
const needsFile = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trimEnd().includes('\n') &&
  !/\p{Surrogate}/u.test(value) &&
  !value.startsWith('\ufeff');

interface TextFile {
  readonly path: string;
  readonly content: string;
}

const isFileList = (value: unknown): value is readonly TextFile[] =>
  Array.isArray(value) &&
  value.every((one) => isObject(one) && typeof one.path === 'string' && typeof one.content === 'string');

/** Whether the loader of manifests finds exactly these files in the imports of a script. */
async function importsOnly(script: TextFile, dependencies: readonly TextFile[]): Promise<boolean> {
  const texts = Object.fromEntries([script, ...dependencies].map(({ path, content }) => [path, content]));
  const { imports, problems } = await readImports(
    restoreFiles({ texts, suites: {} }),
    script.path,
    script.content,
  );
  return problems.length === 0 && imports.size === dependencies.length;
}
