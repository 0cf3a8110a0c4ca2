/** Decides whether Playwright Test runs a script: whether the script can declare tests with its function `test`. */
import { posix } from 'node:path';
import { listModulePaths } from '../module-paths.ts';
import type { BrowserJob, ScriptKind } from '../protocol.ts';
import type { Parser, Runtime, SyntaxNode, SyntaxPath } from './locate-playwright.ts';

const TEST_MODULES: readonly unknown[] = ['@playwright/test', 'playwright/test'];
/** Exports of Playwright Test that declare tests. All others also serve plain scripts: `expect`, `chromium`, `request`. */
const TEST_EXPORTS: readonly unknown[] = ['test', 'default', '_baseTest'];
/** Files that may map other paths to files, so that any file may be imported. */
const PATH_SETTINGS = /^(?:ts|js)config[^/]*\.json$|^package\.json$/;

/**
 * Returns `test` if the script, or a file that it imports, imports the function `test` of Playwright Test, even if it
 * declares no test: Playwright Test then fails. A file with a syntax error counts as well, because no test may be lost.
 */
export function decideKind(
  { entry, files }: Pick<BrowserJob, 'entry' | 'files'>,
  runtime: Pick<Runtime, 'loadParser'>,
): ScriptKind {
  // The parser takes long to load, and most plain scripts do not need it.
  if (!files.some(({ content }) => content.includes('playwright/test'))) return 'script';
  const parser = runtime.loadParser();
  const contents = new Map(files.map(({ path, content }) => [path, content]));
  const hasSettings = files.some(({ path }) => PATH_SETTINGS.test(posix.basename(path)));
  const reachable = new Set(hasSettings ? [entry, ...contents.keys()] : [entry]);
  for (const path of reachable) {
    if (path.endsWith('.json')) continue;
    const imports = readImports(contents.get(path) ?? '', path, parser);
    if (imports.some(({ importsTest }) => importsTest)) return 'test';
    for (const { source } of imports) {
      const imported = source.startsWith('.') ? posix.join(posix.dirname(path), source) : undefined;
      const file = imported && listModulePaths(imported).find((candidate) => contents.has(candidate));
      if (file) reachable.add(file);
    }
  }
  return 'script';
}

interface Import {
  readonly source: string;
  readonly importsTest: boolean;
}

function readImports(code: string, file: string, { babelParse, traverse }: Parser): readonly Import[] {
  const imports: Import[] = [];
  const add = (source: unknown, usesTest: () => boolean) => {
    if (typeof source === 'string')
      imports.push({ source, importsTest: TEST_MODULES.includes(source) && usesTest() });
  };
  try {
    traverse(babelParse(code.replace(/^#![^\n]*/, ''), file, false), {
      ImportDeclaration: (path) => {
        const { node } = path;
        if (node.importKind !== 'type') add(textOf(node.source), () => importsTest(path));
      },
      ExportNamedDeclaration: ({ node }) => {
        if (node.exportKind === 'type') return;
        const exported = node.specifiers as readonly SyntaxNode[];
        add(textOf(node.source), () => exported.some(({ local }) => TEST_EXPORTS.includes(nameOf(local))));
      },
      ExportAllDeclaration: ({ node }) => {
        if (node.exportKind !== 'type') add(textOf(node.source), () => true);
      },
      TSImportEqualsDeclaration: (path) => {
        const { expression } = path.node.moduleReference as SyntaxNode;
        add(textOf(expression), () => bindingUsesTest(path, nameOf(path.node.id)));
      },
      CallExpression: (path) => {
        const callee = path.node.callee as SyntaxNode;
        if (callee.type !== 'Import' && nameOf(callee) !== 'require') return;
        const [source] = path.node.arguments as readonly SyntaxNode[];
        add(textOf(source), () => valueUsesTest(path));
      },
    });
  } catch {
    return [{ source: '', importsTest: true }];
  }
  return imports;
}

function importsTest(path: SyntaxPath): boolean {
  const specifiers = path.node.specifiers as readonly SyntaxNode[];
  if (specifiers.length === 0) return true;
  return specifiers.some(({ type, importKind, imported, local }) => {
    if (importKind === 'type') return false;
    if (type === 'ImportNamespaceSpecifier') return bindingUsesTest(path, nameOf(local));
    if (type === 'ImportDefaultSpecifier' || TEST_EXPORTS.includes(nameOf(imported))) return true;
    // Tests that are commented out leave `expect` without a use.
    return nameOf(imported) === 'expect' && findUses(path, nameOf(local)).length === 0;
  });
}

/** Returns whether code may take the function `test` from a variable that contains the module. */
function bindingUsesTest(path: SyntaxPath, name: unknown): boolean {
  const uses = findUses(path, name);
  return uses.length === 0 || uses.some(valueUsesTest);
}

const findUses = ({ scope }: SyntaxPath, name: unknown) =>
  scope.getBinding(String(name))?.referencePaths ?? [];

/** Returns whether the code around an expression, whose value is the module, may take the function `test` from it. */
function valueUsesTest(path: SyntaxPath): boolean {
  const parent = path.parentPath;
  const { type, id, computed, property, object } = parent?.node ?? path.node;
  if (parent === null) return true;
  switch (type) {
    case 'AwaitExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      return valueUsesTest(parent);
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      if (object !== path.node) return true;
      return TEST_EXPORTS.includes(computed ? (textOf(property) ?? 'test') : nameOf(property));
    case 'VariableDeclarator': {
      const target = id as SyntaxNode;
      if (target.type === 'Identifier') return bindingUsesTest(parent, target.name);
      if (target.type !== 'ObjectPattern') return true;
      const properties = target.properties as readonly SyntaxNode[];
      return properties.some(
        ({ type: kind, key, computed: isComputed }) =>
          kind === 'RestElement' || isComputed === true || TEST_EXPORTS.includes(nameOf(key)),
      );
    }
    default:
      return true;
  }
}

/** Returns the value of a string literal. */
function textOf(node: unknown): unknown {
  const { type, value, quasis } = (node ?? {}) as SyntaxNode;
  if (type === 'StringLiteral') return value;
  const [only, more] = type === 'TemplateLiteral' ? (quasis as readonly SyntaxNode[]) : [];
  return more === undefined ? (only?.value as { readonly cooked?: string } | undefined)?.cooked : undefined;
}

/** Returns the name of an identifier, or of an export whose name is a string. */
const nameOf = (node: unknown): unknown => (node as SyntaxNode | null)?.name ?? textOf(node);
