/** Validates parsed Handlebars templates: known variables and blocks only. */
import { didYouMean, findNearest } from '../../../base/suggest.ts';

export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

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
  'ALERT_CHANGES',
  'RECENT_RESULTS',
  'SSL_CHECK_DOMAIN',
  'SSL_DAYS_REMAINING',
] as const;

function formatPosition({ loc }: hbs.AST.Node): string {
  return `line ${loc.start.line}, column ${loc.start.column + 1}`;
}

/** Variables that published clients use in their default templates. They have no value here. */
const UNSET_VARIABLES: readonly string[] = [
  'AI_ANALYSIS_CLASSIFICATION',
  'AI_ANALYSIS_CODE_FIX',
  'AI_ANALYSIS_LINK',
  'AI_ANALYSIS_ROOT_CAUSE',
  'AI_ANALYSIS_USER_IMPACT',
];

const SUPPORTED = 'use variables, #if, #unless, #each, #eq and #contains';
const COMPARISONS = ['eq', 'contains'];

/** Accepts known variables and blocks. @throws TemplateError with the position, the rule and the fix */
export function validateStatement(statement: hbs.AST.Statement, isInEach: boolean): void {
  switch (statement.type) {
    case 'ContentStatement':
    case 'CommentStatement':
      return;
    case 'MustacheStatement': {
      const { path, params, hash } = statement as hbs.AST.MustacheStatement;
      if (params.length > 0 || hash !== undefined) {
        throw new TemplateError(`${formatPosition(statement)}: helpers are not supported: ${SUPPORTED}`);
      }
      validatePath(path, isInEach);
      return;
    }
    case 'BlockStatement': {
      const block = statement as hbs.AST.BlockStatement;
      const { original: name } = block.path;
      const [param, ...more] = block.params;
      const compares = COMPARISONS.includes(name);
      const isComplete = compares
        ? more.length === 1 && more[0]?.type === 'StringLiteral'
        : ['if', 'unless', 'each'].includes(name) && more.length === 0;
      if (!isComplete || param === undefined || block.hash) {
        throw new TemplateError(
          `${formatPosition(statement)}: {{#${name}}} is not supported: ${SUPPORTED}, each with one variable, #eq and #contains also with a text in quotes`,
        );
      }
      validatePath(param, isInEach);
      const isEach = name === 'each';
      if (isEach && isInEach)
        throw new TemplateError(`${formatPosition(statement)}: #each blocks cannot be nested`);
      for (const inner of block.program?.body ?? []) validateStatement(inner, isInEach || isEach);
      for (const inner of block.inverse?.body ?? []) validateStatement(inner, isInEach);
      return;
    }
    default:
      throw new TemplateError(
        `${formatPosition(statement)}: partials and decorators are not supported: ${SUPPORTED}`,
      );
  }
}

function validatePath(expression: hbs.AST.Expression, isInEach: boolean): void {
  if (expression.type !== 'PathExpression') {
    throw new TemplateError(`${formatPosition(expression)}: must be a variable: ${VARIABLES.join(', ')}`);
  }
  const { original } = expression as hbs.AST.PathExpression;
  if (isInEach && ['this', '.', '@index', '@first', '@last'].includes(original)) return;
  const name = isInEach ? original.replace(/^\.\.\//, '') : original;
  if (isInEach && name === original) {
    throw new TemplateError(
      `${formatPosition(expression)}: "${original}" is not available inside #each: use this, @index, @first, @last or ../NAME`,
    );
  }
  if ([...VARIABLES, ...UNSET_VARIABLES].includes(name)) return;
  const suggestion = findNearest(name, VARIABLES);
  const hint =
    suggestion === undefined ? `the variables are ${VARIABLES.join(', ')}` : didYouMean(suggestion);
  throw new TemplateError(`${formatPosition(expression)}: unknown variable "${original}": ${hint}`);
}
