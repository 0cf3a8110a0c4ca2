/** Converts regular expressions of Go to those of assertions, in which `^` and `$` match at line ends and flags do not exist. */

const TOKEN = /\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|\(\?P<\w+>|[\s\S]/g;
/** Before any pattern sees the text, because an unclosed class is searched to the end. */
const MAX_LENGTH = 1000;
const FLAGS = /^\(\?([ims]+)\)/;
const RANGE = /([a-z])-([a-z])|([A-Z])-([A-Z])/g;

/** Returns a class of characters that also has the other case. */
const bothCases = (text: string): string =>
  text.replace(RANGE, (range) => `${range.toLowerCase()}${range.toUpperCase()}`);

/** `isLine`: the text is one line of the searched text, so that its ends are line ends. Undefined: not supported. */
export function fromGoPattern(pattern: string, isLine = false): string | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  const flags = pattern.match(FLAGS)?.[1] ?? '';
  const [ignoresCase, matchesLines] = [flags.includes('i'), flags.includes('m') || isLine];
  const converted = (pattern.replace(FLAGS, '').match(TOKEN) ?? []).map((token) => {
    if (token.startsWith('(?P<')) return '(';
    if (token.startsWith('[') && token.length > 1) {
      if (!ignoresCase) return token;
      const [, start = '', inside = ''] = token.match(/^(\[\^?)([\s\S]*)\]$/) ?? [];
      return `${start}${addCases(bothCases(inside))}]`;
    }
    if (token.length > 1) return token;
    if (token === '.' && flags.includes('s')) return '[\\s\\S]';
    if (token === '^' && !matchesLines) return '\\A';
    if (token === '$' && !matchesLines) return '\\z';
    return ignoresCase && /[A-Za-z]/.test(token) ? `[${token.toLowerCase()}${token.toUpperCase()}]` : token;
  });
  const result = converted.join('');
  // Flags within the expression, and syntax that JavaScript does not have.
  if (/\(\?[A-Za-z-]+[:)]|\\[QC]|\[:[a-z]+:\]/.test(result) || result.length > MAX_LENGTH) return undefined;
  try {
    new RegExp(result, 'gm');
    return result;
  } catch {
    return undefined;
  }
}

/** Adds the other case of the single letters of a class, which are not part of a range or an escape. */
const addCases = (inside: string): string =>
  inside.replace(/\\.|[A-Za-z]-[A-Za-z]|[A-Za-z]/g, (part) =>
    part.length > 1 ? part : `${part.toLowerCase()}${part.toUpperCase()}`,
  );
