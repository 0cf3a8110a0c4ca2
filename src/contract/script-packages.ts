/** Lists the packages that scripts of checks can import, and those that a script imports. Pure. */
import { stripComments } from '../base/strip-comments.ts';
import versions from './script-packages.json' with { type: 'json' };

/** The packages of Playwright in each runtime, all of its version. */
export const PLAYWRIGHT_PACKAGES = ['@playwright/test', 'playwright', 'playwright-core'] as const;

/** Versions of the other packages, by name. */
export const SCRIPT_PACKAGES: Readonly<Record<string, string>> = versions;

export const SCRIPT_PACKAGE_NAMES: readonly string[] = [...PLAYWRIGHT_PACKAGES, ...Object.keys(versions)];

const QUOTED_PACKAGE = new RegExp(`(['"\`])(?:${Object.keys(versions).join('|').replaceAll('.', '\\.')})\\1`);

/** Returns whether code may import one of `SCRIPT_PACKAGES`: it contains the quoted name of one. */
export const mayImportPackage = (code: string): boolean => QUOTED_PACKAGE.test(code);

/** Modules of Node.js that have no `node:` in front. */
const BUILTINS =
  /^(?:node:.*|assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|dgram|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|sys|timers|tls|trace_events|tty|url|util|v8|vm|wasi|worker_threads|zlib)$/;

/**
 * A module that a script needs to start. Imports of types have no effect, and `import()` may be optional. The names of an
 * import end at the next one, so that each character is read once.
 */
const IMPORTS = [
  /(?:^|[;}\n])[^\S\n]*(?:import|export)\b(?!\s+type\b)(?:(?:[^'"`;()}\n]|[}\n](?![^\S\n]*(?:import|export)\b))*?\bfrom)?\s*(['"])([^'"\s]+)\1/g,
  /\brequire\s*\(\s*(['"`])([^'"`\s$]+)\1\s*\)/g,
];

/** Returns the packages that code imports and no runtime has: `@scope/name` and `name`, each once. */
export function listMissingPackages(...codes: readonly string[]): readonly string[] {
  const specifiers = codes.flatMap((code) => {
    const plain = stripComments(code);
    return IMPORTS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, , name = '']) => name));
  });
  const names = specifiers
    .filter((name) => /^[@\w]/.test(name) && !name.includes(':'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(names)].filter((name) => !SCRIPT_PACKAGE_NAMES.includes(name) && !BUILTINS.test(name));
}
