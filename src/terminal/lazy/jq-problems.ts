/** What jq complains of in an expression, in words, with its place and a picture of it; loaded only where it complains. */
import type { Problem } from '../../base/errors.ts';
import { findNearest } from '../../base/suggest.ts';
import { measureFor } from '../measure.ts';
import { sanitizeLine } from '../sanitize.ts';

const PLACE = / at <top-level>, line (\d+), column (\d+):$/;

interface Asked {
  /** How many bytes were put in front of the expression. */
  readonly lead: number;
  /** The names of the functions there are. */
  readonly builtins: () => readonly string[];
}

/** What jq says of an expression, each complaint with its place: lines and columns count from 1, in characters. */
export async function problemsIn(
  stderr: string,
  expression: string,
  asked: Asked,
): Promise<readonly Problem[]> {
  const said = stderr.split('\n');
  const problems: Promise<Problem>[] = [];
  for (const [index, text] of said.entries()) {
    if (!text.startsWith('jq: error: ')) continue;
    const place = PLACE.exec(text);
    const complaint = text.slice('jq: error: '.length).replace(PLACE, '');
    if (place) {
      const line = Number(place[1]);
      const bytes = Number(place[2]) - (line === 1 ? asked.lead : 0);
      const length = said[index + 2]?.match(/\^/g)?.length ?? 1;
      problems.push(problemAt(complaint, expression, { line, bytes, length }, asked));
    } else {
      problems.push(
        Promise.resolve({ place: '--jq', message: `is not a valid jq expression: ${complaint}` }),
      );
    }
  }
  return Promise.all(problems);
}

interface Place {
  readonly line: number;
  /** From 1; jq counts bytes. */
  readonly bytes: number;
  readonly length: number;
}

async function problemAt(
  complaint: string,
  expression: string,
  { line, bytes, length }: Place,
  { builtins }: Asked,
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
  const near = nearestName(complaint, builtins);
  return {
    place: '--jq',
    message: `is not a valid jq expression: ${inWords(complaint, marked)} at ${where}`,
    ...{ line, column, excerpt: await excerptOf(before, marked, after) },
    ...(near === undefined ? {} : { nearest: near }),
  };
}

/** A complaint of the parser without the names that it has for what stands there. */
function inWords(complaint: string, marked: string): string {
  if (/unexpected end of file, expecting QQSTRING/.test(complaint)) return 'unterminated string';
  return complaint
    .replace('syntax error, ', '')
    .replace('unexpected end of file', 'unexpected end')
    .replace(/unexpected [A-Z_]+/, () => `unexpected ${JSON.stringify(marked)}`)
    .replace(/, expecting (?:end of file|.*[A-Z]{3}.*)$/, '');
}

/** The function of jq that was most likely meant, if any is near. */
function nearestName(complaint: string, builtins: Asked['builtins']): string | undefined {
  const name = /^([a-z]\w*)\/\d+ is not defined/i.exec(complaint)?.[1];
  // Of three letters any other three are near.
  if (name === undefined || name.length <= 3) return undefined;
  return findNearest(name, builtins());
}

/** The line with a mark under the place; of a long one what stands around it. */
async function excerptOf(
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
