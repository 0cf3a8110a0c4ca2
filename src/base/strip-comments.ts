/** Removes comments from code. Pure. */

/** Start of a comment, and the character before it. */
const COMMENT = /(^|[\s;{}(),])(\/[/*])/gm;

/**
 * Removes comments approximately, because imports in comments do not count. `//` in a URL and `/*` in a pattern start
 * no comment. Reads each character once.
 */
export function stripComments(code: string): string {
  let remaining = '';
  let at = 0;
  const lastBlockEnd = code.lastIndexOf('*/');
  for (const { 1: before = '', 2: mark, index } of code.matchAll(COMMENT)) {
    const start = index + before.length;
    // Skip a start within a removed comment, and a block without an end.
    if (index < at || (mark === '/*' && lastBlockEnd < start + 2)) continue;
    const end = code.indexOf(mark === '//' ? '\n' : '*/', start + 2);
    remaining += code.slice(at, start);
    at = end < 0 ? code.length : mark === '//' ? end : end + 2;
  }
  return remaining + code.slice(at);
}
