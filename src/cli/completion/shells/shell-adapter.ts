/** What a shell's script says of a line, read; and how that shell wants to be answered. */
import type { Completion, CompletionLine } from '../types.ts';

export interface ShellLine {
  readonly line: CompletionLine;
  /** Whether a file stands at the cursor whatever the program: behind `>`. */
  readonly isFile?: boolean;
  /** What the script reads; the words of it are in order. */
  write(found: Completion): string;
}

/** Reads what the script of a shell hands over. */
export type ReadShellLine = (argv: readonly string[]) => ShellLine;

/** A line that comes as words: the index of the one at the cursor, which is cut there, then all of them. */
export function lineFromWords([index = '0', ...words]: readonly string[]): CompletionLine {
  const at = Number(index);
  return { before: words.slice(0, at), current: words[at] ?? '', after: words.slice(at + 1) };
}

/** The head of every answer: what follows, and what the script is to mind. */
export const formatHead = ({ kind, isOpen, isOrdered }: Completion): string =>
  [kind, ...(isOpen ? ['nospace'] : []), ...(isOrdered ? ['nosort'] : [])].join(' ');

/** Lines for a script that splits them. */
export const joinLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
