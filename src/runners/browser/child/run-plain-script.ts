/** Runs a script that is not a Playwright Test file, until all its work is done. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inspect, types } from 'node:util';
import { runInThisContext } from 'node:vm';
import { withoutOwnFrames } from '../../../base/own-frames.ts';
import { instrument, NAMES } from './instrument.ts';
import type { Runtime } from './locate-playwright.ts';
import { createModuleScope } from './module-scope.ts';

const { isPromise } = types;
/** Saved at the start, because a script may replace the global functions. */
const { setTimeout: setTimer } = globalThis;

const POLL_MS = 5;

type Body = (
  exports: unknown,
  require: NodeJS.Require,
  module: unknown,
  file: string,
  folder: string,
  collect: <V>(value: V, isStored?: boolean) => V,
  importModule: (specifier: unknown, options?: unknown) => Promise<unknown>,
  meta: object,
) => Promise<unknown>;

/** A script whose success would say nothing about its target. */
class EmptyScript extends Error {
  override readonly name = 'EmptyScript';

  constructor() {
    super('the script does nothing: it contains only comments, imports and declarations');
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * Runs the file with `import`, `import()`, `import.meta`, `require`, TypeScript and top-level `await`, in any
 * combination. Waits for an unawaited call at the end of the script. Rejects with errors of the script and of the work
 * that it started. `mustDoSomething`: a script that only declares is an error.
 */
export async function runPlainScript(runtime: Runtime, file: string, mustDoSomething = true): Promise<void> {
  const compiler = runtime.loadCompiler();
  const source = readFileSync(file, 'utf8').replace(/^#![^\n]*/, '');
  const instrumented = instrument(source, file, runtime);
  if (mustDoSomething && !instrumented.doesAnything) throw new EmptyScript();
  const { code } = compiler.transformHook(instrumented.code, file);
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname', ...Object.values(NAMES)];
  const wrapped = `(async function (${parameters.join(', ')}) {${code}\n})`;
  const body = runInThisContext(wrapped, { filename: file }) as Body;
  const module = new Module(file);
  module.filename = file;
  const promises: Promise<unknown>[] = [];
  const storedValues: unknown[] = [];
  const collect = <V>(value: V, isStored = false): V => {
    if (isStored) storedValues.push(value);
    else if (isThenable(value)) promises.push(Promise.resolve(value));
    return value;
  };
  // The script sees itself as the main program.
  const require = Object.assign(createRequire(file), { main: module });
  const { importModule, meta } = createModuleScope(file, require, compiler);
  await body(module.exports, require, module, file, dirname(file), collect, importModule, meta);
  // Started work may start more.
  for (let seen = 0; seen < promises.length; ) {
    const fresh = promises.slice(seen);
    seen = promises.length;
    await Promise.all(fresh);
  }
  // The script may handle the rejection of a stored promise later. Awaiting the promise here would handle it first.
  while (storedValues.some(isPending)) await new Promise((resolve) => void setTimer(resolve, POLL_MS));
}

export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return `the script threw ${String(error)}`;
  const text = withoutOwnFrames(error.stack ?? `${error.name}: ${error.message}`);
  return text.includes(error.message) ? text : `${error.name}: ${error.message}\n${text}`;
}

export const SAMPLE = `
import { test, expect } from '@playwright/test';
interface Sample { readonly one?: string }
class Page { readonly name: string = 'x'; async open({ one }: Sample) { return one ?? this.name; } }
test('sample', async ({ page }) => {
  await page.goto('about:blank');
  await expect(page.locator('h1')).toHaveText(await new Page().open({}));
});
`;

/** Compiles a sample, because the compiler is large and slow the first time. */
export function warmUpCompiler(runtime: Runtime): void {
  runtime.loadCompiler().transformHook(SAMPLE, join(runtime.root, 'sample.spec.ts'));
}

const isPending = (value: unknown): boolean =>
  isPromise(value) && /^[^{]*\{\s*<pending>/.test(inspect(value, { depth: 0 }));

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
