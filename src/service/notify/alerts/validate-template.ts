/** Validates the parsed template of a webhook body: only known variables, #if, #unless and #each are supported. */
import { didYouMean, findNearest } from '../../../base/suggest.ts';

/** Variables of templates. */
export const VARIABLES = [
  'ALERT_TITLE',
  'ALERT_TYPE',
  'CHECK_ID',
  'CHECK_NAME',
  'CHECK_TYPE',
  'CHECK_RESULT_ID',
  'CHECK_SESSION_ID',
  'CHECK_ERROR_MESSAGE',
  'GROUP_NAME',
  'RUN_LOCATION',
  'RESPONSE_TIME',
  'RESULT_LINK',
  'STARTED_AT',
  'SENT_AT',
  'SINCE',
  'TAGS',
] as const;

export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

/** @throws TemplateError with the position, the rule and the fix */
export function validateTemplate(program: hbs.AST.Program): void {
  validateStatements(program.body, { depth: 0 });
}

/** Number of `each` blocks around a statement. */
interface Scope {
  readonly depth: number;
}

function validateStatements(statements: readonly hbs.AST.Statement[], scope: Scope): void {
  for (const statement of statements) validateStatement(statement, scope);
}

function formatPosition({ loc }: hbs.AST.Node): string {
  return `line ${loc.start.line}, column ${loc.start.column + 1}`;
}

const SUPPORTED = 'use variables, #if, #unless and #each';

function validateStatement(statement: hbs.AST.Statement, scope: Scope): void {
  switch (statement.type) {
    case 'ContentStatement':
    case 'CommentStatement':
      return;
    case 'MustacheStatement': {
      const { path, params, hash } = statement as hbs.AST.MustacheStatement;
      if (params.length > 0 || hash !== undefined) {
        throw new TemplateError(`${formatPosition(statement)}: helpers are not supported: ${SUPPORTED}`);
      }
      validatePath(path, scope);
      return;
    }
    case 'BlockStatement': {
      const block = statement as hbs.AST.BlockStatement;
      const { original: name } = block.path;
      const [param, ...more] = block.params;
      if (!['if', 'unless', 'each'].includes(name) || param === undefined || more.length > 0 || block.hash) {
        throw new TemplateError(
          `${formatPosition(statement)}: {{#${name}}} is not supported: ${SUPPORTED}, each with one variable`,
        );
      }
      validatePath(param, scope);
      const isEach = name === 'each';
      if (isEach && scope.depth > 0)
        throw new TemplateError(`${formatPosition(statement)}: #each blocks cannot be nested`);
      validateStatements(block.program?.body ?? [], { depth: scope.depth + (isEach ? 1 : 0) });
      validateStatements(block.inverse?.body ?? [], scope);
      return;
    }
    default:
      throw new TemplateError(
        `${formatPosition(statement)}: partials and decorators are not supported: ${SUPPORTED}`,
      );
  }
}

function validatePath(expression: hbs.AST.Expression, { depth }: Scope): void {
  if (expression.type !== 'PathExpression') {
    throw new TemplateError(`${formatPosition(expression)}: must be a variable: ${VARIABLES.join(', ')}`);
  }
  const { original } = expression as hbs.AST.PathExpression;
  if (depth > 0 && ['this', '.', '@index', '@first', '@last'].includes(original)) return;
  const name = depth > 0 ? original.replace(/^\.\.\//, '') : original;
  if (depth > 0 && name === original) {
    throw new TemplateError(
      `${formatPosition(expression)}: "${original}" is not available inside #each: use this, @index, @first, @last or ../NAME`,
    );
  }
  if ((VARIABLES as readonly string[]).includes(name)) return;
  const suggestion = findNearest(name, VARIABLES);
  const hint =
    suggestion === undefined ? `the variables are ${VARIABLES.join(', ')}` : didYouMean(suggestion);
  throw new TemplateError(`${formatPosition(expression)}: unknown variable "${original}": ${hint}`);
}
