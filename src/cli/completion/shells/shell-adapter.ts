/** Defines how sonde reads a command line from a shell's completion script, and formats the answer for it. */
import type { Completion, CompletionLine } from '../types.ts';

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
