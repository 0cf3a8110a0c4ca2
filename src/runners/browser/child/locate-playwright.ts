/** Locates Playwright in the folder of a runtime, and types its internals. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type {
  APIRequest,
  APIRequestContext,
  Browser,
  BrowserContext,
  BrowserContextOptions,
  BrowserType,
  LaunchOptions,
  Selectors,
} from '@playwright/test';

/** A browser type with the options that Playwright Test sets on its library. */
export interface OpenBrowserType extends BrowserType {
  readonly _playwright?: { readonly _defaultLaunchOptions?: LaunchOptions };
  /** Calls that Playwright has not answered yet. */
  readonly _connection?: { readonly _callbacks?: ReadonlyMap<number, unknown> };
}

export interface Library {
  readonly chromium: OpenBrowserType;
  readonly firefox: OpenBrowserType;
  readonly webkit: OpenBrowserType;
  readonly request: APIRequest;
  readonly selectors: Selectors;
}

export interface Compiler {
  requireOrImport(file: string): Promise<unknown>;
  transformHook(code: string, file: string): { readonly code: string };
}

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface SyntaxPath {
  readonly node: SyntaxNode;
  readonly parentPath: SyntaxPath | null;
  readonly scope: {
    getBinding(name: string): { readonly referencePaths: readonly SyntaxPath[] } | undefined;
  };
}

export type Visitor = Readonly<Record<string, (path: SyntaxPath) => void>>;

export interface Parser {
  babelParse(
    code: string,
    file: string,
    isModule: boolean,
  ): { readonly program: { readonly body: SyntaxNode[] } };
  traverse(file: ReturnType<Parser['babelParse']>, visitor: Visitor): void;
}

export interface ProgramRegistry {
  findExecutable(
    name: string,
  ): { executablePath(): string | undefined; executablePathOrDie(): string } | undefined;
}

interface RegistryModule {
  readonly registry: { readonly registry: ProgramRegistry };
}

export type { APIRequest, APIRequestContext, Browser, BrowserContext, BrowserContextOptions, LaunchOptions };

export function locatePlaywright(folder: string) {
  const fromTest = createRequire(join(folder, 'package.json'));
  const root = dirname(fromTest.resolve('playwright/package.json'));
  const fromPlaywright = createRequire(join(root, 'package.json'));
  const core = dirname(fromPlaywright.resolve('playwright-core/package.json'));
  return {
    root,
    packages: { '@playwright/test': folder, playwright: root, 'playwright-core': core },
    load: () => fromPlaywright('playwright-core') as Library,
    /** Loads tests, fixtures and matchers for a worker of Playwright Test. */
    loadTest: () => void fromTest('@playwright/test'),
    loadCompiler: () => (fromTest('playwright/lib/common') as { readonly transform: Compiler }).transform,
    loadParser: () => fromTest('playwright/lib/transform/babelBundle') as Parser,
    /** Loads the list of programs that Playwright starts; undefined if this version has none there. */
    loadRegistry(): ProgramRegistry | undefined {
      try {
        return (fromPlaywright('playwright-core/lib/coreBundle') as RegistryModule).registry.registry;
      } catch {
        return undefined;
      }
    },
    loadRunner: () => fromTest('playwright/lib/runner') as unknown,
    loadCommon: () => fromTest('playwright/lib/common') as unknown,
    workerEntry: join(root, 'lib/worker/workerProcessEntry.js'),
    require: fromTest,
  };
}

export type Runtime = ReturnType<typeof locatePlaywright>;
