/** Runs a script that is not a Playwright Test file, until all its work is done. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inspect, types } from 'node:util';
import { runInThisContext } from 'node:vm';
import type { Runtime, SyntaxNode } from './locate-playwright.ts';

const { isPromise } = types;
/** Saved at the start, because a script may replace the global functions. */
const { setTimeout: setTimer } = globalThis;

/** Name of the function that collects promises, unlikely to occur in a script. */
const COLLECT = '__sondeBegun';
const POLL_MS = 5;

type Body = (
  exports: unknown,
  require: NodeJS.Require,
  module: unknown,
  file: string,
  folder: string,
  collect: <V>(value: V, isStored?: boolean) => V,
) => Promise<unknown>;

/**
 * Runs the file with `import`, `require`, TypeScript and top-level `await`, in any combination. Waits for an unawaited
 * call at the end of the script. Rejects with errors of the script and of the work that it started.
 */
export async function runPlainScript(runtime: Runtime, file: string): Promise<void> {
  const compiler = runtime.loadCompiler();
  const source = readFileSync(file, 'utf8').replace(/^#![^\n]*/, '');
  const instrumented = instrumentCalls(source, file, runtime);
  const { code } = compiler.transformHook(instrumented, file);
  const wrapped = `(async function (exports, require, module, __filename, __dirname, ${COLLECT}) {${code}\n})`;
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
  await body(module.exports, require, module, file, dirname(file), collect);
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
  const text = error.stack ?? `${error.name}: ${error.message}`;
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

function instrumentCalls(source: string, file: string, runtime: Runtime): string {
  let instrumented = source;
  for (const { start, end, isStored } of findCalls(source, file, runtime).toReversed()) {
    const call = `${COLLECT}(${instrumented.slice(start, end)}, ${isStored})`;
    instrumented = instrumented.slice(0, start) + call + instrumented.slice(end);
  }
  return instrumented;
}

interface Call {
  readonly start: number;
  readonly end: number;
  readonly isStored: boolean;
}

function findCalls(source: string, file: string, runtime: Runtime): Call[] {
  let body: readonly SyntaxNode[];
  try {
    body = runtime.loadParser().babelParse(source, file, false).program.body;
  } catch {
    // The compiler reports syntax errors later.
    return [];
  }
  return body.flatMap((statement) => {
    if (statement.type === 'ExpressionStatement') return findCall(statement.expression, false);
    if (statement.type !== 'VariableDeclaration') return [];
    const declared = statement.declarations as readonly SyntaxNode[];
    return declared.flatMap(({ init }) => findCall(init, true));
  });
}

function findCall(expression: unknown, isKept: boolean): Call[] {
  const node = expression as SyntaxNode | null;
  if (node?.type === 'AssignmentExpression') return findCall(node.right, true);
  if (node?.type === 'UnaryExpression' && node.operator === 'void') return findCall(node.argument, isKept);
  if (node?.type !== 'CallExpression') return [];
  const callee = node.callee as SyntaxNode;
  const { start, end } = node;
  return callee.type === 'Identifier' && callee.name === 'require' ? [] : [{ start, end, isStored: isKept }];
}
