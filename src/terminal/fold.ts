/** Breaks a text into lines of so many columns: between words where that can be, between letters where it must. */

export interface FoldOptions {
  readonly width: (text: string) => number;
  /** What may not be torn apart: letters with their marks, emoji with all that belongs to them. */
  readonly letters: (text: string) => Iterable<string>;
  /** Whether a word of ASCII that is longer than a line is broken, too; else it stays whole, so that it can be copied. */
  readonly breaksAll: boolean;
}

/** Words of no other letters are addresses, ids and paths where they are long; others may be a whole sentence. */
const ASCII = /^[!-~]*$/;

/** The lines of a text. Lines that it has already stay apart, blanks at their beginning stay, those at their end go. */
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

/** Begins on the line that is begun: a text without blanks leaves no hole there. */
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
