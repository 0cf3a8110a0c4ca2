/** Parses the errors of jq about an expression, with position and excerpt. Lazy-loaded for invalid expressions. */
import type { Problem } from '../../base/errors.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { findNearest } from '../../base/suggest.ts';
import { measureFor } from '../measure.ts';

const POSITION = / at <top-level>, line (\d+), column (\d+):$/;

interface JqContext {
  /** The number of bytes before the expression. */
  readonly lead: number;
  /** Returns the names of the builtin functions. */
  readonly builtins: () => readonly string[];
}

/** Parses the errors of jq, each with its position. Lines and columns count from 1, in characters. */
export async function parseJqErrors(
  stderr: string,
  expression: string,
  context: JqContext,
): Promise<readonly Problem[]> {
  const lines = stderr.split('\n');
  const problems: Promise<Problem>[] = [];
  for (const [index, text] of lines.entries()) {
    if (!text.startsWith('jq: error: ')) continue;
    const position = POSITION.exec(text);
    const message = text.slice('jq: error: '.length).replace(POSITION, '');
    if (position) {
      const line = Number(position[1]);
      const bytes = Number(position[2]) - (line === 1 ? context.lead : 0);
      const length = lines[index + 2]?.match(/\^/g)?.length ?? 1;
      problems.push(createProblem(message, expression, { line, bytes, length }, context));
    } else {
      problems.push(Promise.resolve({ place: '--jq', message: `is not a valid jq expression: ${message}` }));
    }
  }
  return Promise.all(problems);
}

interface Position {
  readonly line: number;
  /** From 1; jq counts bytes. */
  readonly bytes: number;
  readonly length: number;
}

async function createProblem(
  message: string,
  expression: string,
  { line, bytes, length }: Position,
  { builtins }: JqContext,
): Promise<Problem> {
  const lines = expression.split('\n');
  const source = Buffer.from(lines[line - 1] ?? '');
  const cut = (from: number, to?: number) => source.subarray(from, to).toString();
  const [before, marked, after] = [
    cut(0, bytes - 1),
    cut(bytes - 1, bytes - 1 + length),
    cut(bytes - 1 + length),
  ];
  const column = [...before].length + 1;
  const where = lines.length > 1 ? `line ${line}, column ${column}` : `column ${column}`;
  const suggestion = suggestFunction(message, builtins);
  return {
    place: '--jq',
    message: `is not a valid jq expression: ${simplifyMessage(message, marked)} at ${where}`,
    line,
    column,
    excerpt: await formatExcerpt(before, marked, after),
    ...(suggestion === undefined ? {} : { nearest: suggestion }),
  };
}

/** Replaces the token names of the jq parser in a message with the text of the expression. */
function simplifyMessage(message: string, marked: string): string {
  if (/unexpected end of file, expecting QQSTRING/.test(message)) return 'unterminated string';
  return message
    .replace('syntax error, ', '')
    .replace('unexpected end of file', 'unexpected end')
    .replace(/unexpected [A-Z_]+/, () => `unexpected ${JSON.stringify(marked)}`)
    .replace(/, expecting (?:end of file|.*[A-Z]{3}.*)$/, '');
}

/** Returns the jq function with the most similar name, if any. */
function suggestFunction(message: string, builtins: JqContext['builtins']): string | undefined {
  const name = /^([a-z]\w*)\/\d+ is not defined/i.exec(message)?.[1];
  // Any name of three letters is similar to any other.
  if (name === undefined || name.length <= 3) return undefined;
  return findNearest(name, builtins());
}

/** Formats the line with a mark under the position; a long line is cut on both sides. */
async function formatExcerpt(
  ...parts: readonly [before: string, marked: string, after: string]
): Promise<string> {
  const [before, marked, after] = parts.map((part) => [...sanitizeLine(part)]) as [
    string[],
    string[],
    string[],
  ];
  const start = before.length > 45 ? ['…', ...before.slice(-40)] : before;
  const middle = marked.slice(0, 20);
  const rest = [...marked.slice(20), ...after];
  const end = rest.length > 25 ? [...rest.slice(0, 20), '…'] : rest;
  const { width } = await measureFor([...start, ...middle]);
  const under = ' '.repeat(width(start.join(''))) + '^'.repeat(Math.max(1, width(middle.join(''))));
  return `${[...start, ...middle, ...end].join('')}\n${under}`;
}
