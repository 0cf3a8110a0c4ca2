/** Completes a command line: commands, then their flags and arguments, then the values of those. */
import type {
  CompletionReference,
  ReferenceCommand,
  ReferenceFlag,
} from '../framework/completion-reference.ts';
import { resolveCommand } from '../framework/resolve-command.ts';
import { NOUNS } from '../help/nouns.ts';
import { TOPICS } from '../help/topics.ts';
import { completeValue, NOTHING } from './complete-value.ts';
import type { Completion, CompletionLine, CompletionSources, Word } from './shells/completion.ts';

/** Returns the words that match the typed text; ignores case if none matches. Rejects only if a source rejects. */
export async function complete(
  reference: CompletionReference,
  line: CompletionLine,
  sources: CompletionSources,
): Promise<Completion> {
  const all = await allCompletions(reference, line, cursorContextOf(reference, line), sources);
  return { ...all, words: matchingWords(all, line.current) };
}

function matchingWords({ prefix, words }: Completion, current: string): readonly Word[] {
  const typed = current.slice(prefix.length);
  const matches = words.filter(({ value }) => value.startsWith(typed));
  if (matches.length > 0) return matches;
  return words.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

async function allCompletions(
  reference: CompletionReference,
  { current }: CompletionLine,
  cursor: CursorContext,
  sources: CompletionSources,
): Promise<Completion> {
  const { command, flagValue, options, positionals, isEnded } = cursor;
  if (flagValue) {
    const { flag, prefix, value } = flagValue;
    const typed = { prefix, value, taken: options.get(flag.flag) ?? [], options };
    return completeValue(flag.values, typed, sources, flag.flag);
  }
  if (!isEnded && current.startsWith('-') && current !== '-') return completeFlag(cursor, current);
  if (!command) return isEnded ? NOTHING : completeCommand(reference, cursor);
  if (cursor.isForHelp) return NOTHING;
  const { values, variadic } = command.arguments[positionals.length] ?? {
    ...command.arguments.at(-1),
    ...(command.arguments.at(-1)?.variadic ? {} : { values: undefined }),
  };
  const isFull = positionals.length >= command.arguments.length && variadic !== true;
  if ((isFull || current === '-') && !isEnded) return completeFlag(cursor, current);
  const typed = { prefix: '', value: current, taken: positionals, options };
  return completeValue(isFull ? undefined : values, typed, sources, command.name);
}

/** Completes nouns and commands of one word, and topics after `help`; after a noun, its verbs. */
function completeCommand(
  { commands }: CompletionReference,
  { words: [noun, ...more], isForHelp }: CursorContext,
): Completion {
  const toCompletion = (words: readonly Word[]): Completion => ({
    kind: 'words',
    title: 'command',
    prefix: '',
    words,
  });
  if (more.length > 0) return NOTHING;
  if (noun !== undefined) {
    const own = commands.filter(({ name }) => name.startsWith(`${noun} `));
    return toCompletion(
      own.map(({ name, summary }) => ({ value: name.slice(noun.length + 1), description: summary })),
    );
  }
  const extra = isForHelp ? TOPICS : { help: 'Show help for a command or topic' };
  const nouns = new Map<string, string>(Object.entries(extra));
  for (const { name, summary } of commands) {
    const [first = ''] = name.split(' ');
    nouns.set(first, name === first ? summary : (NOUNS[first]?.summary ?? `Commands of ${first}`));
  }
  return toCompletion([...nouns].map(([value, description]) => ({ value, description })));
}

/** Completes the flags that the line can still have. Offers `--no-…` of a switch only after the user types `--no`. */
function completeFlag({ flags, options }: CursorContext, current: string): Completion {
  const words = flags.flatMap((flag): Word[] => {
    if (flag.deprecated || (options.has(flag.flag) && flag.takes !== 'many')) return [];
    return flagForms(flag, current).map((value) => ({ value, description: flag.summary }));
  });
  return { kind: 'words', title: 'option', prefix: '', words };
}

function flagForms({ flag, negative, short }: ReferenceFlag, current: string): string[] {
  if (short !== undefined && current === `-${short}`) return [current];
  const isOff = negative === 'only' || (negative === 'also' && current.startsWith('--no'));
  return [...(negative === 'only' ? [] : [`--${flag}`]), ...(isOff ? [`--no-${flag}`] : [])];
}

export interface CursorContext {
  readonly command: ReferenceCommand | undefined;
  /** Whether the line begins with `help`, so that a topic or command follows. */
  readonly isForHelp: boolean;
  /** The words in the position of the command's name, if they name no command yet. */
  readonly words: readonly string[];
  /** All flags of the command. */
  readonly flags: readonly ReferenceFlag[];
  /** The flags on the rest of the line, with their values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** The arguments before the cursor. */
  readonly positionals: readonly string[];
  /** Whether `--` comes before the cursor, so that no flag follows. */
  readonly isEnded: boolean;
  /** The flag whose value is at the cursor; `prefix`: its name, if both are one word. */
  readonly flagValue?:
    | { readonly flag: ReferenceFlag; readonly prefix: string; readonly value: string }
    | undefined;
}

interface ScannedWords {
  readonly options: Map<string, string[]>;
  readonly positionals: string[];
  isEnded: boolean;
  /** The last flag, if its value is missing. */
  pending: ReferenceFlag | undefined;
}

const names = ({ commands }: CompletionReference): string[] => commands.map(({ name }) => name);

const flagsWithValue = ({ common }: CompletionReference): string[] =>
  common.flatMap(({ flag, takes, short }) =>
    takes === 'nothing' ? [] : [`--${flag}`, ...(short ? [`-${short}`] : [])],
  );

/** Reads the line as the program would, even if it is incomplete. */
export function cursorContextOf(
  reference: CompletionReference,
  { before, current, after }: CompletionLine,
): CursorContext {
  const known = { names: names(reference), flagsWithValue: flagsWithValue(reference) };
  const { name, words, rest } = resolveCommand(before, known);
  const command = reference.commands.find((each) => each.name === name);
  const flags = [...(command?.flags ?? []), ...reference.common];
  const scanned = scan(rest, flags);
  // Flags may also come after the cursor.
  for (const [flag, values] of scan(after, flags).options)
    scanned.options.set(flag, [...(scanned.options.get(flag) ?? []), ...values]);
  return {
    command,
    isForHelp: before.find((word) => !word.startsWith('-')) === 'help',
    words: command ? [] : words,
    flags,
    options: scanned.options,
    positionals: scanned.positionals,
    isEnded: scanned.isEnded,
    flagValue: flagValueAt(current, scanned, flags),
  };
}

function flagValueAt(
  current: string,
  { pending, isEnded }: ScannedWords,
  flags: readonly ReferenceFlag[],
): CursorContext['flagValue'] {
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
  const scanned: ScannedWords = { options: new Map(), positionals: [], isEnded: false, pending: undefined };
  const add = (flag: ReferenceFlag | undefined, value?: string): void => {
    if (!flag) return;
    const values = scanned.options.get(flag.flag) ?? [];
    scanned.options.set(flag.flag, value === undefined ? values : [...values, value]);
    scanned.pending = flag.takes !== 'nothing' && value === undefined ? flag : undefined;
  };
  for (const word of line) {
    if (scanned.pending) add(scanned.pending, word);
    else if (scanned.isEnded || word === '-' || !word.startsWith('-')) scanned.positionals.push(word);
    else if (word === '--') scanned.isEnded = true;
    else if (word.startsWith('--')) {
      const [, name = '', value] = word.match(/^--([^=]*)(?:=([\s\S]*))?$/) ?? [];
      const flag =
        flags.find((each) => each.flag === name) ??
        flags.find(({ flag: own, negative }) => negative !== undefined && `no-${own}` === name);
      add(flag, value);
    } else {
      // Short switches can share a dash; the rest after a letter that takes a value is this value.
      for (let at = 1; at < word.length; at++) {
        const flag = flags.find(({ short }) => short === word[at]);
        const value = word.slice(at + 1);
        const takesRest = flag !== undefined && flag.takes !== 'nothing' && value !== '';
        add(flag, takesRest ? value : undefined);
        if (takesRest) break;
      }
    }
  }
  return scanned;
}
