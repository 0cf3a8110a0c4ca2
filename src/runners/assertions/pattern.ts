/** Searches texts for regular expressions that users wrote, in time that grows with the length of the text alone where possible. */
import { RE2JS } from 're2js';
import { runWithinLimit } from './watchdog.ts';

/** Matches of a text, each with its groups: the whole match first. */
export type Search = (text: string) => Iterable<readonly (string | undefined)[]>;

/**
 * Compiles an expression. `^` and `$` stand for the ends of lines. RE2 evaluates it, which never backtracks. Lookaround and
 * backreferences, which RE2 lacks, are left to JavaScript's engine, under a limit of time. Throws SyntaxError where it is invalid.
 */
export function compileSearch(pattern: string): Search {
  const fallback = new RegExp(pattern, 'gm');
  const linear = compileLinearSearch(pattern);
  return linear ?? ((text) => runWithinLimit(() => [...text.matchAll(fallback)]));
}

function compileLinearSearch(pattern: string): Search | undefined {
  const expression = compileRe2(pattern, RE2JS.MULTILINE);
  if (expression === undefined) return undefined;
  // To RE2 only \n ends a line; JavaScript knows \r as well.
  const seesReturns = /\\[rRsSwWx]|\[\^/.test(pattern);
  return function* search(text) {
    const matcher = expression.matcher(seesReturns ? text : text.replaceAll('\r\n', '\n'));
    while (matcher.find())
      yield Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
  };
}

/** Undefined for a pattern that RE2 does not know. */
function compileRe2(pattern: string, flags: number): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, flags);
  } catch {
    return undefined;
  }
}

/** Whether a text, or a part of it, matches an I-Regexp (RFC 9485); an invalid one matches nothing. */
export function matchesIRegexp(text: string, pattern: string, isWhole: boolean): boolean {
  const expression = compileRe2(pattern, 0);
  return expression !== undefined && (isWhole ? expression.testExact(text) : expression.test(text));
}
