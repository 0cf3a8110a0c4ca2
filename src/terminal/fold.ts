/** Wraps a text to a number of columns, between words if possible, else between letters. */

export interface FoldOptions {
  readonly width: (text: string) => number;
  /** Splits a text into graphemes, which are never broken. */
  readonly letters: (text: string) => Iterable<string>;
  /** Whether an ASCII word longer than a line is broken; else it stays whole, so that it can be copied. */
  readonly breaksAll: boolean;
}

/** A long ASCII word is an address, ID or path; in other scripts it may be a whole sentence. */
const ASCII = /^[!-~]*$/;

/**
 * Returns the wrapped lines of a text. It preserves existing line breaks and leading blanks, and removes trailing
 * blanks.
 */
export function fold(text: string, columns: number, options: FoldOptions): readonly string[] {
  return text.split('\n').flatMap((line) => foldLine(line.trimEnd(), Math.max(1, columns), options));
}

function foldLine(line: string, columns: number, options: FoldOptions): readonly string[] {
  const { width } = options;
  if (width(line) <= columns) return [line];
  const lines: string[] = [];
  let [current = ''] = /^ */.exec(line) ?? [];
  if (current.length >= columns) current = '';
  let isBlank = true;
  for (const word of line.split(' ').filter((each) => each !== '')) {
    const longer = isBlank ? current + word : `${current} ${word}`;
    if (width(longer) <= columns) {
      current = longer;
    } else if (width(word) <= columns || (ASCII.test(word) && !options.breaksAll)) {
      if (!isBlank) lines.push(current);
      current = word;
    } else {
      const broken = breakWord(isBlank ? current : `${current} `, word, columns, options);
      lines.push(...broken.slice(0, -1));
      current = broken.at(-1) ?? '';
    }
    isBlank = false;
  }
  return [...lines, current];
}

/** Breaks a word, starting on the current line, so that a text without blanks leaves no gap there. */
function breakWord(begun: string, word: string, columns: number, options: FoldOptions): readonly string[] {
  const { width, letters } = options;
  const lines: string[] = [];
  let current = begun;
  let used = width(current);
  for (const letter of letters(word)) {
    const more = width(letter);
    if (used + more > columns && used > 0) {
      lines.push(current.trimEnd());
      current = '';
      used = 0;
    }
    current += letter;
    used += more;
  }
  return [...lines.filter((each) => each !== ''), current];
}
