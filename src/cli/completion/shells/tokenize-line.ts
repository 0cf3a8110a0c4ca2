/** Splits a command line into words as the shell does, as far as completion needs it. */

export interface Token {
  /** The word that the program would get. */
  readonly value: string;
  /** The word as the user typed it. */
  readonly raw: string;
  /** The quotation mark that is still open at the end. */
  readonly open: string;
  /** The value before the part that the shell replaces, which begins after the last break or quotation mark. */
  readonly head: string;
}

export interface Dialect {
  /** The escape character: `\`, in PowerShell a backtick. */
  readonly escapes: string;
  /** Characters that it escapes in double quotation marks; undefined: all. */
  readonly escaped?: string;
  /** Whether a doubled quotation mark escapes itself. */
  readonly doubles?: true;
  /** Characters at which the shell splits words for completion only. */
  readonly breaks?: string;
}

/** Splits a line into words; the last word is empty if the line ends with a space. Redirections are separate words. */
export function tokenizeLine(
  line: string,
  { escapes, escaped, doubles, breaks = '' }: Dialect,
): readonly Token[] {
  const tokens: Token[] = [];
  let [value, raw, open, head] = ['', '', '', ''];
  let isWord = false;
  const push = (): void => {
    tokens.push({ value, raw, open, head });
    [value, raw, open, head, isWord] = ['', '', '', '', false];
  };
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? '';
    const next = line[at + 1];
    if (open === '' && /\s/.test(letter)) {
      if (isWord) push();
      continue;
    }
    isWord = true;
    raw += letter;
    if (letter === escapes && open !== "'" && next !== undefined) {
      const isLiteral = open === '"' && escaped !== undefined && !escaped.includes(next);
      value += isLiteral ? letter + next : next;
      raw += next;
      at++;
    } else if (open !== '') {
      if (letter !== open) value += letter;
      else if (doubles && next === open) {
        value += letter;
        raw += next;
        at++;
      } else {
        open = '';
        head = value;
      }
    } else if (letter === "'" || letter === '"') {
      open = letter;
      head = value;
    } else {
      value += letter;
      if (breaks.includes(letter)) head = value;
    }
  }
  push();
  return tokens;
}
