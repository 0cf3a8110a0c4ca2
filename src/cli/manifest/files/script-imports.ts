/** Finds the files that a script imports by relative paths, so that a check contains them. */
import { posix } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { stripComments } from '../../../base/strip-comments.ts';
import { listModulePaths } from '../../../runners/browser/module-paths.ts';
import type { FileTree } from './file-tree.ts';

/** A module that a statement or a call names. Imports of types have no effect at run time. */
const IMPORTS = [
  /(?:^|[;}\n])[^\S\n]*(?:import|export)\b(?!\s+type\b)(?:(?:[^'"`;()}\n]|[}\n](?![^\S\n]*(?:import|export)\b))*?\bfrom)?\s*(['"])(\.[^'"\n]*)\1/g,
  /\b(?:import|require)\s*\(\s*(['"`])(\.[^'"`\n]*)\1\s*\)/g,
];
const CODE = /\.[cm]?[jt]sx?$/;

export interface ScriptFiles {
  /** The contents by path, without the script. */
  readonly imports: ReadonlyMap<string, string>;
  /** Imports of files that do not exist: `login.spec.ts imports ./page, which does not exist`. */
  readonly problems: readonly string[];
}

/** Reads the files that a script imports, and those that they import. */
export async function readImports(tree: FileTree, script: string, text: string): Promise<ScriptFiles> {
  const imports = new Map<string, string>();
  const problems: string[] = [];
  const visit = async (file: string, code: string): Promise<void> => {
    for (const specifier of listImports(code)) {
      const path = await resolveImport(tree, posix.join(posix.dirname(file), specifier));
      if (path === undefined) problems.push(`${file} imports ${specifier}, which does not exist`);
      else if (path !== script && !imports.has(path)) {
        const content = await tree.readText(path).catch((error: unknown) => {
          if (!(error instanceof UsageError)) throw error;
          problems.push(`${file} imports ${specifier}: ${error.message}`);
          return '';
        });
        imports.set(path, content);
        if (CODE.test(path)) await visit(path, content);
      }
    }
  };
  await visit(script, text);
  return { imports, problems };
}

/** Returns the relative paths that code imports, each once. */
export function listImports(code: string): readonly string[] {
  const plain = stripComments(code);
  return [
    ...new Set(IMPORTS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, , path = '']) => path))),
  ];
}

/** Returns the file that Node or TypeScript loads for a path, or one outside the project, which cannot be read. */
async function resolveImport(tree: FileTree, path: string): Promise<string | undefined> {
  for (const candidate of listModulePaths(path))
    if (['file', 'outside'].includes((await tree.typeOf(candidate)) ?? '')) return candidate;
  return undefined;
}

/** Returns the deepest folder that contains all files. */
export function commonFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => posix.dirname(file).split('/'));
  const isShared = (step: string, index: number) => others.every((steps) => steps[index] === step);
  const end = first.findIndex((step, index) => !isShared(step, index));
  return first.slice(0, end < 0 ? first.length : end).join('/') || '.';
}
