/** Changes the source of a plain script, so that unawaited calls, `import()` and `import.meta` work in a function. */
import type { Runtime, SyntaxNode } from './locate-playwright.ts';

/** Names that are unlikely to occur in a script. */
export const NAMES = { collect: '__sondeBegun', import: '__sondeImport', meta: '__sondeImportMeta' } as const;
/** An `import` that is not a declaration. */
const IMPORT_EXPRESSION = /\bimport\b(?!\s*[\w$*{'"])/;

export interface Instrumented {
  readonly code: string;
  /** False if no statement of the script does anything, for example because all of them are comments. */
  readonly doesAnything: boolean;
}

/** Returns code in which calls at the top level, `import()` and `import.meta` use the functions in `NAMES`. */
export function instrument(source: string, file: string, runtime: Runtime): Instrumented {
  const parser = runtime.loadParser();
  let ast: ReturnType<typeof parser.babelParse>;
  try {
    ast = parser.babelParse(source, file, false);
  } catch {
    // The compiler reports syntax errors later.
    return { code: source, doesAnything: true };
  }
  const { body } = ast.program;
  const edits = body.flatMap(findCalls).flatMap(({ start, end, isStored }): readonly Edit[] => [
    { start, end: start, text: `${NAMES.collect}(` },
    { start: end, end, text: `, ${isStored})` },
  ]);
  // The parser refuses visitors that return a value.
  const replace = ({ start, end }: SyntaxNode, text: string) => void edits.push({ start, end, text });
  if (IMPORT_EXPRESSION.test(source))
    parser.traverse(ast, {
      Import: ({ node }) => replace(node, NAMES.import),
      MetaProperty: ({ node }) => {
        if ((node.meta as SyntaxNode).name === 'import') replace(node, NAMES.meta);
      },
    });
  return { code: applyEdits(source, edits), doesAnything: body.some(doesSomething) };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits from the end. Text that an edit inserts comes before a replacement at the same position. */
function applyEdits(source: string, edits: readonly Edit[]): string {
  let code = source;
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start || b.end - a.end))
    code = code.slice(0, start) + text + code.slice(end);
  return code;
}

interface Call {
  readonly start: number;
  readonly end: number;
  readonly isStored: boolean;
}

function findCalls(statement: SyntaxNode): Call[] {
  if (statement.type === 'ExpressionStatement') return findCall(statement.expression, false);
  if (statement.type !== 'VariableDeclaration') return [];
  const declared = statement.declarations as readonly SyntaxNode[];
  return declared.flatMap(({ init }) => findCall(init, true));
}

function findCall(expression: unknown, isKept: boolean): Call[] {
  const node = expression as SyntaxNode | null;
  if (node?.type === 'AssignmentExpression') return findCall(node.right, true);
  if (node?.type === 'UnaryExpression' && node.operator === 'void') return findCall(node.argument, isKept);
  if (node?.type !== 'CallExpression' || isRequire(node)) return [];
  const { start, end } = node;
  return [{ start, end, isStored: isKept }];
}

function isRequire({ type, callee }: SyntaxNode): boolean {
  const { type: calleeType, name } = (callee ?? {}) as SyntaxNode;
  return type === 'CallExpression' && calleeType === 'Identifier' && name === 'require';
}

/** Declarations that have no effect until other code uses them. */
const DECLARATIONS =
  /^(?:Import|ExportAll|Function|Class|TS\w*)Declaration$|^TSEnumDeclaration$|^EmptyStatement$/;

/** Returns whether a statement at the top level does more than declare. */
function doesSomething(statement: SyntaxNode): boolean {
  const { type, source, specifiers } = statement;
  if (type === 'ImportDeclaration')
    return (
      (specifiers as readonly SyntaxNode[]).length === 0 &&
      String((source as SyntaxNode).value).startsWith('.')
    );
  if (type === 'ExportNamedDeclaration' || type === 'ExportDefaultDeclaration') {
    const declaration = statement.declaration as SyntaxNode | null;
    return declaration !== null && doesSomething(declaration);
  }
  if (type === 'VariableDeclaration')
    return (statement.declarations as readonly SyntaxNode[]).some(({ init }) => computes(init));
  return !DECLARATIONS.test(type);
}

const FUNCTIONS = /^(?:Function|ArrowFunction|Class)Expression$/;
const COMPUTATIONS = /^(?:Call|New|Await|TaggedTemplate|Assignment|Yield|OptionalCall)Expression$/;

/** Returns whether an expression does more than name a value or load a module. */
function computes(expression: unknown): boolean {
  if (Array.isArray(expression)) return expression.some(computes);
  if (typeof expression !== 'object' || expression === null) return false;
  const node = expression as SyntaxNode;
  if (FUNCTIONS.test(node.type)) return false;
  if (isRequire(node)) return false;
  if (node.type === 'AwaitExpression') {
    const { type, callee } = node.argument as SyntaxNode;
    if (type === 'CallExpression' && (callee as SyntaxNode).type === 'Import') return false;
  }
  return COMPUTATIONS.test(node.type) || Object.values(node).some(computes);
}
