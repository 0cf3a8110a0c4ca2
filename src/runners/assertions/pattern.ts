/** Searches text for user-written regular expressions, in linear time where possible. */
import { RE2JS } from 're2js';
import { runWithinLimit } from './watchdog.ts';

/** Returns the matches of a text as arrays of groups, with the whole match first. */
export type Search = (text: string) => Iterable<readonly (string | undefined)[]>;

/**
 * Compiles an expression in which `^` and `$` match at line ends. `ignoreCase`: letters match in any case. RE2 evaluates it without backtracking. JavaScript's
 * engine evaluates lookaround and backreferences under a time limit. Throws SyntaxError.
 */
export function compileSearch(pattern: string, ignoreCase = false): Search {
  const fallback = new RegExp(pattern, ignoreCase ? 'gim' : 'gm');
  const linear = compileLinearSearch(pattern, ignoreCase);
  return linear ?? ((text) => runWithinLimit(() => [...text.matchAll(fallback)]));
}

function compileLinearSearch(pattern: string, ignoreCase: boolean): Search | undefined {
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const expression = compileRe2(pattern, flags);
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
export function matchesIRegexp(
  text: string,
  pattern: string,
  { isWhole, ignoreCase }: { readonly isWhole: boolean; readonly ignoreCase: boolean },
): boolean {
  const expression = compileRe2(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return expression !== undefined && (isWhole ? expression.testExact(text) : expression.test(text));
}
