/** Validates a response about a session before its body is read: it must be an unambiguous 200. */
import { NetworkError } from '../../base/errors.ts';
import { shortName } from '../text.ts';

/** The parts of a client response that are validated. */
export interface SessionAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The body as received. */
  readonly text: string;
}

/** A session has a few levels. A body that is far deeper cannot be printed and is not from the API. */
const MAX_DEPTH = 200;

/**
 * Returns the body of a 200. Throws NetworkError for any other success status (a proxy may have changed it), for an object with
 * a repeated field (its status would be ambiguous), and for excessive nesting.
 */
export function usableBody({ status, body, text }: SessionAnswer): unknown {
  if (status !== 200) throw new NetworkError(`the response has status ${status} instead of 200`, { status });
  const problem = findProblem(text);
  if (problem !== undefined) throw new NetworkError(`the response ${problem}`, { status });
  return body;
}

/** Returns why a JSON object is ambiguous or too deep; undefined if it is fine. */
function findProblem(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let last: readonly [number, number] = [0, 0];
  // Jumps from token to token and skips strings of any length at once.
  const marks = /["{}[\]:]/g;
  for (let mark = marks.exec(json); mark; mark = marks.exec(json)) {
    const [token] = mark;
    if (token === '"') {
      marks.lastIndex = endOfString(json, mark.index);
      last = [mark.index, marks.lastIndex];
    } else if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1) {
      const name = JSON.parse(json.slice(...last)) as string;
      if (seen.has(name)) return `names ${shortName(name)} twice`;
      seen.add(name);
    }
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  }
  return undefined;
}

/** Returns the index after the closing quotation mark of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  const ends = /["\\]/g;
  ends.lastIndex = start + 1;
  for (let end = ends.exec(json); end; end = ends.exec(json)) {
    if (end[0] === '"') return ends.lastIndex;
    ends.lastIndex += 1;
  }
  return json.length;
}
