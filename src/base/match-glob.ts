/** Matches names with globs in time proportional to both lengths: patterns come from requests. */

type Part = '*' | ((character: string) => boolean);

/** `*`, `?`, a set such as `[a-f]` or `[!0-9]` of at most 100 characters, or a character. */
const PARTS = /\*+|\?|\[(!|\^)?(\]?[^\]]{0,100})\]|[\s\S]/gu;

function inSet(set: string, character: string): boolean {
  const ranges = set.matchAll(/([\s\S])-([\s\S])|[\s\S]/gu);
  return [...ranges].some(([one, from = one, to = one]) => from <= character && character <= to);
}

function parsePart([text, negation, set]: RegExpExecArray): Part {
  if (text.startsWith('*')) return '*';
  if (text === '?') return () => true;
  if (set !== undefined) return (character) => inSet(set, character) === (negation === undefined);
  return (character) => character === text;
}

/** Returns whether the whole name matches the glob, regardless of case. */
export function matchGlob(glob: string, name: string): boolean {
  const parts = [...glob.toLowerCase().matchAll(PARTS)].map(parsePart);
  const characters = [...name.toLowerCase()];
  let part = 0;
  /** The last `*`, and the first character after those that it stands for. */
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length; ) {
    const current = parts[part];
    if (current === '*') {
      star = part;
      resume = at;
      part += 1;
    } else if (current?.(characters[at] as string)) {
      part += 1;
      at += 1;
    } else if (star === -1) {
      return false;
    } else {
      part = star + 1;
      resume += 1;
      at = resume;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}
