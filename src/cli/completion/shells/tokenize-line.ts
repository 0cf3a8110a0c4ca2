/** Takes a line of a shell apart as that shell does, so far as it matters to who completes it. */

export interface Token {
  /** What the program would get. */
  readonly value: string;
  /** As it is typed. */
  readonly raw: string;
  /** The quotation mark that is still open at its end. */
  readonly open: string;
  /** Where the part begins that the shell replaces: behind the last character that breaks words for it, or the open mark. */
  readonly from: number;
  /** What that part comes to, and what stands before it. */
  readonly head: string;
}

export interface Dialect {
  /** What takes its meaning from the next character outside of quotation marks: `\`, in PowerShell a backtick. */
  readonly escapes: string;
  /** Characters besides it that lose their meaning to it within double quotation marks; all: undefined. */
  readonly escaped?: string;
  /** Whether a doubled mark within quotation marks stands for itself. */
  readonly doubles?: true;
  /** Characters at which the shell splits words for completion only. */
  readonly breaks?: string;
}

/** The words of a line; the last one is empty where the line ends with a space. Redirections come as words of their own. */
export function tokenizeLine(
  line: string,
  { escapes, escaped, doubles, breaks = '' }: Dialect,
): readonly Token[] {
  const tokens: Token[] = [];
  let [value, raw, open, head] = ['', '', '', ''];
  let [from, isWord] = [0, false];
  const push = (): void => {
    tokens.push({ value, raw, open, from, head });
    [value, raw, open, head, from, isWord] = ['', '', '', '', 0, false];
  };
  const mark = (): void => {
    [from, head] = [raw.length, value];
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
      const isKept = open === '"' && escaped !== undefined && !escaped.includes(next);
      value += isKept ? letter + next : next;
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
        mark();
      }
    } else if (letter === "'" || letter === '"') {
      open = letter;
      mark();
    } else {
      value += letter;
      if (breaks.includes(letter)) mark();
    }
  }
  push();
  return tokens;
}
