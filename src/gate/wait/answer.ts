/** What an answer about a session must be before its body is looked at: a 200 that reads the same to everybody. */
import { NetworkError } from '../../base/errors.ts';
import { shortName } from '../text.ts';

/** An answer of the client, as far as it matters here. */
export interface SessionAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The body as it came. */
  readonly text: string;
}

/** A session is a few levels deep. What is far deeper could not even be printed again: whoever sends that is not the API. */
const MOST_LEVELS = 200;

/**
 * The body of a 200. Throws NetworkError for any other success (something in between may have cut, changed or made it up),
 * for an object that names a field twice (which of two statuses counts is nobody's to guess), and for one without bottom.
 */
export function usableBody({ status, body, text }: SessionAnswer): unknown {
  if (status !== 200) throw new NetworkError(`the response has status ${status} instead of 200`, { status });
  const wrong = oddity(text);
  if (wrong !== undefined) throw new NetworkError(`the response ${wrong}`, { status });
  return body;
}

/** What is wrong with the object that a JSON text is: a name that it has twice, or how deep it goes. */
function oddity(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let last: readonly [number, number] = [0, 0];
  // From mark to mark; a text of any length is passed over at once.
  const marks = /["{}[\]:]/g;
  for (let mark = marks.exec(json); mark; mark = marks.exec(json)) {
    const [token] = mark;
    if (token === '"') {
      marks.lastIndex = endOfText(json, mark.index);
      last = [mark.index, marks.lastIndex];
    } else if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1) {
      const name = JSON.parse(json.slice(...last)) as string;
      if (seen.has(name)) return `names ${shortName(name)} twice`;
      seen.add(name);
    }
    if (depth > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
  }
  return undefined;
}

/** Behind the quotation mark that ends the text which begins here. */
function endOfText(json: string, start: number): number {
  const ends = /["\\]/g;
  ends.lastIndex = start + 1;
  for (let end = ends.exec(json); end; end = ends.exec(json)) {
    if (end[0] === '"') return ends.lastIndex;
    ends.lastIndex += 1;
  }
  return json.length;
}
