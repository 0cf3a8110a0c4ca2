/** What an answer about a session must be before its body is looked at: a 200 that reads the same to everybody. */
import { NetworkError } from '../../base/errors.ts';

/** An answer of the client, as far as it matters here. */
export interface SessionAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The body as it came. */
  readonly text: string;
}

/**
 * The body of a 200. Throws NetworkError for any other success (something in between may have cut, changed or made it up)
 * and for an object that names a field twice: which of two statuses counts is nobody's to guess.
 */
export function usableBody({ status, body, text }: SessionAnswer): unknown {
  if (status !== 200) throw new NetworkError(`the answer is a ${status} and not a 200`, { status });
  const twice = nameGivenTwice(text);
  if (twice !== undefined) throw new NetworkError(`the answer names ${twice} twice`, { status });
  return body;
}

/** A name that stands twice in the object that a JSON text is, not looking into what it holds. */
function nameGivenTwice(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let last = '';
  for (const [token] of json.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token !== ':') last = token;
    else if (depth === 1) {
      const name = JSON.parse(last) as string;
      if (seen.has(name)) return name;
      seen.add(name);
    }
  }
  return undefined;
}
