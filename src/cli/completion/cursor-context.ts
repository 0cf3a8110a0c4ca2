/** Where in a command line the cursor stands: after which words, in which option, at which argument. */

import type {
  CompletionReference,
  ReferenceCommand,
  ReferenceFlag,
} from '../framework/completion-reference.ts';
import { resolveCommand } from '../framework/resolve-command.ts';
import type { CompletionLine } from './types.ts';

export interface CursorContext {
  /** The command that is named. */
  readonly command: ReferenceCommand | undefined;
  /** Whether the line begins with `help`: what follows is what help is wanted of. */
  readonly isForHelp: boolean;
  /** Where none is named yet: the words that stand where one would. */
  readonly words: readonly string[];
  /** All that may be given here. */
  readonly flags: readonly ReferenceFlag[];
  /** What is given elsewhere on the line, with its values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** The arguments before the cursor. */
  readonly positionals: readonly string[];
  /** Whether `--` stands before: no option follows. */
  readonly isEnded: boolean;
  /** The option whose value stands at the cursor; `prefix`: its name, where both are one word. */
  readonly value?:
    | { readonly flag: ReferenceFlag; readonly prefix: string; readonly value: string }
    | undefined;
}

interface ScannedWords {
  readonly options: Map<string, string[]>;
  readonly positionals: string[];
  isEnded: boolean;
  /** The option that the last word leaves without its value. */
  pending: ReferenceFlag | undefined;
}

const names = ({ commands }: CompletionReference): string[] => commands.map(({ name }) => name);

/** The common options that take a value, as they are typed. */
const flagsWithValue = ({ common }: CompletionReference): string[] =>
  common.flatMap(({ flag, takes, short }) =>
    takes === 'nothing' ? [] : [`--${flag}`, ...(short ? [`-${short}`] : [])],
  );

/** Reads the line as the program would, wherever it breaks off. */
export function cursorContextOf(
  reference: CompletionReference,
  { before, current, after }: CompletionLine,
): CursorContext {
  const known = { names: names(reference), flagsWithValue: flagsWithValue(reference) };
  const { name, words, rest } = resolveCommand(before, known);
  const entry = reference.commands.find((each) => each.name === name);
  const flags = [...(entry?.flags ?? []), ...reference.common];
  const seen = scan(rest, flags);
  const later = scan(after, flags);
  // After the cursor an option may be given, too; the word after an option without its value is taken for one.
  for (const [flag, values] of later.options)
    seen.options.set(flag, [...(seen.options.get(flag) ?? []), ...values]);
  return {
    command: entry,
    isForHelp: before.find((word) => !word.startsWith('-')) === 'help',
    words: entry ? [] : words,
    flags,
    options: seen.options,
    positionals: seen.positionals,
    isEnded: seen.isEnded,
    value: valueAt(current, seen, flags),
  };
}

function valueAt(
  current: string,
  { pending, isEnded }: ScannedWords,
  flags: readonly ReferenceFlag[],
): CursorContext['value'] {
  if (pending) return { flag: pending, prefix: '', value: current };
  if (isEnded) return undefined;
  const long = current.match(/^--([\w-]+)=/);
  const short = long ? null : current.match(/^-([A-Za-z])(?=.)/);
  const flag = flags.find((each) =>
    long ? each.flag === long[1] : short !== null && each.short === short[1],
  );
  if (!flag || flag.takes === 'nothing') return undefined;
  const [prefix] = long ?? short ?? [''];
  return { flag, prefix, value: current.slice(prefix.length) };
}

function scan(line: readonly string[], flags: readonly ReferenceFlag[]): ScannedWords {
  const seen: ScannedWords = { options: new Map(), positionals: [], isEnded: false, pending: undefined };
  const give = (flag: ReferenceFlag | undefined, value?: string): void => {
    if (!flag) return;
    const values = seen.options.get(flag.flag) ?? [];
    seen.options.set(flag.flag, value === undefined ? values : [...values, value]);
    seen.pending = flag.takes !== 'nothing' && value === undefined ? flag : undefined;
  };
  for (const word of line) {
    if (seen.pending) give(seen.pending, word);
    else if (seen.isEnded || word === '-' || !word.startsWith('-')) seen.positionals.push(word);
    else if (word === '--') seen.isEnded = true;
    else if (word.startsWith('--')) {
      const [, name = '', value] = word.match(/^--([^=]*)(?:=([\s\S]*))?$/) ?? [];
      const flag =
        flags.find((each) => each.flag === name) ??
        flags.find(({ flag: own, negative }) => negative !== undefined && `no-${own}` === name);
      give(flag, value);
    } else {
      // Switches of one letter may share a dash; what follows a letter that takes a value is that.
      for (let at = 1; at < word.length; at++) {
        const flag = flags.find(({ short }) => short === word[at]);
        const value = word.slice(at + 1);
        const takesRest = flag !== undefined && flag.takes !== 'nothing' && value !== '';
        give(flag, takesRest ? value : undefined);
        if (takesRest) break;
      }
    }
  }
  return seen;
}
