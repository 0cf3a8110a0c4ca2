/** Completes a command line: commands, then their flags and arguments, then the values of those. */
import type { CompletionReference, ReferenceFlag } from '../framework/completion-reference.ts';
import { NOUNS } from '../help/nouns.ts';
import { TOPICS } from '../help/topics.ts';
import { completeValue, NOTHING } from './complete-value.ts';
import { type CursorContext, cursorContextOf } from './cursor-context.ts';
import type { Completion, CompletionLine, CompletionSources, Word } from './types.ts';

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
