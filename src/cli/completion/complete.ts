/** Ways to go on with a command line: commands, then their options and arguments, then the values of those. */

import type { CompletionReference, ReferenceFlag } from '../framework/completion-reference.ts';
import { NOUNS } from '../help/nouns.ts';
import { TOPICS } from '../help/topics.ts';
import { completeValue, NOTHING } from './complete-value.ts';
import { type CursorContext, cursorContextOf } from './cursor-context.ts';
import type { Completion, CompletionLine, CompletionSources, Word } from './types.ts';

/** Answers what fits what is typed, the case of letters aside where nothing fits as it stands. Never rejects by itself. */
export async function complete(
  reference: CompletionReference,
  question: CompletionLine,
  sources: CompletionSources,
): Promise<Completion> {
  const found = await allCompletions(reference, question, cursorContextOf(reference, question), sources);
  return { ...found, words: matchingWords(found, question.current) };
}

function matchingWords({ prefix, words }: Completion, current: string): readonly Word[] {
  const typed = current.slice(prefix.length);
  const fits = words.filter(({ value }) => value.startsWith(typed));
  if (fits.length > 0) return fits;
  return words.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

async function allCompletions(
  reference: CompletionReference,
  { current }: CompletionLine,
  place: CursorContext,
  sources: CompletionSources,
): Promise<Completion> {
  const { command: entry, value: expected, options: given, positionals, isEnded } = place;
  if (expected) {
    const { flag, prefix, value } = expected;
    const typed = { prefix, value, taken: given.get(flag.flag) ?? [], options: given };
    return completeValue(flag.values, typed, sources, flag.flag);
  }
  if (!isEnded && current.startsWith('-') && current !== '-') return completeFlag(place, current);
  if (!entry) return isEnded ? NOTHING : completeCommand(reference, place);
  if (place.isForHelp) return NOTHING;
  const { values, variadic } = entry.arguments[positionals.length] ?? {
    ...entry.arguments.at(-1),
    ...(entry.arguments.at(-1)?.variadic ? {} : { values: undefined }),
  };
  const isFull = positionals.length >= entry.arguments.length && variadic !== true;
  if ((isFull || current === '-') && !isEnded) return completeFlag(place, current);
  const typed = { prefix: '', value: current, taken: positionals, options: given };
  return completeValue(isFull ? undefined : values, typed, sources, entry.name);
}

/** The nouns and the commands of one word, and behind `help` its topics; after a noun, its verbs. */
function completeCommand(
  { commands }: CompletionReference,
  { words: [noun, ...more], isForHelp }: CursorContext,
): Completion {
  const all = (words: readonly Word[]): Completion => ({
    kind: 'words',
    title: 'command',
    prefix: '',
    words,
  });
  if (more.length > 0) return NOTHING;
  if (noun !== undefined) {
    const own = commands.filter(({ name }) => name.startsWith(`${noun} `));
    return all(
      own.map(({ name, summary }) => ({ value: name.slice(noun.length + 1), description: summary })),
    );
  }
  const further = isForHelp ? TOPICS : { help: 'Show help for a command or topic' };
  const nouns = new Map<string, string>(Object.entries(further));
  for (const { name, summary } of commands) {
    const [first = ''] = name.split(' ');
    nouns.set(first, name === first ? summary : (NOUNS[first]?.summary ?? `Commands of ${first}`));
  }
  return all([...nouns].map(([value, description]) => ({ value, description })));
}

/** The options that can still be given. `--no-…` of a switch that is on by default comes where it is asked for. */
function completeFlag({ flags, options: given }: CursorContext, current: string): Completion {
  const words = flags.flatMap((flag): Word[] => {
    if (flag.deprecated || (given.has(flag.flag) && flag.takes !== 'many')) return [];
    return spellings(flag, current).map((value) => ({ value, description: flag.summary }));
  });
  return { kind: 'words', title: 'option', prefix: '', words };
}

function spellings({ flag, negative, short }: ReferenceFlag, current: string): string[] {
  if (short !== undefined && current === `-${short}`) return [current];
  const isOff = negative === 'only' || (negative === 'also' && current.startsWith('--no'));
  return [...(negative === 'only' ? [] : [`--${flag}`]), ...(isOff ? [`--no-${flag}`] : [])];
}
