/** Defines how sonde reads a command line from a shell's completion script, and formats the answer for it. */
import type { Completion, CompletionLine } from './completion.ts';

export interface ShellLine {
  readonly line: CompletionLine;
  /** Whether the word at the cursor is a file for the shell: after `>`. */
  readonly isFile?: boolean;
  /** Formats the answer for the script; the words are sorted. */
  format(completion: Completion): string;
}

/** Reads the arguments of a shell's script. */
export type ReadShellLine = (argv: readonly string[]) => ShellLine;

/** Reads a line from its words: the index of the word at the cursor, then all words; that word ends at the cursor. */
export function lineFromWords([index = '0', ...words]: readonly string[]): CompletionLine {
  const at = Number(index);
  return { before: words.slice(0, at), current: words[at] ?? '', after: words.slice(at + 1) };
}

/** Formats the first line of an answer: its kind, and options for the script. */
export const formatHead = ({ kind, isOpen, isOrdered }: Completion): string =>
  [kind, ...(isOpen ? ['nospace'] : []), ...(isOrdered ? ['nosort'] : [])].join(' ');

/** Joins lines; the script splits them again. */
export const joinLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

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
