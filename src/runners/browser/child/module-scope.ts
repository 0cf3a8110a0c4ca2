/** Provides `import()` and `import.meta` to a plain script, which runs as a function and not as a module. */
import Module, { isBuiltin } from 'node:module';
import { dirname, extname, isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Compiler } from './locate-playwright.ts';

type ImportModule = (specifier: unknown, options?: unknown) => Promise<unknown>;

/** `require`: of the script, which resolves TypeScript files too. */
export function createModuleScope(
  file: string,
  require: NodeJS.Require,
  compiler: Compiler,
): { readonly importModule: ImportModule; readonly meta: object } {
  const importNative = compileImport(file);
  const findFile = (specifier: string): string | undefined => {
    if (specifier.startsWith('file:')) return fileURLToPath(specifier);
    return /^\.\.?(?:\/|$)/.test(specifier) || isAbsolute(specifier) ? require.resolve(specifier) : undefined;
  };
  /** Whether sonde brings the package: a file without an ending, in which Node finds no names of exports. */
  const isBundled = (name: string): boolean => {
    try {
      return !isBuiltin(name) && extname(require.resolve(name)) === '';
    } catch {
      return false;
    }
  };
  return {
    async importModule(specifier, options) {
      const name = String(specifier);
      const path = findFile(name);
      if (path !== undefined) return toNamespace(await compiler.requireOrImport(path));
      return isBundled(name) ? toNamespace(require(name)) : importNative(specifier, options);
    },
    meta: {
      url: pathToFileURL(file).href,
      filename: file,
      dirname: dirname(file),
      resolve: (specifier: string): string => {
        if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
        return pathToFileURL(findFile(specifier) ?? require.resolve(specifier)).href;
      },
    },
  };
}

/** Returns Node's `import()` as seen from a file. Code that `node:vm` compiles has none. */
function compileImport(file: string): ImportModule {
  const module = new Module(file) as NodeJS.Module & { _compile(code: string, file: string): void };
  module._compile('module.exports = (specifier, options) => import(specifier, options);', file);
  return module.exports as ImportModule;
}

/** Returns what `import()` returns for a module. A CommonJS module is its default export. */
function toNamespace(exports: unknown): unknown {
  if ((typeof exports !== 'object' && typeof exports !== 'function') || exports === null)
    return { default: exports };
  const isModule = '__esModule' in exports || Object.prototype.toString.call(exports) === '[object Module]';
  return isModule ? exports : { ...exports, default: exports };
}
