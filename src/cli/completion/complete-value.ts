/** What may stand as the value of an option or an argument, given what is typed of it. */
import { cityOf } from '../../contract/location-names.ts';
import type { ValueSpec } from '../framework/completion-reference.ts';
import type { Completion, CompletionSources, Word } from './types.ts';

/** What is known of the value so far. */
export interface TypedValue {
  /** What stands before it in the same word, `--output=`, and stays. */
  readonly prefix: string;
  readonly value: string;
  /** Values that were given to the same option before: a list doesn't want them again. */
  readonly taken: readonly string[];
  /** The options of the line. */
  readonly options: ReadonlyMap<string, readonly string[]>;
}

const describeWords = (words: readonly string[]): Word[] =>
  words.map((value) => ({ value, description: cityOf(value) }));

/** Title where values are asked for that nothing is known of. */
export const NOTHING: Completion = { kind: 'words', title: '', prefix: '', words: [] };

/** Ways to go on with a value. */
export async function completeValue(
  values: ValueSpec | undefined,
  typed: TypedValue,
  sources: CompletionSources,
  title: string,
): Promise<Completion> {
  const { prefix, value } = typed;
  const whole = { kind: 'words', title, prefix } as const;
  switch (values?.kind) {
    case undefined:
      return NOTHING;
    case 'words':
      if (values.commas) return completeListItem(describeWords(values.words), typed, title);
      return { ...whole, words: describeWords(values.words), isOrdered: true };
    case 'file':
      return { ...whole, kind: 'files', words: [] };
    case 'folder':
      return { ...whole, kind: 'folders', words: [] };
    case 'profile':
      return { ...whole, words: await sources.profiles() };
    case 'service-key':
      return { ...whole, words: await sources.serviceKeys(typed.options), isOrdered: true };
    case 'variable':
      // Behind `=` stands what only the person knows.
      return value.includes('=') ? NOTHING : { ...whole, words: describeWords(sources.variables()) };
    case 'resource': {
      const words = (await sources.recent(values.of, typed.options, value)).filter(
        (word) => !typed.taken.includes(word.value) && !(word.isName && value === ''),
      );
      return { ...whole, words, isOrdered: true };
    }
    case 'kind:file': {
      const kind = values.words.find((word) => value.startsWith(`${word}:`));
      if (kind !== undefined) return { ...whole, kind: 'files', prefix: `${prefix}${kind}:`, words: [] };
      return { ...whole, words: describeWords(values.words.map((word) => `${word}:`)), isOpen: true };
    }
    case 'assertion':
      return { ...whole, ...completeAssertion(value, values), isOpen: true, isOrdered: true };
    case 'pairs':
      return completePair(values.names, typed, title);
    default:
      return values satisfies never;
  }
}

/** One more of a list whose items stand between commas. */
function completeListItem(
  words: readonly Word[],
  { prefix, value, taken }: TypedValue,
  title: string,
): Completion {
  const at = value.lastIndexOf(',') + 1;
  const used = new Set([...value.slice(0, at).split(','), ...taken.flatMap((text) => text.split(','))]);
  return {
    kind: 'words',
    title,
    prefix: `${prefix}${value.slice(0, at)}`,
    words: words.filter((word) => !used.has(word.value)),
    isOpen: true,
    isOrdered: true,
  };
}

/** The source; once that is plain, the comparison. */
function completeAssertion(
  value: string,
  { sources, comparisons }: { readonly sources: readonly string[]; readonly comparisons: readonly string[] },
): Pick<Completion, 'words'> {
  const [, head] = value.match(/^([A-Z_]+(?:\(.*\))?)\s/) ?? [];
  const only = sources.filter((source) => source.startsWith(value));
  const source = head ?? (only.length === 1 ? only[0] : undefined);
  if (source === undefined) return { words: describeWords(sources) };
  return { words: comparisons.map((comparison) => ({ value: `${source} ${comparison} ` })) };
}

/** `name=value,name=value`: a name, then what its value may be. */
function completePair(
  names: Readonly<Record<string, readonly string[]>>,
  { prefix, value }: TypedValue,
  title: string,
): Completion {
  if (/^\s*[[{]/.test(value)) return NOTHING;
  const at = value.lastIndexOf(',') + 1;
  const [name = '', text] = value.slice(at).split('=', 2);
  const head = `${prefix}${value.slice(0, at)}`;
  if (text !== undefined) {
    const among = Object.hasOwn(names, name) ? (names[name] ?? []) : [];
    return { kind: 'words', title, prefix: `${head}${name}=`, words: describeWords(among), isOpen: true };
  }
  const used = value
    .slice(0, at)
    .split(',')
    .map((pair) => pair.split('=', 1)[0]);
  const words = Object.keys(names).filter((each) => !used.includes(each));
  return {
    kind: 'words',
    title,
    prefix: head,
    words: describeWords(words.map((each) => `${each}=`)),
    isOpen: true,
  };
}
