/** Searches text for user-written regular expressions, in linear time where possible. */
import { RE2JS } from 're2js';
import { runWithinLimit } from './watchdog.ts';

/** Returns the matches of a text as arrays of groups, with the whole match first. */
export type Search = (text: string) => Iterable<readonly (string | undefined)[]>;

/**
 * Compiles an expression in which `^` and `$` match at line ends. RE2 evaluates it without backtracking. JavaScript's
 * engine evaluates lookaround and backreferences under a time limit. Throws SyntaxError.
 */
export function compileSearch(pattern: string): Search {
  const fallback = new RegExp(pattern, 'gm');
  const linear = compileLinearSearch(pattern);
  return linear ?? ((text) => runWithinLimit(() => [...text.matchAll(fallback)]));
}

function compileLinearSearch(pattern: string): Search | undefined {
  const expression = compileRe2(pattern, RE2JS.MULTILINE);
  if (expression === undefined) return undefined;
  // In RE2 only \n ends a line; in JavaScript \r does, too.
  const seesReturns = /\\[rRsSwWx]|\[\^/.test(pattern);
  return function* search(text) {
    const matcher = expression.matcher(seesReturns ? text : text.replaceAll('\r\n', '\n'));
    while (matcher.find())
      yield Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
  };
}

/** Returns undefined for a pattern that RE2 does not support. */
function compileRe2(pattern: string, flags: number): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, flags);
  } catch {
    return undefined;
  }
}

/** Returns whether a text, or a part of it, matches an I-Regexp (RFC 9485). An invalid one matches nothing. */
export function matchesIRegexp(text: string, pattern: string, isWhole: boolean): boolean {
  const expression = compileRe2(pattern, 0);
  return expression !== undefined && (isWhole ? expression.testExact(text) : expression.test(text));
}
