/** Runs a script that is none of Playwright Test: from its first line until all that it began is done. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { inspect, types } from 'node:util';
import { runInThisContext } from 'node:vm';
import type { Runtime, SyntaxNode } from './locate-playwright.ts';

const { isPromise } = types;
/** A script may put others in their place. */
const { setTimeout: later } = globalThis;

/** What the script calls its promises by; no name that a person would take. */
const COLLECT = '__sondeBegun';
/** How often is looked whether what the script keeps is settled, in ms. */
const LOOK_MS = 5;

type Body = (
  exports: unknown,
  require: NodeJS.Require,
  module: unknown,
  file: string,
  folder: string,
  collect: <V>(value: V, isKept?: boolean) => V,
) => Promise<unknown>;

/**
 * Runs the file. `import`, `require`, TypeScript and `await` outside of functions work, also together; so does a script that
 * calls a function at the end and does not wait for it. Rejects with what the script throws, now or in what it began.
 */
export async function runPlain(runtime: Runtime, file: string): Promise<void> {
  const compiler = runtime.loadCompiler();
  const source = readFileSync(file, 'utf8').replace(/^#![^\n]*/, '');
  const marked = collecting(source, file, runtime);
  const { code } = compiler.transformHook(marked, file);
  const wrapped = `(async function (exports, require, module, __filename, __dirname, ${COLLECT}) {${code}\n})`;
  const body = runInThisContext(wrapped, { filename: file }) as Body;
  const module = new Module(file);
  module.filename = file;
  const begun: Promise<unknown>[] = [];
  const kept: unknown[] = [];
  const collect = <V>(value: V, isKept = false): V => {
    if (isKept) kept.push(value);
    else if (isThenable(value)) begun.push(Promise.resolve(value));
    return value;
  };
  // It is the program that was started, as far as it can see.
  const require = Object.assign(createRequire(file), { main: module });
  await body(module.exports, require, module, file, dirname(file), collect);
  // What was begun may begin more.
  for (let seen = 0; seen < begun.length; ) {
    const fresh = begun.slice(seen);
    seen = begun.length;
    await Promise.all(fresh);
  }
  // Who keeps a promise may hear its failure, which is no failure then: to wait for it here would be to hear it.
  while (kept.some(isPending)) await new Promise((resolve) => void later(resolve, LOOK_MS));
}

const isPending = (value: unknown): boolean =>
  isPromise(value) && /^[^{]*\{\s*<pending>/.test(inspect(value, { depth: 0 }));

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** The source with a mark around each call that stands outside of functions, so that its promise is known. */
function collecting(source: string, file: string, runtime: Runtime): string {
  let marked = source;
  for (const { start, end, isKept } of callsOf(source, file, runtime).toReversed()) {
    const call = `${COLLECT}(${marked.slice(start, end)}, ${isKept})`;
    marked = marked.slice(0, start) + call + marked.slice(end);
  }
  return marked;
}

interface Call {
  readonly start: number;
  readonly end: number;
  /** Whether the script has its promise: in a variable, for one. */
  readonly isKept: boolean;
}

function callsOf(source: string, file: string, runtime: Runtime): Call[] {
  let body: readonly SyntaxNode[];
  try {
    body = runtime.loadParser().babelParse(source, file, false).program.body;
  } catch {
    // What is wrong with it is told when it is compiled.
    return [];
  }
  return body.flatMap((statement) => {
    if (statement.type === 'ExpressionStatement') return callOf(statement.expression, false);
    if (statement.type !== 'VariableDeclaration') return [];
    const declared = statement.declarations as readonly SyntaxNode[];
    return declared.flatMap(({ init }) => callOf(init, true));
  });
}

function callOf(expression: unknown, isKept: boolean): Call[] {
  const node = expression as SyntaxNode | null;
  if (node?.type === 'AssignmentExpression') return callOf(node.right, true);
  if (node?.type === 'UnaryExpression' && node.operator === 'void') return callOf(node.argument, isKept);
  if (node?.type !== 'CallExpression') return [];
  const callee = node.callee as SyntaxNode;
  const { start, end } = node;
  return callee.type === 'Identifier' && callee.name === 'require' ? [] : [{ start, end, isKept }];
}
