/** Finds what can be flipped in a source file, and writes the file with a switch at each place. */
import ts from 'typescript';

export interface Mutant {
  readonly id: string;
  /** Line, from 1. */
  readonly line: number;
  readonly original: string;
  readonly mutated: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&' },
  ...{ '+': '-', '-': '+' },
};
const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** Returns the other text of an expression; undefined if nothing of it can be flipped. */
function flip(node: ts.Node, source: ts.SourceFile): string | undefined {
  const text = (part: ts.Node): string => part.getText(source);
  if (ts.isBinaryExpression(node)) {
    const operator = OPERATORS[text(node.operatorToken)];
    if (operator === undefined || (operator === '-' && isText(node))) return undefined;
    return `${text(node.left)} ${operator} ${text(node.right)}`;
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return text(node.operand);
  if (
    ts.isNumericLiteral(node) &&
    !ts.isLiteralTypeNode(node.parent) &&
    !ts.isPropertyAssignment(node.parent)
  )
    return `${text(node)} + 1`;
  if (node.kind === ts.SyntaxKind.TrueKeyword && !ts.isLiteralTypeNode(node.parent)) return 'false';
  if (node.kind === ts.SyntaxKind.FalseKeyword && !ts.isLiteralTypeNode(node.parent)) return 'true';
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: receiver, name } = node.expression;
  if (name.text === 'slice') return text(receiver);
  const other = METHODS.get(name.text);
  return other && `${text(receiver)}.${other}(${node.arguments.map(text).join(', ')})`;
}

const isText = ({ left, right }: ts.BinaryExpression): boolean =>
  [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));

/** Code at the top of a module runs once, before any switch. */
function isInFunction(node: ts.Node): boolean {
  for (let up = node.parent; up; up = up.parent) if (ts.isFunctionLike(up)) return true;
  return false;
}

/** Conditions after which a function returns or throws early. */
function isGuard(node: ts.Node): boolean {
  if (!ts.isIfStatement(node.parent) || node.parent.expression !== node) return false;
  const { thenStatement } = node.parent;
  const first = ts.isBlock(thenStatement) ? thenStatement.statements[0] : thenStatement;
  return first !== undefined && (ts.isReturnStatement(first) || ts.isThrowStatement(first));
}

/** Returns the code in which `globalThis.sondeMutant(id)` chooses between the original and the mutant, and the mutants. */
export function instrument(file: string, code: string) {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
  const mutants: Mutant[] = [];
  const note = (node: ts.Node, mutated: string): string => {
    const id = `${file}:${mutants.length}`;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    mutants.push({ id, line, original: node.getText(source), mutated });
    return id;
  };
  function write(node: ts.Node): string {
    if (ts.isTypeNode(node)) return node.getFullText(source);
    let text = '';
    let at = node.pos;
    const flipped = isInFunction(node) ? flip(node, source) : undefined;
    const id = flipped === undefined ? undefined : note(node, flipped);
    const guard = isInFunction(node) && isGuard(node) ? note(node, 'false') : undefined;
    node.forEachChild((child) => {
      text += code.slice(at, child.pos) + write(child);
      at = child.end;
    });
    text += code.slice(at, node.end);
    if (id !== undefined) text = `(globalThis.sondeMutant('${id}') ? (${flipped}) : (${text}))`;
    return guard === undefined ? text : `(!globalThis.sondeMutant('${guard}') && (${text}))`;
  }
  return { code: write(source), mutants };
}
